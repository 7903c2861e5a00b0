"""The view per application, machine or any label: scores of each, and its predictions over measurements."""

from collections.abc import Sequence

import streamlit as st

from core.report.figures.outcome import application_panel, group_errors, group_table
from core.report.shared.naming import grouping_labels
from core.report.shared.outcome import Outcome, by_group, of_group
from core.trial import Frame
from pages._model import wrong
from pages._model.shown import Shown
from pages._ui.charts import table
from pages._ui.choices import pick, pick_several
from pages._ui.pictures import chosen_rows, show
from pages._ui.text import literal

TITLE, PLACE = "Groups", 5

_FIRST = 6
_MOST = 12
_NARROW, _WIDE = 170, 270
"""Pixels of what is chosen beside which trials are looked at."""


def draw(shown: Shown) -> None:
    """Draw errors per group, why the chosen one is wrong, the worst ones in panels, and all in a table."""
    frame = shown.frame
    labels = grouping_labels(frame)
    if not labels:
        st.info("These trials name no applications, inputs or machines, so there are no groups to compare.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        value = shown.choose_outcome()
        label = pick("Per", labels, "group", width=_NARROW)
        asked = st.container(width=_WIDE)
    groups = by_group(value, frame, label)
    names = [g.name for g in groups]
    scored = [g.name for g in groups if g.scores.mape is not None]
    answer = st.container()  # above the picture, which may be long
    event = show(group_errors(groups, label), "group_errors", select=True)
    with answer:
        wrong.draw(asked, frame, shown.recipe, shown.tested, label, names, [scored[i] for i in chosen_rows(event)])
    st.header(literal(f"Predicted over actual, per {label}"), anchor=False)
    placeholder = f"The {min(_FIRST, len(names))} with the largest errors"
    chosen = pick_several("Shown", names, "panels", placeholder=placeholder, max_selections=_MOST)
    _panels(frame, value, label, chosen or names[:_FIRST])
    table(group_table(groups, label), "group_scores", alt=f"Scores per {label}, worst first", digits=4)


def _panels(frame: Frame, value: Outcome, label: str, names: Sequence[str]) -> None:
    with st.grid(3, min_column_width=230, gap="small"):
        for i, name in enumerate(names):
            panel = application_panel(of_group(value, frame, label, name), name)
            show(panel, f"panel_{i}", download=False)
