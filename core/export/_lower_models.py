"""Lower fitted models to plain operations, one function per kind of model."""

from functools import singledispatch

import numpy as np

from core.codec import FloatArray
from core.export._program import Additive, Curves, Function, Kernels, Levels, Linear, Node, Roof, Surfaces, Terms, Trees
from core.models.anova import AnovaModel
from core.models.base import Model
from core.models.forest import TrendedModel
from core.models.gradient_boosting import GradientBoostingModel
from core.models.kernels import GaussianProcessModel, SupportVectorsModel
from core.models.parts.anova import Scaled, Shape
from core.models.parts.linear import LinearModel, SumModel
from core.models.parts.matern import BENDS
from core.models.parts.pool import Factor, basis_of
from core.models.parts.spline import Axis
from core.models.parts.trees import TreesModel
from core.models.ridge import RidgeModel
from core.models.roofline import ONE, RooflineModel
from core.models.splines import SplinesModel


def lowered(model: Model) -> Node | None:
    """Return the operations of a fitted model; None if nothing here predicts as it does."""
    known = lower_model.registry.get(model.predicts_as)
    return known(model) if known else None


@singledispatch
def lower_model(model: Model) -> Node | None:
    """Return the operations of a model of a known class, or None."""
    return None


@lower_model.register
def _(model: LinearModel) -> Node:
    return Linear(model.intercept, model.columns, np.full(len(model.columns), -1), model.coefficients)


@lower_model.register
def _(model: RidgeModel) -> Node:
    return Linear(model.intercept, model.first, model.second, model.coefficients)


@lower_model.register
def _(model: SumModel) -> Node:
    terms = tuple(tuple(_function(f) for f in term.factors) for term in model.chosen)
    return Terms(model.intercept, model.coefficients, terms)


def _function(factor: Factor) -> Function:
    basis = basis_of(factor.function)
    name, exponent = factor.function.partition(":")[0], getattr(basis, "exponent", 1.0)
    place = factor.variable, factor.low, factor.width, factor.shift, factor.floor
    return Function(name, exponent, basis.expression, *place)


@lower_model.register
def _(model: SplinesModel) -> Node:
    used = sorted({a for term in model.chosen for a in term.axes})
    curves = tuple(_curves(model.axes[a]) for a in used)
    terms = tuple(
        (tuple(used.index(a) for a in t.axes), t.coefficients.reshape([model.axes[a].width for a in t.axes]))
        for t in model.chosen
    )
    return Surfaces(model.intercept, curves, terms)


def _curves(axis: Axis) -> Curves:
    """Return the cardinal splines of an axis as polynomials: straight lines outside, cubics between two knots."""
    t, h = axis.knots, np.diff(axis.knots)
    n = len(t)
    bend, unit = axis.bend(), np.eye(n)
    powers = np.zeros((n + 1, n, 4))
    start = (unit[1] - unit[0]) / h[0] - h[0] / 6 * bend[1]
    end = (unit[-1] - unit[-2]) / h[-1] + h[-1] / 6 * bend[-2]
    powers[0, :, 0], powers[0, :, 1] = unit[0], start * h[0]
    powers[n, :, 0], powers[n, :, 1] = unit[-1], end * h[-1]
    for i in range(n - 1):
        sixth = h[i] ** 2 / 6
        powers[i + 1, :, 0] = unit[i]
        powers[i + 1, :, 1] = unit[i + 1] - unit[i] - sixth * (2 * bend[i] + bend[i + 1])
        powers[i + 1, :, 2] = 3 * sixth * bend[i]
        powers[i + 1, :, 3] = sixth * (bend[i + 1] - bend[i])
    origin = np.concatenate([t[:1], t])
    return Curves(axis.column, axis.log, t, origin, 1 / np.concatenate([h[:1], h, h[-1:]]), powers[:, 1:])


@lower_model.register
def _(model: AnovaModel) -> Node:
    axes = tuple(_levels(a, s) for a, s in zip(model.axes, model.shapes, strict=True))
    return Additive(model.constant, model.scale, model.interaction**2, axes, model.codes, model.weights)


def _levels(axis: Scaled, shape: Shape) -> Levels:
    own = np.log2(axis.levels) if axis.log else axis.levels
    places = axis.positions(axis.levels)
    table = shape.table(places, places)
    place = axis.column, axis.log, float(own[0]), float(own[-1] - own[0])
    return Levels(*place, shape.length, shape.rough, shape.size, places, table.mean(axis=0) / table.mean())


@lower_model.register
def _(model: TreesModel) -> Node:
    return _trees(model, baseline=0.0, mean=True, single=True)


@lower_model.register
def _(model: GradientBoostingModel) -> Node:
    return _trees(model, baseline=model.baseline, mean=False, single=False)


def _trees(model: TreesModel, *, baseline: float, mean: bool, single: bool) -> Trees:
    nodes = (getattr(model, name) for name in ("roots", "feature", "threshold", "left", "right", "value"))
    return Trees(baseline, mean, single, *nodes)


@lower_model.register
def _(model: SupportVectorsModel) -> Node:
    width = model.points.shape[1]
    none: FloatArray = np.zeros(width)
    return Kernels(model.level, None, model.gamma, none, np.ones(width), model.points, model.weights)


@lower_model.register
def _(model: GaussianProcessModel) -> Node:
    divisor, points = model.span * model.lengths, model.points / model.lengths
    weights = model.scale * model.size * model.weights
    return Kernels(model.constant, BENDS[model.order], 2 * model.order, model.low, divisor, points, weights)


@lower_model.register
def _(model: RooflineModel) -> Node:
    trees = _trees(model.trees, baseline=model.trees.baseline, mean=False, single=False)
    return Roof(
        model.work, model.capacity, model.weights, model.factor, model.columns, model.first, model.second, trees
    )


@lower_model.register
def _(model: TrendedModel) -> Node:
    one, none = np.array([ONE]), np.zeros(0, dtype=np.int64)
    work, weights = np.concatenate([one, model.columns]), np.concatenate([[model.level], model.slopes])
    trees = _trees(model.trees, baseline=0.0, mean=True, single=True)
    columns = np.arange(len(model.trees.importance), dtype=np.int64)
    return Roof(work, np.full(len(work), ONE, dtype=np.int64), weights, False, columns, none, none, trees)
