"""The view of the selection: term by term or round by round, what could have been taken, what was, and why it ended."""

import pandas as pd
import streamlit as st

from core.models.parts.story import Limits, Stopping
from core.pipeline import FittedPipeline
from core.recipes import Recipe
from core.report.figures import selection as figures
from core.report.figures.effects import importance_bars
from core.report.figures.selection import contributions_table, round_bars, rounds_curve, rounds_table
from core.report.model.rounds import Round, Rounds, has_rounds, rounds
from core.report.model.selection import Along, Selection, along, candidates, coefficients, is_stepwise, selection
from core.report.model.summary import importance, why_no_selection
from pages._model.shown import Shown, choose_cluster, choose_place, cluster_in_view
from pages._model.values import timed_fit
from pages._ui.database import kept
from pages._ui.drawn import count, draw_sketch, ground, listed, literal, number, show, table
from pages._ui.page import fragment

TITLE, PLACE = "Selection", 2

_CHEAP_S = 0.5


def draw(shown: Shown) -> None:
    """Draw the selection of one cluster's model, to be stepped through, or what matters where there is none."""
    model, ends = shown.model, shown.recipe.stopping()
    if ends is not None and is_stepwise(model):
        known = ends.whole is not None and shown.fit_s < _CHEAP_S
        _steps(model, ends, timed_fit(shown.frame, ends.whole)[0] if known else None)
    elif has_rounds(model):
        _rounds(model, shown.recipe.limits())
    else:
        _what_matters(model)


def draw_curve(shown: Shown) -> None:
    """Draw errors by number of terms, on groups held out and in training, where they are cheap to know."""
    model, cluster = shown.model, cluster_in_view(shown.model)
    told = _along(shown, cluster)
    if told is not None:
        n_terms = len(model.clusters[cluster].model.terms(model.features))
        draw_sketch(figures.terms_curve(told, n_terms, ground()))


@kept(lambda shown, cluster: (shown.key, cluster), 64)
def _along(shown: Shown, cluster: int) -> Along | None:
    frame, ends = shown.frame, shown.recipe.stopping()
    judged = shown.model if ends is None or ends.judged is None else timed_fit(frame, ends.judged)[0]
    return along(judged, frame, cluster) if len(judged.clusters) == len(shown.model.clusters) else None


@fragment()
def _steps(model: FittedPipeline, ends: Stopping[Recipe], whole: FittedPipeline | None) -> None:
    cluster = choose_cluster(model)
    told = selection(model, cluster, ends.threshold, ends.max_terms, whole)
    _say(told)
    step = choose_place("Step", told.n_terms, "step")
    _step(model, cluster, step, told)
    st.header("All steps", anchor=False)
    table(figures.selection_table(told), "selection_steps", alt="Every step with its term, gain and runner-up")
    _dropped(told)


def _say(told: Selection) -> None:
    st.markdown(
        literal(
            f"From a pool of {count(told.n_pool, 'candidate')}, each step takes the one that raises adjusted R² most, "
            f"on {count(told.n_trials, 'trial')}. {told.stopped}"
        )
    )


def _step(model: FittedPipeline, cluster: int, step: int, told: Selection) -> None:
    """Draw the way to the last term, beside it what a step took among all candidates, and the model after it."""
    tried = candidates(model, step, cluster, told.threshold)
    taken = told.steps[step - 1]
    said = f"Adjusted R² rises by {number(taken.gain, 3)} to {number(taken.adjusted_r2, 4)}."
    if taken.runner_up:
        said += f" The runner-up, {taken.runner_up}, would have gained {number(taken.runner_up_gain, 3)}."
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            show(figures.selection_curve(told, step), "selection_curve")
        with st.container(gap="small"):
            st.header(literal(f"Step {step}: {taken.term}"), anchor=False)
            st.markdown(literal(said))
            show(figures.candidate_strip(tried), "candidate_strip")
    st.markdown("**The model after this step**")
    table(coefficients(model, step, cluster), "step_coefficients", alt=f"Coefficients after step {step}")
    with st.expander("The best candidates of this step"):
        table(figures.candidate_table(tried, 25), "step_candidates", alt=f"The best candidates of step {step}")


def _dropped(told: Selection) -> None:
    if not told.dropped:
        return
    with st.expander(f"{count(len(told.dropped), 'candidate')} that could not become a term"):
        reasons = pd.DataFrame(told.dropped, columns=["candidate", "step", "reason"])
        table(reasons, "dropped_candidates", alt="Candidates that could not become a term, and why")


@fragment()
def _rounds(model: FittedPipeline, ends: Limits | None) -> None:
    """Draw the rounds of one cluster's model, to be stepped through."""
    told = rounds(model, choose_cluster(model), ends)
    _say_rounds(told)
    chosen = told.rounds[choose_place("Round", len(told.rounds), "round") - 1]
    show(rounds_curve(told, chosen.number), "rounds_curve")
    _round(chosen)
    _all_rounds(told)
    st.header("What each term adds", anchor=False)
    table(contributions_table(told), "contributions", alt="What each term adds to R²", digits=4)
    _left_out(told)


def _say_rounds(told: Rounds) -> None:
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


def _what_matters(model: FittedPipeline) -> None:
    """Draw shares or length scales as the family has them, or say that it has none."""
    found = importance(model, choose_cluster(model))
    if found is None:
        st.info(literal(why_no_selection(model)))
        return
    st.markdown("This family learns everything at once instead of term by term; this is what mattered to it.")
    st.caption(literal(found.meaning))
    show(importance_bars(found), "importance", download=False)
    table(found.table(), "importance_table", alt=f"The {found.title} of each metric", digits=4)
