"""The Compare page: what is predicted from what, who races on which folds, and what came of it."""

from collections.abc import Sequence
from types import MappingProxyType

import streamlit as st

from core.errors import RidgelineError
from core.race.entry import Entry
from core.validate.folds import FoldPlan
from pages._compare.question import Question, choose_beside, choose_entries, choose_folds, question_of
from pages._compare.racing import run_or_wait
from pages._compare.result import Result, results_of
from pages._compare.scenario import Scenario, choose_more, choose_pair, describe, scenarios_of
from pages._compare.views import standings
from pages._ui.layout import draw_open, instrument, views_of
from pages._ui.page import fragment, show_error
from pages._ui.state import Asked

VIEWS = views_of("compare")
_FORMER = MappingProxyType({"Two models": "Side by side"})


@fragment()
def draw(asked: Asked) -> None:
    """Draw the choices, the race under way, and its results; this alone runs again when a choice of it changes."""
    head, said, controls, picture = instrument()
    with controls:
        place, entries, own = st.container(gap="small"), st.container(), st.container()
        with st.expander("More choices", key="more_choices"):
            home, responses = choose_more(asked)
            more = st.container()
    with place:
        pair = choose_pair(asked, home)
    if pair.host and not pair.targets:
        said.info("Choose a target: the machine whose response is to be predicted.")
        return
    with said:
        scenarios = scenarios_of(asked, pair, responses)
        for scenario in scenarios:
            describe(scenario)
    if not scenarios:
        return
    with place:
        plan = choose_folds(scenarios[0].frame)
    with more:
        beside = choose_beside(scenarios[0].frame)
    with entries:
        racing = choose_entries([scenario.frame for scenario in scenarios], own)
    with said:
        questions = _questions(scenarios, [(plan, beside, racing[s.frame.digest()]) for s in scenarios])
    if not questions:
        return
    with controls:
        stands = run_or_wait(questions, asked.dataset, head, picture)
    results = results_of(questions, asked.dataset) if stands else ()
    for result in results:
        with head:
            standings.headline(result, several=len(results) > 1)
        with said:
            standings.say_winner(result, several=len(results) > 1)
    if results:
        with picture:
            show(results)


def _questions(
    scenarios: tuple[Scenario, ...], asked: Sequence[tuple[FoldPlan, FoldPlan | None, tuple[Entry, ...]]]
) -> tuple[Question, ...]:
    """Return what can be asked; folds that a scenario does not have are said in one sentence."""
    found = []
    for scenario, (plan, beside, entries) in zip(scenarios, asked, strict=True):
        try:
            found.append(question_of(scenario, plan, beside, entries))
        except RidgelineError as error:
            show_error(error)
    return tuple(found)


@fragment()
def show(results: tuple[Result, ...]) -> None:
    """Draw the results; this alone runs again when a control of it moves."""
    draw_open(VIEWS, "compare_view", results, _FORMER)
