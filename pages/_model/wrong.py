"""Why a group is predicted wrong: chosen from a list, by a click on its error, or by a link; a job finds out."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.progress import Progress
from core.recipes import Recipe
from core.report.figures.effects import miss_bars
from core.report.model.miss import Miss, miss
from core.report.model.miss_words import near_table, runs_table, untrained_table, verdict
from core.report.shared.scorecard import fold_label
from core.trial import Frame
from core.validate.folds import FoldPlan
from pages._model.tested import Tested
from pages._model.values import validation_key
from pages._ui.charts import table
from pages._ui.choices import pick, set_choice
from pages._ui.pictures import show
from pages._ui.text import literal
from pages._ui.work import computed, key_of

KEY, _CLICKED, _WAIT_S = "wrong", "_wrong_clicked", 0.3
NOBODY = ""


def draw(
    place: Any,
    frame: Frame,
    recipe: Recipe,
    tested: Tested,
    label: str,
    names: Sequence[str],
    clicked: Sequence[str],
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
        _draw(found)


def _draw(found: Miss) -> None:
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
