"""What the Model page computes, kept by the digest of the frame and the recipe; validation at once or as a job."""

import time
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

import streamlit as st

from core.codec import Frozen, to_plain
from core.export import EXPORTERS
from core.pipeline import FittedPipeline
from core.progress import Progress
from core.recipes import Recipe, validate
from core.report.model.effects import Effects, Surface, effects, surface
from core.report.shared.outcome import Outcome, held_out_outcome, training_outcome
from core.report.shared.scorecard import fold_label
from core.report.trials.components import warm_up
from core.trial import Frame
from core.untold import untold
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from pages._model.controls import along_threshold
from pages._ui import jobs
from pages._ui.database import Shelf, fitted, held, kept, prepare, recipe_key
from pages._ui.drawn import count, number
from pages._ui.work import Work, ahead, computed, key_of, stop_former

MOST_S, _PATIENCE_S = 1.5, 1.0
FITS, VALIDATIONS = Shelf("fits", 6), Shelf("validations", 32)
DEAR_TRIALS = 300
Fit = tuple[FittedPipeline, float]


def timed_fit(frame: Frame, recipe: Recipe) -> tuple[FittedPipeline, float]:
    """Return the recipe fitted to a frame, and how many seconds a fit from scratch takes.

    A fit for another threshold starts from what an earlier one has learnt, as no fold can; so
    the longest fit counts among those that differ in nothing but the selection.
    """
    model, seconds = _timed_fit(frame, recipe)
    longest = held("", "longest fits")
    key = f"{frame.digest()} {_without_selection(to_plain(recipe))}"
    longest[key] = max(seconds, longest.get(key, 0.0))
    return model, longest[key]


def is_dear(frame: Frame, recipe: Recipe) -> bool:
    """Whether a fit may take longer than a person likes to wait without a word."""
    return not recipe.is_quick(few=len(frame) <= DEAR_TRIALS)


def fit_key(frame: Frame, recipe: Recipe) -> str:
    """Return a short text that is the same for the same fit."""
    return f"fit-{key_of(frame.digest(), recipe_key(recipe))}"


def fit_work(frame: Frame, recipe: Recipe) -> Work:
    """Return a fit as work for a job, which gives the model and the seconds it took."""

    def work(progress: Progress) -> Fit:
        started = time.perf_counter()
        return recipe.fit(frame, progress), time.perf_counter() - started

    return work


def fit_or_wait(frame: Frame, recipe: Recipe) -> Fit | None:
    """Return the fitted model and the seconds a fit takes; None while a job fits it, whose progress is drawn."""
    if not is_dear(frame, recipe):
        return timed_fit(frame, recipe)
    title = f"Fitting {recipe.name} to {len(frame):,} trials"
    return computed("fit", title, fit_key(frame, recipe), fit_work(frame, recipe), _PATIENCE_S, FITS)


def _by_fit(frame: Frame, recipe: Recipe, model: FittedPipeline | None = None) -> Hashable:
    return (frame.digest(), recipe_key(recipe))


@kept(_by_fit, 8)
def outcome_of(frame: Frame, recipe: Recipe, model: FittedPipeline) -> Outcome:
    """Return what the fitted recipe says of the trials it learnt from."""
    return training_outcome(model, frame)


@kept(lambda model, frame, others, key: (key, others), 16, "Moving each metric …")
def effects_of(model: FittedPipeline, frame: Frame, others: str, key: str) -> Effects:
    """Return the curves of a model that is known by `key`."""
    return effects(model, model.rows(frame), others)


@kept(lambda model, frame, pair, others, key: (key, pair, others), 32, "Moving both metrics …")
def surface_of(model: FittedPipeline, frame: Frame, pair: tuple[str, str], others: str, key: str) -> Surface:
    """Return the surface of two metrics of a model that is known by `key`."""
    return surface(model, model.rows(frame), pair, others)


untold_of = kept(lambda frame: frame.digest(), 16)(untold)
"""Which names the metrics of a frame do not tell apart, by the digest of the frame."""


@kept(lambda model, key: key, 64)
def why_not_kept(model: FittedPipeline, key: str) -> str:
    """Return why a model cannot be written to a file; "" if it can."""
    return EXPORTERS["json"]().can_express(model) or ""


