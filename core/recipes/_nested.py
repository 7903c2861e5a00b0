"""Choose among recipes on folds inside the training trials, as honest as the folds outside."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import FitError
from core.progress import Progress, part, silent
from core.recipes.base import Recipe
from core.trial import Frame
from core.validate.crossval import held_out, without
from core.validate.folds import Fold, FoldPlan, held_out_together

LEAST_FOLDS, MOST_FOLDS = 2, 8


@dataclass(frozen=True)
class Tried:
    """A recipe on inner folds.

    Attributes
    ----------
    predicted : array of shape (n_trials,), out-of-fold, in the response's unit; NaN where refused
    error : mean absolute percentage error of these, or their root mean squared error where a
        response is not positive; infinite if the recipe cannot be fitted
    why : what stood in the way, or ""
    """

    predicted: FloatArray
    error: float
    why: str = ""


def inner_folds(frame: Frame, plan: FoldPlan, seed: int, most: int = MOST_FOLDS) -> tuple[Fold, ...]:
    """Return folds of training trials that ask the same question as the folds outside.

    Where a whole application (machine, …) is held out, whole ones are held out inside too, several at
    a time if there are more than `most`; else configurations are, at random.
    """
    values = held_out_together(frame, plan)
    n = min(most, len(set(values)))
    if n < LEAST_FOLDS:
        values = tuple(map(str, frame.configuration.tolist()))
        n = min(most, len(set(values)))
    if n < LEAST_FOLDS:
        raise FitError("Choosing inside the training trials needs at least 2 configurations, got 1.")
    order = sorted(set(values), key=lambda v: hashlib.sha256(f"{seed}\x1f{v}".encode()).digest())
    place = {value: i % n for i, value in enumerate(order)}
    fold_of_row = np.array([place[v] for v in values])
    return tuple(Fold(f"inner fold {i + 1}", np.flatnonzero(fold_of_row == i)) for i in range(n))


def tried(recipe: Recipe, frame: Frame, folds: Sequence[Fold], progress: Progress = silent) -> Tried:
    """Return what a recipe says of each inner fold after learning from the others."""
    predicted = np.full(len(frame), np.nan)
    for i, fold in enumerate(folds):
        share = part(progress, i / len(folds), (i + 1) / len(folds))
        share(0.0, f"{recipe.name}, inner fold {i + 1} of {len(folds)}")
        try:
            model = recipe.fit(without(frame, fold), share)
        except FitError as error:
            return Tried(predicted, float("inf"), str(error))
        predicted[fold.test] = held_out(model, frame.take(fold.test)).predicted
    return Tried(predicted, inner_error(frame.y, predicted))


def inner_error(y: FloatArray, predicted: FloatArray) -> float:
    """Return the mean absolute percentage error, a refused one as large as the largest and at least 100 %.

    Responses of which one is not positive give the root mean squared error.
    """
    if not np.isfinite(predicted).any():
        return float("inf")
    with np.errstate(over="ignore"):
        mean = float(trial_errors(y, predicted).mean())
    return mean if y.min() > 0 else float(np.sqrt(mean))


def trial_errors(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return each trial's absolute percentage error, or its squared error where a response is not positive.

    A refused one counts as the largest of all, and as at least 100 %.
    """
    known = np.isfinite(predicted)
    with np.errstate(over="ignore", invalid="ignore"):
        size = 100 * np.abs(predicted / y - 1) if y.min() > 0 else (predicted - y) ** 2
    worst = max(float(size[known].max(initial=0.0)), 100.0 if y.min() > 0 else 0.0)
    found: FloatArray = np.where(known, size, worst)
    return found


def best_of(
    recipes: Mapping[str, Recipe], frame: Frame, folds: Sequence[Fold], progress: Progress = silent
) -> tuple[str, Mapping[str, Tried]]:
    """Return the name of the recipe of smallest inner error, and what all of them did.

    Raises
    ------
    FitError
        If none can be fitted, with the first one's reason.
    """
    found: dict[str, Tried] = {}
    for i, (name, recipe) in enumerate(recipes.items()):
        found[name] = tried(recipe, frame, folds, part(progress, i / len(recipes), (i + 1) / len(recipes)))
    best = min(found, key=lambda name: found[name].error)
    if not np.isfinite(found[best].error):
        raise FitError(found[best].why or "No prediction of the inner folds is finite.")
    return best, found
