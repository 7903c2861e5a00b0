"""Choose among recipes on folds inside the training trials, as honest as the folds outside, by either of two errors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.grouped import all_but
from core.pipeline import FittedPipeline
from core.progress import Progress, in_turn, part, silent
from core.recipes.base import Recipe, remembering
from core.trial import Frame
from core.validate.calibration import PLAIN
from core.validate.crossval import cross_validate, held_out
from core.validate.folds import Fold, FoldPlan, hashed, held_out_together

LEAST_FOLDS, MOST_FOLDS = 2, 8
MOST_OFF = 3.0
"""A relative error beyond which the percentage counts no more; the logarithm does."""
BEHIND, GIVEN_UP = 1.1, 1.5
"""How many times the error of the best, and of a rival, one may have on the first half of the inner folds."""

Known = dict[tuple[str, bytes], FloatArray]
"""What recipes say of trials after learning from all others, by the recipe's name and the numbers of the trials."""
Outside = tuple[Frame, IntArray, Known] | None
"""Where a fold is held out outside: all trials, numbers of those that are left, and what is known.

Each fit is asked for all that it did not learn from. Without another fold outside it is wanted again, where what is
held out inside and outside change places.
"""


class Tried(Frozen):
    """A recipe on inner folds.

    Attributes
    ----------
    predicted : array of shape (n_trials,), out-of-fold, in the response's unit; NaN where refused, or where
        the recipe was given up before
    error : see `inner_error`; infinite if the recipe cannot be fitted
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
    order = sorted(set(values), key=lambda v: hashed(v, seed))
    place = {value: i % n for i, value in enumerate(order)}
    fold_of_row = np.array([place[v] for v in values])
    return tuple(Fold(f"inner fold {i + 1}", np.flatnonzero(fold_of_row == i)) for i in range(n))


def inner_error(y: FloatArray, predicted: FloatArray) -> float:
    """Return the mean of `trial_errors`; infinite if all are refused."""
    return float(trial_errors(y, predicted).mean()) if np.isfinite(predicted).any() else float("inf")


def trial_errors(y: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return each trial's error: 100 · (½ |ln(predicted / y)| + ½ min(|predicted / y - 1|, 3)).

    The percentage alone rewards predictions that are low, the logarithm alone forgives those that are a few times
    too large. Where a response is not positive it is |predicted - y|. A refused prediction, and one that is not
    positive, counts as the largest of all, and as at least 100.
    """
    positive = bool(y.min() > 0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = predicted / y
        off = np.minimum(np.abs(ratio - 1), MOST_OFF)
        size = 50 * (np.abs(np.log(ratio)) + off) if positive else np.abs(predicted - y)
    known = np.isfinite(size)
    worst = max(float(size[known].max(initial=0.0)), 100.0 if positive else 0.0)
    return np.where(known, size, worst)


def best_of(
    recipes: Mapping[str, Recipe],
    frame: Frame,
    folds: Sequence[Fold],
    progress: Progress = silent,
    rival: FloatArray | None = None,
    outside: Outside = None,
) -> tuple[str, Mapping[str, Tried]]:
    """Return the name of the recipe of smallest inner error, and what all of them did.

    After half of the folds (at least two) those go on that are near the best of them and near the rival (Jamieson
    and Talwalkar 2016, Non-stochastic best arm identification). The error of one that was given up is the best's,
    or the rival's, times how far it was behind on the folds that it had; plus its own there, where theirs was 0.

    Parameters
    ----------
    rival : array of shape (n_trials,), out-of-fold predictions of another entry for the same trials; without it
        recipes are given up for each other alone
    outside : of which the frame is the trials that are left

    Raises
    ------
    FitError
        If none can be fitted, with the first one's reason.
    """
    half = max(LEAST_FOLDS, (len(folds) + 1) // 2)
    first = said_by(recipes, frame, folds[:half], part(progress, 0.0, half / len(folds)), outside)
    best = _least(first)
    if half == len(folds):
        return best, first
    held = np.concatenate([fold.test for fold in folds[:half]])
    bar, goal = (np.inf, np.inf) if rival is None else [inner_error(frame.y[r], rival[r]) for r in (held, slice(None))]
    most = min(BEHIND * first[best].error, GIVEN_UP * bar)
    near = {name: r for name, r in recipes.items() if first[name].error <= most}
    rest = said_by(near, frame, folds[half:], part(progress, half / len(folds), 1.0), outside)
    found = {name: _whole(frame.y, first[name], rest[name]) for name in near}
    if near:
        bar, goal = first[best].error, found[best].error
    for name in recipes.keys() - near.keys():
        own = first[name].error
        found[name] = replace(first[name], error=own / bar * goal if bar else own + goal)
    ordered = {name: found[name] for name in recipes}
    return _least(ordered), ordered


def said_by(
    recipes: Mapping[str, Recipe], frame: Frame, folds: Sequence[Fold], progress: Progress = silent, own: Outside = None
) -> dict[str, Tried]:
    """Return what recipes say of inner folds after learning from all other trials of each, prepared once for all."""
    whole, left, known = own or (frame, np.arange(len(frame)), {})
    said, why = {name: np.full(len(frame), np.nan) for name in recipes}, dict[str, str]()
    for i, (turn, fold) in enumerate(in_turn(progress, folds)):
        rest, prepare = np.delete(left, fold.test), remembering()
        held = all_but(len(whole), rest)
        train, test, mine = whole.take(rest), whole.take(held), np.searchsorted(held, left[fold.test])
        for share, (name, recipe) in in_turn(turn, recipes.items()):
            share(0.0, f"{recipe.name}, inner fold {i + 1} of {len(folds)}")
            key = name, held.tobytes()
            if name not in why:
                try:
                    if key not in known:
                        known[key] = held_out(recipe.fit(train, share, prepare), test).predicted
                    said[name][fold.test] = known[key][mine]
                except FitError as error:
                    why[name] = str(error)
    asked = np.concatenate([fold.test for fold in folds])
    errors = {name: np.inf if name in why else inner_error(frame.y[asked], p[asked]) for name, p in said.items()}
    return {name: Tried(said[name], errors[name], why.get(name, "")) for name in recipes}


def _whole(y: FloatArray, first: Tried, rest: Tried) -> Tried:
    """Return both parts of the folds as one."""
    if not np.isfinite(rest.error):
        return rest
    predicted = np.where(np.isfinite(first.predicted), first.predicted, rest.predicted)
    return Tried(predicted, inner_error(y, predicted))


def _least(found: Mapping[str, Tried]) -> str:
    best = min(found, key=lambda name: found[name].error)
    if not np.isfinite(found[best].error):
        raise FitError(found[best].why or "No prediction of the inner folds is finite.")
    return best


def smallest_squared_error(
    recipe: Recipe, entries: Mapping[str, Recipe], frame: Frame, progress: Progress, noun: str = "pools"
) -> FittedPipeline:
    """Fit the entry of smallest squared error as the recipe that has them, with a note of every entry's error.

    The error is the mean squared residual on the model's own scale over 5 random folds of
    configurations; a refused prediction counts like the largest residual of that entry.
    """
    shares = in_turn(part(progress, 0.0, 0.9), entries.items())
    errors = {name: _squared_error(entry, frame, share) for share, (name, entry) in shares}
    winner = min(errors, key=lambda name: errors[name])
    if not np.isfinite(errors[winner]):
        raise FitError(f"None of the {noun} {', '.join(entries)} can be cross-validated on {len(frame)} trials.")
    shown = ", ".join(f"{name} {error:.4g}" for name, error in errors.items())
    note = f"{noun} raced by cross-validated squared error: {shown}; {winner} is used"
    fitted = entries[winner].fit(frame, part(progress, 0.9, 1.0))
    return replace(fitted, notes=(*fitted.notes, note), provenance=recipe.provenance(frame))


def _squared_error(recipe: Recipe, frame: Frame, progress: Progress) -> float:
    folds = min(5, len(np.unique(frame.configuration)))
    try:
        residuals = cross_validate(recipe.fit, frame, FoldPlan("kfold", folds), 0, progress, PLAIN).residuals
    except FitError:
        return float("inf")
    known = np.isfinite(residuals)
    if not known.any():
        return float("inf")
    return float(np.mean(np.where(known, residuals, np.abs(residuals[known]).max()) ** 2))
