"""The view of a selection of splines: round by round, what every parameter and interaction was worth."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.rounds import contributions_table, round_bars, rounds_curve, rounds_table
from core.report.model.rounds import Limits, Round, Rounds, rounds
from pages._model.cluster import choose_cluster, choose_place
from pages._ui.charts import table
from pages._ui.page import fragment
from pages._ui.pictures import show
from pages._ui.text import count, listed, literal, number


@fragment()
def draw(model: FittedPipeline, ends: Limits | None) -> None:
    """Draw the rounds of one cluster's model, to be stepped through."""
    told = rounds(model, choose_cluster(model), ends)
    _say(told)
    chosen = told.rounds[choose_place("Round", len(told.rounds), "round") - 1]
    show(rounds_curve(told, chosen.number), "rounds_curve")
    _round(chosen)
    _all_rounds(told)
    st.header("What each term adds", anchor=False)
    table(contributions_table(told), "contributions", alt="What each term adds to R²", digits=4)
    _left_out(told)


def _say(told: Rounds) -> None:
    st.markdown(
        literal(
            f"Each parameter is a smooth curve. The best one by R² comes first; then parameters follow one by one, "
            f"each with its interactions that help (a:b), on {count(told.n_trials, 'trial')}. {told.stopped}"
        )
    )


def _round(chosen: Round) -> None:
    fate = f"{chosen.term} is taken" if chosen.taken else "nothing is taken"
    st.header(literal(f"Round {chosen.number}, {chosen.tried}: {fate}"), anchor=False)
    value = number(float(chosen.values[chosen.best]), 4)
    if chosen.taken:
        said = f"With {chosen.term} the {chosen.measure} is {value}, {_best_of(chosen)}."
        said += f" R² rises by {number(chosen.r2 - chosen.before, 3)} to {number(chosen.r2, 5)}."
    else:
        said = f"With {chosen.term} the {chosen.measure} would be {value}, {_best_of(chosen)}"
        said += "." if chosen.needed is None else f", and {number(chosen.needed, 5)} has to be passed."
    st.markdown(literal(said))
    show(round_bars(chosen), "round_bars")


def _best_of(chosen: Round) -> str:
    n = len(chosen.terms)
    return "the only candidate" if n == 1 else f"the best of {n} candidates"


def _all_rounds(told: Rounds) -> None:
    st.header("All rounds", anchor=False)
    st.caption(
        "A row per round and a column per parameter: what the model would be worth with it, or, in a round of "
        "interactions, with its interaction with the newest parameter. The one that was taken stands out."
    )
    alt = "What every candidate was worth in every round, and what was taken"
    table(rounds_table(told), "rounds", alt=alt, values=told.table())


def _left_out(told: Rounds) -> None:
    if told.left_out:
        st.caption(literal(f"Left out: {listed((f'{name}, because {why}' for name, why in told.left_out), 12)}."))
