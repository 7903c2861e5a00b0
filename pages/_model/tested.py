"""Validation on the Model page: at once where it is cheap, as a job where it is not."""

from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from core.recipes import Recipe
from core.report.shared.scorecard import fold_label
from core.trial import Frame
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from pages._model.controls import along_threshold
from pages._model.values import VALIDATIONS, TooLong, validate_now, validation_key, validation_work
from pages._ui import jobs
from pages._ui.text import count, number
from pages._ui.work import ahead, computed, stop_former

AT_ONCE_S, _SOON_S = 1.5, 6.0
UNASKED_S = 120.0
_KIND = "test of the Model page"
"""Apart from other pages' validations, which this page's options have no say in."""


@dataclass(frozen=True)
class Tested:
    """What is known of how well the model predicts the unseen.

    Attributes
    ----------
    plan : chosen by the user
    key : what the validation is known by
    chosen : the validation, if it is there
    """

    plan: FoldPlan
    key: str
    seed: int = 0
    chosen: Validation | None = None


def hold_out(frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0, interval: str = AUTO) -> Tested:
    """Validate a recipe, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under two minutes it starts by itself as a job,
    which the next one stops; above, when the user asks for it. Then the other thresholds of the slider are tested
    behind the page, the nearest first, so that moving it waits for nothing.
    """
    key = validation_key(frame, recipe, plan, seed, interval)
    kind, expected_s = f"{_KIND} {plan.how}", fit_s * len(plan.split(frame, seed))
    name = f"{kind}-{key}"
    found = VALIDATIONS.get(name)
    if found is None and jobs.find(name) is None:
        stop_former(kind, name)
        if expected_s < AT_ONCE_S:
            with suppress(TooLong):
                found = VALIDATIONS.put(name, validate_now(frame, recipe, plan, seed, interval))
        elif expected_s > UNASKED_S and not _asked(plan, expected_s, key):
            return Tested(plan, key, seed)
    if found is None:
        work, wait_s = validation_work(frame, recipe, plan, seed, interval), AT_ONCE_S if expected_s < _SOON_S else 0.0
        found = computed(kind, f"Leaving out {fold_label(str(plan))}", key, work, wait_s, VALIDATIONS)
    others = along_threshold(recipe)
    if found is not None and expected_s * len(others) < UNASKED_S:
        works = {
            f"{kind}-{validation_key(frame, other, plan, seed, interval)}": validation_work(
                frame, other, plan, seed, interval, beside=True
            )
            for other in others
        }
        ahead(f"thresholds {plan.how}", "Testing every threshold", works, VALIDATIONS)
    return Tested(plan, key, seed, found)


def _asked(plan: FoldPlan, expected_s: float, key: str) -> bool:
    st.info(f"Leaving out {fold_label(str(plan))} takes about {count(max(round(expected_s / 60), 1), 'minute')}.")
    return st.button("Test it", key=f"{key}_start", icon=":material/play_arrow:", help=f"{number(expected_s, 2)} s")
