"""What the Model page computes, kept by the digest of the frame and the recipe."""

import hashlib
import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from core.codec import to_plain
from core.export import EXPORTERS
from core.models.splines import Splines
from core.models.stepwise import Stepwise
from core.pipeline import FittedPipeline
from core.progress import Progress
from core.recipes import Recipe, Treated, validate
from core.report.model.effects import Effects, Surface, effects, surface
from core.report.shared.outcome import Outcome, held_out_outcome, training_outcome
from core.report.trials.clusters import warm_up
from core.trial import Frame
from core.untold import Untold, untold
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from pages._ui.cached import digest, fitted, recipe_key

_KEEP = "1h"
MOST_S = 1.5
MOST_KEPT = 32
MOST_FITS = 6
DEAR_TRIALS = 300
Fit = tuple[FittedPipeline, float]


def timed_fit(frame: Frame, recipe: Recipe) -> tuple[FittedPipeline, float]:
    """Return the recipe fitted to a frame, and how many seconds a fit from scratch takes.

    A fit for another threshold starts from what an earlier one has learnt, as no fold can; so
    the longest fit counts among those that differ in nothing but the selection.
    """
    model, seconds = _timed_fit(digest(frame), recipe_key(recipe), frame, recipe)
    longest = _longest_fits()
    key = f"{digest(frame)} {_without_selection(to_plain(recipe))}"
    longest[key] = max(seconds, longest.get(key, 0.0))
    return model, longest[key]


def is_dear(frame: Frame, recipe: Recipe) -> bool:
    """Whether a fit may take longer than a person likes to wait without a word."""
    if isinstance(recipe, Treated):
        return not isinstance(recipe.family, Stepwise | Splines) and len(frame) > DEAR_TRIALS
    return getattr(recipe, "choose_thresholds", False) or len(getattr(recipe, "race", ())) > 1


def fit_key(frame: Frame, recipe: Recipe) -> str:
    """Return a short text that is the same for the same fit."""
    whole = f"{digest(frame)}\n{recipe_key(recipe)}"
    return f"fit-{hashlib.sha256(whole.encode()).hexdigest()[:24]}"


def fit_work(frame: Frame, recipe: Recipe) -> Callable[[Progress], Fit]:
    """Return a fit as work for a job, which gives the model and the seconds it took."""

    def work(progress: Progress) -> Fit:
        started = time.perf_counter()
        model = recipe.fit(frame, progress)
        return model, time.perf_counter() - started

    return work


def remember_fit(key: str, found: Fit) -> Fit:
    """Keep a fitted model for everybody; of many, the latest."""
    kept = _kept_fits()
    kept[key] = found
    while len(kept) > MOST_FITS:
        kept.pop(next(iter(kept)), None)
    return found


def known_fit(key: str) -> Fit | None:
    """Return a fitted model that is kept."""
    return _kept_fits().get(key)


def outcome_of(frame: Frame, recipe: Recipe, model: FittedPipeline) -> Outcome:
    """Return what the fitted recipe says of the trials it learnt from."""
    return _outcome(digest(frame), recipe_key(recipe), frame, model)


def effects_of(model: FittedPipeline, frame: Frame, others: str, key: str) -> Effects:
    """Return the curves of a model that is known by `key`."""
    return _effects(key, others, model, frame)


def surface_of(model: FittedPipeline, frame: Frame, pair: tuple[str, str], others: str, key: str) -> Surface:
    """Return the surface of two metrics of a model that is known by `key`."""
    return _surface(key, pair, others, model, frame)


def untold_of(frame: Frame) -> Untold | None:
    """Return which names the metrics of a frame do not tell apart."""
    return _untold(digest(frame), frame)


def why_not_kept(model: FittedPipeline, key: str) -> str:
    """Return why a model cannot be written to a file; "" if it can."""
    return _why_not_kept(key, model)


def validation_key(frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO) -> str:
    """Return a short text that is the same for the same validation."""
    whole = "\n".join([digest(frame), recipe_key(recipe), str(plan), str(seed), interval])
    return f"validate-{hashlib.sha256(whole.encode()).hexdigest()[:24]}"


def held_out_of(frame: Frame, found: Validation, key: str, log: bool) -> Outcome:
    """Return what a validation, known by `key`, says of the trials that it held out."""
    return _held_out(f"{key} {found.folds}", frame, found, log)


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

    return validate(recipe, frame, plan, seed, watch, interval)


def remember(key: str, found: Validation) -> Validation:
    """Keep a validation for everybody; of many, the latest."""
    kept = _kept()
    kept[key] = found
    while len(kept) > MOST_KEPT:
        kept.pop(next(iter(kept)), None)
    return found


def known(key: str) -> Validation | None:
    """Return a validation that is kept."""
    return _kept().get(key)


def validation_work(
    frame: Frame, recipe: Recipe, plan: FoldPlan, seed: int, interval: str = AUTO
) -> Callable[[Progress], Validation]:
    """Return the same as work for a job."""
    return lambda progress: validate(recipe, frame, plan, seed, progress, interval)


def _without_selection(options: dict[str, Any]) -> dict[str, Any]:
    """Return options without those that matter to the selection of terms alone."""
    inner = {k: _without_selection(v) if isinstance(v, dict) else v for k, v in options.items()}
    return {k: v for k, v in inner.items() if k not in ("pool", "race", "threshold", "max_terms")}


@st.cache_resource(ttl=_KEEP, show_spinner=False)
def _longest_fits() -> dict[str, float]:
    return {}


@st.cache_resource(max_entries=64, ttl=_KEEP, show_spinner=False)
def _timed_fit(frame: str, recipe: str, _of: Frame, _recipe: Recipe) -> tuple[FittedPipeline, float]:
    if getattr(_recipe, "clusters", 1) > 1:
        warm_up()
    started = time.perf_counter()
    model = fitted(_of, _recipe)
    return model, time.perf_counter() - started


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner=False)
def _outcome(frame: str, recipe: str, _of: Frame, _model: FittedPipeline) -> Outcome:
    return training_outcome(_model, _of)


@st.cache_resource(max_entries=16, ttl=_KEEP, show_spinner="Moving each metric …")
def _effects(key: str, others: str, _model: FittedPipeline, _of: Frame) -> Effects:
    return effects(_model, _model.rows(_of), others)


@st.cache_resource(max_entries=32, ttl=_KEEP, show_spinner="Moving both metrics …")
def _surface(key: str, pair: tuple[str, str], others: str, _model: FittedPipeline, _of: Frame) -> Surface:
    return surface(_model, _model.rows(_of), pair, others)


@st.cache_resource(max_entries=16, ttl=_KEEP, show_spinner=False)
def _untold(frame: str, _of: Frame) -> Untold | None:
    return untold(_of)


@st.cache_resource(max_entries=64, ttl=_KEEP, show_spinner=False)
def _why_not_kept(key: str, _model: FittedPipeline) -> str:
    return EXPORTERS["json"]().can_express(_model) or ""


@st.cache_resource(show_spinner=False)
def _kept_fits() -> dict[str, Fit]:
    return {}


@st.cache_resource(max_entries=8, ttl=_KEEP, show_spinner=False)
def _held_out(key: str, _of: Frame, _found: Validation, _log: bool) -> Outcome:
    return held_out_outcome(_found, _of, _log)


@st.cache_resource(show_spinner=False)
def _kept() -> dict[str, Validation]:
    return {}
