"""The view per application, machine or any label: scores of each, predictions of it, and why one is wrong."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.progress import Progress
from core.recipes import Recipe
from core.report.figures.effects import miss_bars
from core.report.figures.outcome import application_panel, group_errors, group_table
from core.report.model.miss import Miss, miss
from core.report.model.miss_words import near_table, runs_table, untrained_table, verdict
from core.report.shared.naming import grouping_labels
from core.report.shared.outcome import Outcome, by_group, of_group
from core.report.shared.scorecard import fold_label
from core.trial import Frame
from core.validate.folds import FoldPlan
from pages._model.shown import Shown
from pages._model.values import Tested, validation_key
from pages._ui.choices import pick, pick_several, set_choice
from pages._ui.drawn import chosen_rows, literal, show, table
from pages._ui.jobs import computed, key_of

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
    with st.grid(2, min_column_width=480):
        with st.container(gap="small"):
            event = show(group_errors(groups, label), "group_errors", select=True)
        with st.container(gap="small"):
            st.header(literal(f"Predicted over measured, per {label}"), anchor=False)
            placeholder = f"The {min(_FIRST, len(names))} with the largest errors"
            chosen = pick_several("Shown", names, "panels", placeholder=placeholder, max_selections=_MOST)
            _panels(frame, value, label, chosen or names[:_FIRST])
    with answer:
        _draw_why(asked, frame, shown.recipe, shown.tested, label, names, [scored[i] for i in chosen_rows(event)])
    table(group_table(groups, label), "group_scores", alt=f"Scores per {label}, worst first", digits=3)


def _panels(frame: Frame, value: Outcome, label: str, names: Sequence[str]) -> None:
    with st.grid(3, min_column_width=230, gap="small"):
        for i, name in enumerate(names):
            show(application_panel(of_group(value, frame, label, name), name), f"panel_{i}", download=False)


KEY, _CLICKED, _WAIT_S = "wrong", "_wrong_clicked", 0.3
NOBODY = ""


def _draw_why(
    place: Any, frame: Frame, recipe: Recipe, tested: Tested, label: str, names: Sequence[str], clicked: Sequence[str]
) -> None:
    """Let the user choose a group in a place, and draw why it is predicted wrong, or the job that finds out."""
    if list(clicked) != st.session_state.get(_CLICKED, []):
        st.session_state[_CLICKED] = list(clicked)
        if clicked:
            set_choice(KEY, clicked[0])
    help = "Held out as a whole: what nothing trained had, what drives the miss, what one more run does."
    options = [NOBODY, *(name for name in names if name)]
    title = f"Why is this {label} wrong?"
    name = pick(title, options, KEY, help, words=lambda n: n or "Choose one, or click below", on=place)
    if name == NOBODY:
        return
    known = tested.plan.how == "by" and tested.plan.column == label
    plan = tested.plan if known else FoldPlan("by", column=label)
    validation = tested.chosen if known else None

    def work(progress: Progress) -> Miss:
        return miss(recipe, frame, plan, name, validation=validation, seed=tested.seed, progress=progress)

    key = key_of(validation_key(frame, recipe, plan, tested.seed), name)
    found = computed("miss", f"Learning without {name}, and with one run of it", key, work, _WAIT_S)
    if found is not None:
        _draw_miss(found)


def _draw_miss(found: Miss) -> None:
    st.markdown(literal(verdict(found)))
    st.caption(literal(f"By models that have not seen it, leaving out {fold_label(found.folds)}."))
    if found.split is not None:
        show(miss_bars(found, found.split), "miss_bars")
    if found.untrained:
        st.markdown("**Where nothing was trained**")
        table(untrained_table(found), "miss_untrained", alt="Metrics with values where nothing was trained", digits=4)
    if found.near:
        st.markdown(f"**{literal(f'The trained {found.label}s that come nearest')}**")
        table(near_table(found), "miss_near", alt="Nearest trained groups, and their own errors", digits=3)
    if found.runs:
        st.markdown("**With one more run of it**")
        table(runs_table(found), "miss_runs", alt="Errors before and after one more run was learnt")
