"""The share of each metric in a prediction: exact by the model's own parts where it is a sum of them, else sampled."""

import math

import numpy as np

from core.blend import MEAN, BlendModel
from core.codec import FloatArray, Frozen
from core.models.base import Model, Parts
from core.models.parts.shapley import Function, by_permutations, of_few, of_trees
from core.passes.pca import FittedPCA
from core.passes.rotations import FittedVarimax
from core.passes.scales import FittedLog, FittedStandardize
from core.pipeline import FittedPipeline

FEW = 7
"""Metrics up to which all sets of them are asked."""
MOST_ASKED = 10_000
"""Rows that a model is asked for by permutations."""
_ALONE = (FittedLog, FittedStandardize)
_LINEAR = (FittedPCA, FittedVarimax, FittedStandardize)


class Sum(Frozen):
    """A function as base + Σ contributions at a row, with standard errors."""

    base: float
    contributions: FloatArray
    errors: FloatArray

    def times(self, factor: float) -> "Sum":
        """Return the function times a number."""
        return Sum(factor * self.base, factor * self.contributions, abs(factor) * self.errors)


def sampled(model: FittedPipeline) -> int:
    """Return of how many models contributions are sampled where there are many metrics; 0 if all are exact."""
    alone = all(isinstance(one, _ALONE) for one in model.passes)
    every = [own.model for own in model.clusters]
    if alone and isinstance(every[0], BlendModel):
        return sum(sampled(member) for member in every[0].members)
    return int(not all((alone and one.parts() is not None) or _adds_up(model, one) for one in every))


def _adds_up(model: FittedPipeline, member: Model) -> bool:
    """Whether a model is a sum of functions of single metrics, whatever its components."""
    return member.linear and all(isinstance(one, (*_ALONE, *_LINEAR)) for one in model.passes)


def plainly(model: FittedPipeline) -> bool:
    """Whether the response, or its logarithm, is the model's own scale but for a factor and a summand."""
    return model.scale.log or (not model.scale.relative and model.scale.power == 1)


def contributions(model: FittedPipeline, row: FloatArray, rows: FloatArray, most: int = MOST_ASKED) -> Sum:
    """Return the contributions to the response, or to its logarithm where the model is of that.

    Parameters
    ----------
    most : rows that it is asked for where they are sampled
    """
    own, scale = own_scale(model, row, rows, most), model.scale
    if not scale.log:
        return own.times(scale.factor)
    moved = own.times(scale.power)
    base, added = moved.base + math.log(scale.factor), moved.contributions
    if scale.relative and model.reference is not None:
        level = float(np.log(rows[:, model.reference]).mean())
        added = added.copy()
        added[model.reference] += scale.power * (math.log(row[model.reference]) - level)
        base += scale.power * level
    return Sum(base, added, moved.errors)


def own_scale(model: FittedPipeline, row: FloatArray, rows: FloatArray, most: int = MOST_ASKED) -> Sum:
    """Return the contributions on the model's own scale, by the model of the row's cluster, without its bounds.

    Where predictions go on beyond the trained range they are twice those at the edge less those as far inside.
    """
    if ((edge := model.edge(row[None])[0]) != row).any():
        there = own_scale(model, edge, rows, most)
        back = own_scale(model, model.domain.mirrored(row[None], edge[None])[0], rows, most)
        return Sum(there.base, 2 * there.contributions - back.contributions, 2 * there.errors + back.errors)
    member = model.clusters[int(model.assign(model.scores(row[None]))[0])].model

    if not all(isinstance(one, _ALONE) for one in model.passes):

        def f(X: FloatArray) -> FloatArray:
            return member.predict(model.scores(X))

        return _one_by_one(f, row, rows) if _adds_up(model, member) else _of_any(f, row, rows, most)
    x, B = model.scores(row[None])[0], model.scores(rows)  # each of one metric: the shares are those of the scores
    blended = _blended(member, x, B, most // max(sampled(model), 1)) if isinstance(member, BlendModel) else None
    return blended or _alone(member, x, B, most)


def _alone(member: Model, x: FloatArray, B: FloatArray, most: int) -> Sum:
    """Return the contributions of columns to a model of them: by its own way, its parts, or any function's."""
    found = member.shares(x, B)
    if found is None:
        parts = member.parts()
        if parts is None:
            return _of_any(member.predict, x, B, most)
        found = _of_parts(parts, x, B)
    return Sum(float(member.predict(B).mean()), found, np.zeros(len(x)))


def _of_parts(parts: Parts, x: FloatArray, B: FloatArray) -> FloatArray:
    """Return the exact contributions to a sum of functions of few columns and of trees."""
    found = np.zeros(len(x))
    for one in parts.pieces:
        own = list(one.columns)
        np.add.at(found, own, of_few(one.of, x[own], B[:, own]))
    for trees in parts.trees:
        found += of_trees(trees, x, B)
    return found


def _one_by_one(f: Function, row: FloatArray, rows: FloatArray) -> Sum:
    """Return the exact contributions to a sum of functions of single metrics: what each moves by itself."""
    base, found = f(rows), np.zeros(len(row))
    for j in range(len(row)):
        moved = rows.copy()
        moved[:, j] = row[j]
        found[j] = float((f(moved) - base).mean())
    return Sum(float(base.mean()), found, np.zeros(len(row)))


def _of_any(f: Function, row: FloatArray, rows: FloatArray, most: int) -> Sum:
    """Return the contributions to any function: by all sets of metrics that differ if they are few, else sampled."""
    differ = np.flatnonzero((rows != row).any(axis=0))
    found, errors = np.zeros(len(row)), np.zeros(len(row))

    def inner(X: FloatArray) -> FloatArray:
        wide = np.tile(row, (len(X), 1))
        wide[:, differ] = X
        return f(wide)

    if len(differ) <= FEW:
        found[differ] = of_few(inner, row[differ], rows[:, differ])
    else:
        found[differ], errors[differ] = by_permutations(inner, row[differ], rows[:, differ], most)
    return Sum(float(f(rows).mean()), found, errors)


def _blended(blend: BlendModel, row: FloatArray, rows: FloatArray, most: int) -> Sum | None:
    """Return the weighted sum of the members' contributions; None where a blend is no weighted sum of them."""
    linear = all(plainly(m) and m.scale.log == blend.log for m in blend.members)
    every = np.vstack([row, rows])
    said = [m.predict_scaled(every[:, own]) for m, own in zip(blend.members, blend.columns, strict=True)]
    if not linear or not np.isfinite(said).all() or (blend.log and blend.how != MEAN):
        return None
    weights = blend.weights / (blend.weights.sum() if blend.how == MEAN else 1.0)
    base, found, variance = 0.0, np.zeros(len(row)), np.zeros(len(row))
    for member, own, weight in zip(blend.members, blend.columns, weights.tolist(), strict=True):
        one = contributions(member, row[own], rows[:, own], most).times(weight)
        base += one.base
        found[own] += one.contributions
        variance[own] += one.errors**2
    return Sum(base, found, np.sqrt(variance))
