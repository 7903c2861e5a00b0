"""The view of another target: what the chosen model is worth there with a few runs, and when to train anew."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.race.reuse import reuse
from core.report.compare.versus import reuse_sentence, reuse_table
from core.report.figures.outcome import reuse_curves
from core.validate.folds import parse_folds
from pages._compare.result import Result, choose_result, make
from pages._compare.scenario import joined
from pages._compare.views.one import choose
from pages._ui.choices import pick
from pages._ui.database import labels
from pages._ui.drawn import literal, show, table
from pages._ui.jobs import computed, key_of

TITLE, PLACE = "Another target", 5

_MEMBERS = "Choose one of its members, or another model."
_NONE = "none"
_DRAWS = 3


def draw(results: Sequence[Result]) -> None:
    """Let the user choose a model and another target, and draw its error there over the number of runs."""
    result = choose_result(results)
    scenario = result.scenario
    if not scenario.host:
        st.info("With a host and a target, a model of one target can be tried on another one.")
        return
    machines = labels(result.dataset)["machine"]
    offered = [m for m in machines if m and m not in (scenario.host, scenario.target)]
    if not offered:
        st.info("There is no third machine in this dataset on which a model could be tried.")
        return
    with st.grid(2, min_column_width=220):
        name = choose(result, "Model", "look", result.race.winner)
        help = "A machine of which only a few runs are there: is the model good enough for it, rescaled by these?"
        other = pick("Another target", [_NONE, *offered], "other_target", help)
    if result.race.together(name) is not None:
        st.info(literal(f"What is made of several models cannot be learnt anew from a few runs. {_MEMBERS}"))
        return
    if other == _NONE:
        st.caption("Choose another target to see what the model is worth there.")
        return
    _compare(result, name, str(other))


def _compare(result: Result, name: str, other: str) -> None:
    scenario = result.scenario
    model = make(result, name)
    if model is None:
        return
    asked = replace(scenario.asked, metrics=None)
    frame = joined(asked, scenario.host, scenario.home, other, scenario.response).frame
    key = key_of(result.race.trials_sha256, name, frame.digest(), result.race.folds)
    title, plan = f"Trying the model of {scenario.target} on {other}", parse_folds(result.race.folds)
    work = partial(reuse, model, frame, plan, first=scenario.frame, draws=_DRAWS)
    found = computed("reuse", title, key, lambda progress: work(progress=progress))
    if found is None:
        return
    st.markdown(literal(reuse_sentence(found, scenario.target, other)))
    show(reuse_curves(found, scenario.target, other), "reuse", download=False)
    st.caption(
        "Runs are drawn from workloads that are not predicted; neither the model nor its rescaling has seen those. "
        "A factor moves all predictions alike; a line also stretches them; trained anew is the same kind of model "
        "learnt from these runs alone."
    )
    table(reuse_table(found), "reuse_table", alt="Error by number of runs and method", digits=4)
