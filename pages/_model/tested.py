"""Validation on the Model page: at once where it is cheap, as a job where it is not."""

from dataclasses import dataclass, field

import streamlit as st

from core.recipes import Recipe
from core.report.scorecard import fold_label
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan, parse_folds
from pages._model.values import Validations, validate_now, validation_key, validation_work
from pages._ui import jobs
from pages._ui.text import count, number

AT_ONCE_S = 1.5
UNASKED_S = 30.0
_LAST = "_last_validation"


@dataclass(frozen=True)
class Tested:
    """What is known of how well the model predicts the unseen.

    Attributes
    ----------
    plan : chosen by the user
    found : validations by their folds, the chosen one first; empty while unknown
    """

    plan: FoldPlan
    seed: int = 0
    found: Validations = field(default_factory=dict)

    @property
    def chosen(self) -> Validation | None:
        """The validation that the user asked for, if it is there."""
        return self.found.get(str(self.plan))


def hold_out(frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0) -> Tested:
    """Validate a recipe, beside random folds, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under 30 it starts by itself as a job,
    which the next one stops; above, when the user asks for it.
    """
    plans = _plans(frame, plan)
    expected_s = fit_s * sum(len(p.split(frame, seed)) for p in plans)
    if expected_s < AT_ONCE_S:
        return Tested(plan, seed, validate_now(frame, recipe, plans, seed))
    key = validation_key(frame, recipe, plans, seed)
    _stop_former(key)
    job = jobs.find(key)
    if job is None:
        if expected_s > UNASKED_S and not _asked(plans, expected_s, key):
            return Tested(plan, seed)
        title = f"Leaving out {fold_label(str(plan))}"
        job = jobs.submit("validate", title, validation_work(frame, recipe, plans, seed), key, {"folds": str(plan)})
    if jobs.watch(job, key):
        return Tested(plan, seed, job.result)
    return Tested(plan, seed)


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


def _stop_former(key: str) -> None:
    """Stop the validation that this page started before for other options."""
    former = st.session_state.get(_LAST)
    st.session_state[_LAST] = key
    if former in (None, key):
        return
    job = jobs.find(former)
    if job is not None and not job.ended:
        job.cancel()
