"""Validation on the Model page: at once where it is cheap, as a job where it is not."""

from contextlib import suppress
from dataclasses import dataclass, field

import streamlit as st

from core.jobs import Job
from core.recipes import Recipe
from core.report.scorecard import fold_label
from core.trial import Frame
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan, parse_folds
from pages._model.values import TooLong, Validations, known, remember, validate_now, validation_key, validation_work
from pages._ui import jobs
from pages._ui.text import count, number
from pages._ui.work import job_of, stop_former

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
    key : what the validations are known by
    found : validations by their folds, the chosen one first; empty while unknown
    """

    plan: FoldPlan
    key: str
    seed: int = 0
    found: Validations = field(default_factory=dict)

    @property
    def chosen(self) -> Validation | None:
        """The validation that the user asked for, if it is there."""
        return self.found.get(str(self.plan))


def hold_out(
    frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0, interval: str = AUTO
) -> Tested:  # fmt: skip
    """Validate a recipe, beside random folds, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under two minutes it starts by itself as a job,
    which the next one stops; above, when the user asks for it.
    """
    plans = _plans(frame, plan)
    key = validation_key(frame, recipe, plans, seed, interval)
    found = known(key)
    if found is None:
        found = _find_out(frame, recipe, plans, seed, fit_s, key, interval)
    return Tested(plan, key, seed, found or {})


def _find_out(
    frame: Frame, recipe: Recipe, plans: tuple[FoldPlan, ...], seed: int, fit_s: float, key: str, interval: str
) -> Validations | None:
    """Validate here, or draw the job that does, or ask whether to start one."""
    stop_former(_KIND, key)
    expected_s = fit_s * sum(len(plan.split(frame, seed)) for plan in plans)
    job = job_of(key)
    if job is None and expected_s < AT_ONCE_S:
        with suppress(TooLong):
            return remember(key, validate_now(frame, recipe, plans, seed, interval))
    if job is None:
        if expected_s > UNASKED_S and not _asked(plans, expected_s, key):
            return None
        job = _start(frame, recipe, plans, seed, key, interval)
    if jobs.watch(job, key):
        jobs.forget(key)
        return remember(key, job.result)
    if job.ended and st.button("Test again", key=f"{key}_again", icon=":material/replay:"):
        jobs.forget(key)
        _start(frame, recipe, plans, seed, key, interval)
        st.rerun()
    return None


def _start(
    frame: Frame, recipe: Recipe, plans: tuple[FoldPlan, ...], seed: int, key: str, interval: str
) -> Job:  # fmt: skip
    title = f"Leaving out {fold_label(str(plans[0]))}"
    work = validation_work(frame, recipe, plans, seed, interval)
    asked = {"folds": [str(plan) for plan in plans], "seed": seed, "interval": interval}
    return jobs.submit("validate", title, work, key, asked)


def _plans(frame: Frame, plan: FoldPlan) -> tuple[FoldPlan, ...]:
    """Return the chosen folds, and random ones beside them so that the optimism of those shows."""
    if plan.how == "kfold":
        return (plan,)
    configurations = len(set(frame.configuration.tolist()))
    return (plan, parse_folds("kfold:5")) if configurations >= 5 else (plan,)


def _asked(plans: tuple[FoldPlan, ...], expected_s: float, key: str) -> bool:
    names = " and ".join(fold_label(str(plan)) for plan in plans)
    st.info(f"Leaving out {names} takes about {count(max(round(expected_s / 60), 1), 'minute')}.")
    return st.button("Test it", key=f"{key}_start", icon=":material/play_arrow:", help=f"{number(expected_s, 2)} s")