@kept(lambda frame, found, key, log: (key, found.folds), 8)
def held_out_of(frame: Frame, found: Validation, key: str, log: bool) -> Outcome:
    """Return what a validation, known by `key`, says of the trials that it held out."""
    return held_out_outcome(found, frame, log)


def validation_key(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO) -> str:
    """Return a short text that is the same for the same validation."""
    return f"validate-{key_of(frame.digest(), recipe_key(recipe), plan, seed, interval)}"


class TooLong(Exception):
    """A validation that was to be done at once takes longer than was thought."""


def validate_now(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO) -> Validation:
    """Return the validation of a recipe.

    Raises
    ------
    TooLong
        After one and a half seconds.
    """
    end = time.perf_counter() + MOST_S

    def watch(fraction: float, message: str) -> None:
        if time.perf_counter() > end:
            raise TooLong

    return validate(recipe, frame, plan, seed, watch, interval, 1, prepare)


def validation_work(
    frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO, beside: bool = False
) -> Work:
    """Return the same as work for a job; with `beside`, in this process, from what is kept of other validations."""
    how: dict[str, Any] = {"workers": 1, "prepare": prepare} if beside else {}
    return lambda progress: validate(recipe, frame, plan, seed, progress, interval, **how)


def _without_selection(options: dict[str, Any]) -> dict[str, Any]:
    """Return options without those that matter to the selection of terms alone."""
    inner = {k: _without_selection(v) if isinstance(v, dict) else v for k, v in options.items()}
    return {k: v for k, v in inner.items() if k not in ("pool", "race", "threshold", "max_terms")}


@kept(_by_fit, 64)
def _timed_fit(frame: Frame, recipe: Recipe) -> Fit:
    if getattr(recipe, "clusters", 1) > 1:
        warm_up()
    started = time.perf_counter()
    return fitted(frame, recipe), time.perf_counter() - started


AT_ONCE_S, _SOON_S = 1.5, 6.0
UNASKED_S = 120.0
_KIND = "test of the Model page"
"""Apart from other pages' validations, which this page's options have no say in."""


class Tested(Frozen):
    """What is known of how well the model predicts the unseen.

    Attributes
    ----------
    plan : chosen by the user
    key : what the validation is known by
    chosen : the validation, if it is there
    expected_s : how long one was thought to take
    """

    plan: FoldPlan
    key: str
    seed: int = 0
    chosen: Validation | None = None
    expected_s: float = 0.0


@kept(lambda frame, plan, seed: (frame.digest(), str(plan), seed), 64)
def _n_folds(frame: Frame, plan: FoldPlan, seed: int) -> int:
    return len(plan.split(frame, seed))


def hold_out(frame: Frame, recipe: Recipe, plan: FoldPlan, fit_s: float, seed: int = 0, interval: str = AUTO) -> Tested:
    """Validate a recipe, and draw what there is to wait for.

    Under an estimated 1.5 seconds it is done at once; under two minutes it starts by itself as a job,
    which the next one stops; above, when the user asks for it.
    """
    key = validation_key(frame, recipe, plan, seed, interval)
    kind, expected_s = f"{_KIND} {plan.how}", fit_s * _n_folds(frame, plan, seed)
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
    return Tested(plan, key, seed, found, expected_s)


def hold_out_along(frame: Frame, recipe: Recipe, tested: Tested, interval: str = AUTO) -> None:
    """Test the other thresholds of the slider behind the page, the nearest first, so that moving it waits for nothing.

    What is waited for ends this, so it is asked last.
    """
    plan, others = tested.plan, along_threshold(recipe)
    if tested.chosen is None or not others or tested.expected_s * len(others) >= UNASKED_S:
        return
    works = {
        f"{_KIND} {plan.how}-{validation_key(frame, other, plan, tested.seed, interval)}": validation_work(
            frame, other, plan, tested.seed, interval, beside=True
        )
        for other in others
    }
    ahead(f"thresholds {plan.how}", "Testing every threshold", works, VALIDATIONS)


def _asked(plan: FoldPlan, expected_s: float, key: str) -> bool:
    st.info(f"Leaving out {fold_label(str(plan))} takes about {count(max(round(expected_s / 60), 1), 'minute')}.")
    return st.button("Test it", key=f"{key}_start", icon=":material/play_arrow:", help=f"{number(expected_s, 2)} s")
