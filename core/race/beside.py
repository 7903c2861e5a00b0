"""What stands beside the automatic model on its folds: a constant, stock trees and a readable formula."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import FitError
from core.models.extra_trees import ExtraTrees
from core.pipeline import FLAG, Pipeline, Provenance
from core.recipes import make_recipe
from core.recipes._quick import scale_of
from core.scale import LOG_RATIO, RATIO, RAW
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import Fold, FoldPlan

CONSTANT, STOCK = "constant", "stock extra trees"
READABLE = "formula"
"""The family whose formula people are offered beside the best model."""

Predict = Callable[[Frame], FloatArray]
Learn = Callable[[Frame], Predict]
"""From trials to learn from, to what is said of others."""


@dataclass(frozen=True)
class Contender:
    """What one procedure says of trials that it has not seen.

    Attributes
    ----------
    predicted : array of shape (n_trials,), in the response's unit, NaN where it says nothing
    seconds : of processor, over all folds
    error : why it says nothing, or ""
    """

    name: str
    predicted: FloatArray
    seconds: float
    error: str = ""


def rivals(seed: int, plan: FoldPlan) -> Mapping[str, Learn]:
    """Return what stands beside the model, by name: given the trials to learn from, what it says of others."""
    recipe = make_recipe(READABLE).asking(plan)

    def readable(train: Frame) -> Predict:
        model = recipe.fit(train)
        return lambda test: held_out(model, test).predicted

    return {CONSTANT: _constant, STOCK: lambda train: _stock(train, seed), READABLE: readable}


def _constant(train: Frame) -> Predict:
    """Return the median of the trained responses, of their ratios to the host's where there is one."""
    if scale_of(train) != LOG_RATIO:
        middle = float(np.median(train.y))
        return lambda test: np.full(len(test), middle)
    ratio = float(np.median(train.y / _reference(train)))
    return lambda test: ratio * _reference(test)


def _stock(train: Frame, seed: int) -> Predict:
    """Return scikit-learn's ExtraTreesRegressor() on metrics and response (or ratio to the host's) as they are."""
    scale = RATIO if scale_of(train) == LOG_RATIO else RAW
    pipeline = Pipeline((), ExtraTrees(trees=100, seed=seed), response_scale=scale, extrapolation=FLAG)
    model = pipeline.fit(train, Provenance(STOCK, {}, seed, "", "", len(train)))
    return lambda test: held_out(model, test).predicted


def _reference(frame: Frame) -> FloatArray:
    found = frame.reference_values
    assert found is not None  # asked for only where there is a host
    return found


def contender(name: str, fit: Learn, frame: Frame, folds: Sequence[Fold]) -> Contender:
    """Return what a rival says of each fold after learning from the others."""
    started, found = time.process_time(), np.full(len(frame), np.nan)
    try:
        for fold in folds:
            found[fold.test] = fit(without(frame, fold))(frame.take(fold.test))
    except FitError as error:
        return Contender(name, np.full(len(frame), np.nan), time.process_time() - started, str(error))
    return Contender(name, found, time.process_time() - started)
