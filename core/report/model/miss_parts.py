"""A group's error as a sum: of its nearest trained trials, what the model moves from these, and what was measured."""

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import PredictError
from core.models.base import Piece
from core.pipeline import FittedPipeline
from core.report.model.shares import plainly
from core.report.model.why import Why, why
from core.report.shared.naming import component_titles

FACTOR, RELATIVE, ABSOLUTE = "factor", "relative", "absolute"
NEIGHBOURS, MOST_SPLIT = 5, 24
"""Trained trials that each trial is held against; trials of a group that are taken apart, evenly chosen of more."""


class Driver(Frozen):
    """What a metric or a term has to do with a miss, from the nearest trained trials to the group's.

    Attributes
    ----------
    push : mean contribution away from what was measured, below 0 where it goes towards it
    move : mean contribution with its own sign, above 0 where it raises the prediction
    standard_error : of the push, 0 where contributions are exact
    """

    name: str
    push: float
    move: float
    standard_error: float = 0.0


class Split(Frozen):
    """An error in parts, in units of its measure: near + Σ metrics' pushes + held + measured = error.

    Attributes
    ----------
    error : mean size of the miss over the trials that were taken apart
    near : what the model already misses of the nearest trained trials
    held : what it holds back at the edge of the trained responses
    measured : what the measurement moves from the nearest trained trials, where the model does not
    n : trials that were taken apart
    model_move, measured_move : mean moves with their signs, of the prediction and of the measurement
    measured_size : mean size of the measurement's move
    metrics, terms : what drives the miss, the largest push first; terms where the model is a sum of them
    exact : whether contributions are
    """

    error: float
    near: float
    held: float
    measured: float
    n: int
    model_move: float
    measured_move: float
    measured_size: float
    metrics: tuple[Driver, ...]
    terms: tuple[Driver, ...]
    exact: bool

    @property
    def pushed(self) -> float:
        """What the model's own move adds to the error, with what it holds back."""
        return self.error - self.near - self.measured


class _One(Frozen):
    """A trial beside its nearest trained ones, on the model's scale, times its weight."""

    found: Why
    terms: dict[str, float]
    near: float
    moved: float
    missed: float
    weight: float


def on_scale(model: FittedPipeline, y: FloatArray, X: FloatArray) -> FloatArray:
    """Return responses of rows on the scale that contributions have."""
    return model.scale.plain.of(None).forward(y) if plainly(model) else model.forward(y, X)


def errors_of(y: FloatArray, predicted: FloatArray, measure: str) -> FloatArray:
    """Return the error of each trial with its sign, above 0 where the prediction is high; NaN where refused."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if measure == FACTOR:
            return np.asarray(np.log(predicted / y))
        return np.asarray(predicted / y - 1 if measure == RELATIVE else predicted - y)


def split(
    model: FittedPipeline,
    measure: str,
    X: FloatArray,
    y: FloatArray,
    trained: FloatArray,
    y_trained: FloatArray,
    near: IntArray,
) -> Split | None:
    """Return the mean error of trials in parts; None where no trial has a prediction and shares.

    Parameters
    ----------
    X, y : the trials, arrays of shape (n, n_metrics) and (n,)
    trained, y_trained : what the model learnt from and predicts
    near : array of shape (n, k), places of each trial's nearest trained ones
    """
    found = [_one(model, X[i], y[i : i + 1], trained[near[i]], y_trained[near[i]], measure) for i in range(len(X))]
    ones = [one for one in found if one is not None]
    return _summed(model, ones) if ones else None


def _one(
    model: FittedPipeline, x: FloatArray, y: FloatArray, rows: FloatArray, measured: FloatArray, measure: str
) -> _One | None:
    try:
        found = why(model, x, rows, "the nearest trained trials")
    except PredictError:
        return None
    z, beside = float(on_scale(model, y, x[None])[0]), float(on_scale(model, measured, rows).mean())
    weight = 1 / z if measure == RELATIVE else 1.0
    return _One(found, _terms(model, x, rows), found.base - beside, z - beside, found.prediction - z, weight)


def _summed(model: FittedPipeline, ones: list[_One]) -> Split:
    weight = np.array([one.weight for one in ones])
    missed = weight * np.array([one.missed for one in ones])
    sign = np.where(missed < 0, -1.0, 1.0)
    near, moved, held = (
        weight * np.array(v) for v in zip(*((one.near, one.moved, one.found.held) for one in ones), strict=True)
    )
    moves = weight[:, None] * np.array([one.found.contributions for one in ones])
    errors = weight[:, None] * np.array([one.found.errors for one in ones])
    told = {
        name: np.array([w * one.terms.get(name, 0.0) for w, one in zip(weight, ones, strict=True)])
        for name in dict.fromkeys(name for one in ones for name in one.terms)
    }
    names = [str(m.name) for m in model.metrics]
    spread = np.sqrt((errors**2).sum(axis=0)) / len(ones)
    return Split(
        error=float(np.abs(missed).mean()),
        near=float((sign * near).mean()),
        held=float((sign * held).mean()),
        measured=float(-(sign * moved).mean()),
        n=len(ones),
        model_move=float((moves.sum(axis=1) + held).mean()),
        measured_move=float(moved.mean()),
        measured_size=float(np.abs(moved).mean()),
        metrics=_drivers(names, sign, moves, spread),
        terms=_drivers(list(told), sign, np.array(list(told.values())).T, np.zeros(len(told))) if told else (),
        exact=not errors.any(),
    )


def _drivers(names: list[str], sign: FloatArray, moves: FloatArray, errors: FloatArray) -> tuple[Driver, ...]:
    """Return what pushes, the largest push first, of moves of shape (n_trials, n_names)."""
    pushes, mean = (sign[:, None] * moves).mean(axis=0), moves.mean(axis=0)
    order = [int(j) for j in np.argsort(-pushes, kind="stable") if moves[:, j].any()]
    return tuple(Driver(names[j], float(pushes[j]), float(mean[j]), float(errors[j])) for j in order)


def _terms(model: FittedPipeline, x: FloatArray, rows: FloatArray) -> dict[str, float]:
    """Return what each term moves from the mean of rows to a row; nothing where the model is no sum of named terms."""
    at, around = model.scores(x[None]), model.scores(rows)
    member = model.clusters[int(model.assign(at)[0])].model
    parts = member.parts()
    if parts is None or parts.trees or model.scale.relative or not plainly(model):
        return {}
    titles = component_titles(model.features, model.names, model.loadings)
    scale = model.scale.power if model.scale.log else model.scale.factor
    found: dict[str, float] = {}
    for name, one in zip(member.piece_names(titles), parts.pieces, strict=True):
        found[name] = found.get(name, 0.0) + scale * _moved(one, at, around)
    return found


def _moved(one: Piece, at: FloatArray, around: FloatArray) -> float:
    own = list(one.columns)
    return float(one.of(at[:, own])[0] - one.of(around[:, own]).mean())
