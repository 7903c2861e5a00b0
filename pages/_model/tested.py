"""Validation on the Model page: at once where it is cheap, as a job where it is not."""

from bisect import bisect
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.jobs import Job
from core.recipes import Recipe
from core.report.shared.scorecard import fold_label
from core.trial import Frame
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from pages._model.controls import THRESHOLDS
from pages._model.values import VALIDATIONS, TooLong, thresholds_work, validate_now, validation_key, validation_work
from pages._ui import jobs
from pages._ui.text import count, number
from pages._ui.work import job_of, key_of, stop_former

AT_ONCE_S = 1.5
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


def hold_out(
    frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0, interval: str = AUTO
) -> Tested:  # fmt: skip
    """Validate a recipe, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under two minutes it starts by itself as a job,
    which the next one stops; above, when the user asks for it.
    """
    key = validation_key(frame, recipe, plan, seed, interval)
    found = VALIDATIONS.get(key)
    if found is None:
        found = _find_out(frame, recipe, plan, seed, fit_s, key, interval)
    if found is not None and fit_s * len(found.fold_names) < AT_ONCE_S:
        _test_thresholds(frame, recipe, plan, seed, interval)
    return Tested(plan, key, seed, found)


def _find_out(
    frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, fit_s: float, key: str, interval: str
) -> Validation | None:
    """Validate here, or draw the job that does, or ask whether to start one."""
    stop_former(f"{_KIND} {plan.how}", key)
    expected_s = fit_s * len(plan.split(frame, seed))
    job = job_of(key)
    if job is None and expected_s < AT_ONCE_S:
        with suppress(TooLong):
            return VALIDATIONS.put(key, validate_now(frame, recipe, plan, seed, interval))
    if job is None:
        if expected_s > UNASKED_S and not _asked(plan, expected_s, key):
            return None
        job = _start(frame, recipe, plan, seed, key, interval)
    if jobs.watch(job, key):
        jobs.forget(key)
        return VALIDATIONS.put(key, job.result)
    if job.ended and st.button("Test again", key=f"{key}_again", icon=":material/replay:"):
        jobs.forget(key)
        _start(frame, recipe, plan, seed, key, interval)
        st.rerun()
    return None


def _test_thresholds(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str) -> None:
    """Validate every threshold of the slider behind the page, the nearest first: moving it then waits for nothing."""
    shown: Any = recipe
    if getattr(shown, "threshold", None) is None:
        return
    place = bisect(THRESHOLDS, shown.threshold)
    nearest = sorted(THRESHOLDS, key=lambda threshold: abs(bisect(THRESHOLDS, threshold) - place))
    others = [replace(shown, threshold=threshold) for threshold in nearest]
    key = key_of("thresholds", validation_key(frame, replace(shown, threshold=0.0), plan, seed, interval))
    stop_former(f"thresholds {plan.how}", key)
    jobs.submit("validate", "Testing every threshold", thresholds_work(frame, others, plan, seed, interval), key)


def _start(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, key: str, interval: str) -> Job:
    work = validation_work(frame, recipe, plan, seed, interval)
    asked = {"folds": str(plan), "seed": seed, "interval": interval}
    return jobs.submit("validate", f"Leaving out {fold_label(str(plan))}", work, key, asked)


def _asked(plan: FoldPlan, expected_s: float, key: str) -> bool:
    st.info(f"Leaving out {fold_label(str(plan))} takes about {count(max(round(expected_s / 60), 1), 'minute')}.")
    return st.button("Test it", key=f"{key}_start", icon=":material/play_arrow:", help=f"{number(expected_s, 2)} s")
