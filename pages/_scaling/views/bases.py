"""The Bases view: how well every configuration would do as the base, and what one more cluster brings."""

from collections.abc import Sequence

import streamlit as st

from core.report.figures.scaling import base_boxes, base_heat, error_histogram, errors_over_clusters
from core.report.scaling.bases import across_and_up, base_sentence, base_table, panes
from core.report.scaling.kernels import moving
from core.scaling.base_map import BaseMap, base_map, errors_by_clusters
from core.scaling.predictors.network import Network
from pages._scaling.study import BASE, Asked, choose_folds
from pages._ui.choices import act, set_choice, toggle, whole
from pages._ui.drawn import chosen_rows, literal, show, table
from pages._ui.jobs import computed, key_of
from pages._ui.page import guard

TITLE, PLACE = "Bases", 3

_HEAT, _CLICKED, _NEW = "base_heat", "_clicked_base", "_new_base"


def draw(asked: Asked) -> None:
    """Train the paper's method from every base, and draw the errors."""
    with st.grid(3, min_column_width=200, vertical_alignment="bottom"):
        n = whole("Clusters", 1, 200, 12, "bases_clusters")
        folds = choose_folds(asked.study, "bases_folds", "kfold:5")
    options = Network(n_clusters=n)
    key = key_of(asked.key, asked.response, options, folds)
    title = f"{asked.study.n_configurations:,} bases of {asked.response}"
    found = computed("bases", title, key, lambda p: base_map(asked.study, asked.response, options, folds, progress=p))
    if found is not None:
        _draw(asked, found)
    st.caption(
        "Where should a new kernel be measured? Clusters of curves, and a network that recognises a kernel's cluster "
        "by its counters (Greathouse and Loh, 2018), are trained from each configuration as the base and tried on "
        "kernels that they have not seen. Click a square to make it the base."
    )
    with guard():
        _by_clusters(asked, folds)


def _draw(asked: Asked, found: BaseMap) -> None:
    st.markdown(literal(base_sentence(found, asked.base, asked.texts)))
    axes = asked.study.axes
    squares = panes(found, *across_and_up(found.grid), axes)
    _take(chosen_rows(show(base_heat(found, squares, asked.base, asked.texts), _HEAT, select=True)), asked)
    label, best = "Use the base with the smallest error", asked.texts[found.best_base]
    act(label, "use_best_base", "star", set_choice, BASE, best, disabled=found.best_base == asked.base)
    st.header("Errors by the base's place on each axis", anchor=False)
    with st.grid(3, min_column_width=280):
        for axis in moving(found.grid):
            show(base_boxes(found, axis, str(axes[axis])), f"base_boxes_{axis}", download=False)
        with st.container():
            show(error_histogram(found), "base_histogram")
    table(base_table(found), "base_table", alt="Each base with its errors, the best first", digits=3)


def _take(rows: Sequence[int], asked: Asked) -> None:
    """Make the base that was clicked the chosen one, once per click."""
    clicked = rows[0] if len(rows) == 1 else None
    if st.session_state.get(_CLICKED) == clicked:
        return
    st.session_state[_CLICKED] = clicked
    if clicked is not None and clicked != asked.base:
        st.session_state[_NEW] = asked.texts[clicked]
        st.rerun()


def take_clicked() -> None:
    """Set the base that was clicked in the run before, as its widget has not been drawn yet."""
    if (text := st.session_state.pop(_NEW, None)) is not None:
        set_choice(BASE, text)


def _by_clusters(asked: Asked, folds: str) -> None:
    st.header("How many clusters", anchor=False)
    key = key_of(asked.key, asked.response, asked.base, folds, "by clusters")
    of = (asked.study, asked.response, asked.base)
    help = "From 1 to 24 clusters on the same kernels; takes some seconds."
    if toggle("Compare numbers of clusters", "bases_by_clusters", help):
        title = "Numbers of clusters"
        found = computed("by_clusters", title, key, lambda p: errors_by_clusters(*of, folds=folds, progress=p))
        if found is not None:
            show(errors_over_clusters(found), "errors_by_clusters")
