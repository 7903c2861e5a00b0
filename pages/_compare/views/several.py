"""The view of several models side by side: options and scores, errors by workload, differences with their noise."""

from collections.abc import Sequence

import streamlit as st

from core.report.compare.race_table import Line
from core.report.compare.side_by_side import options_table, side_by_side
from core.report.figures.race import difference_sketch, error_map, parallel_lines
from pages._compare.result import Result, choose_result
from pages._ui.choices import act, pick_several
from pages._ui.drawn import MOST_PLANNED, chosen_rows, csv_button, draw_sketch, ground, is_narrow, literal, show, table

TITLE, PLACE = "Side by side", 2

_USUAL, _PARALLEL, _BRUSHED = 8, "race_parallel", "_brushed_models"


def draw(results: Sequence[Result]) -> None:
    """Let the user choose models, by name or on the axes of their options and scores, and draw them side by side."""
    result = choose_result(results)
    if len(result.able) < 2:
        st.info("Two models are needed to compare them; the standings say what could be run.")
        return
    brushed = _brushed(result)
    lines = [result.able[i] for i in brushed] if brushed else _named(result)
    if brushed:
        _say_kept(len(brushed), len(result.able))
    if len(lines) < 2:
        st.info("Choose two models or more to see them side by side.")
    else:
        _draw_beside(result, lines)
    show(parallel_lines(result.able, brushed, result.race.winner), _PARALLEL, select=True, download=False)
    st.caption(
        "A line is a model, the orange one the winner. Draw a box on an axis to keep the models within it; boxes on "
        "further axes narrow that down."
    )
    if len(lines) > 1:
        table(options_table(lines), "race_options", alt="Options and scores of the models side by side", digits=4)


def _say_kept(n: int, of: int) -> None:
    """Say how many models the boxes on the axes keep, with a way back to all."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{n} of {of} models, kept by the boxes below.", width="content")
        act("All models", "all_models", "undo", _let_go)


def _draw_beside(result: Result, lines: Sequence[Line]) -> None:
    """Draw the errors of models by workload, and how far each is above the first."""
    value = side_by_side(result.frame, lines)
    st.markdown(literal(value.standing_out()))
    with st.grid(2, min_column_width=480, gap="medium"):
        with st.container(gap="small"):
            show(error_map(value, result.race.winner, narrow=is_narrow()), "race_errors")
        with st.container(gap="small"):
            draw_sketch(difference_sketch(value, ground(), narrow=is_narrow()), MOST_PLANNED)
            st.caption("Lines are 95 % intervals (corrected t-test over the folds); an open dot is no more than noise.")
            csv_button("Data as CSV", value.differences, "race_differences")


def _named(result: Result) -> Sequence[Line]:
    labels = {line.entry: line.label for line in result.able}
    help = "The first by error is what the others are compared to. Below, they can be chosen by what they are like."
    usual = list(labels)[:_USUAL]
    chosen = pick_several("Models", list(labels), "models", help, usual=usual, words=labels.__getitem__)
    return [line for line in result.able if line.entry in chosen]


def _brushed(result: Result) -> tuple[int, ...]:
    """Return the numbers of the models that every box drawn on the axes kept; none if there is no box."""
    chosen = chosen_rows(st.session_state.get(_PARALLEL))
    of, before, narrowed = st.session_state.get(_BRUSHED, (result.key, (), ()))
    if of != result.key:  # what was chosen is of another race
        narrowed = ()
    elif chosen != before:
        narrowed = tuple(i for i in chosen if i in narrowed) or chosen
    st.session_state[_BRUSHED] = (result.key, chosen, narrowed)
    return narrowed


def _let_go() -> None:
    of, before, _ = st.session_state[_BRUSHED]
    st.session_state[_BRUSHED] = (of, before, ())
