"""A model in the terms of the original Eiger: weights and functions of metrics · rotation, without a centre.

What is written is y = Σ weight · f(x), x = metrics · rotation, in the cluster whose centre is nearest to
(x - means) / deviations. There is no offset in it. A centre is folded into the weights where only a sum
is left of it; where a function needs one, the file takes one more metric that is always 1.
"""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.export._eiger_columns import Columns, Feature, NeedsOneError, features_of
from core.export._eiger_sum import Code, Sum
from core.export._lower import CannotSayError, lower
from core.export._program import Blend, Linear, Nearest, Program, Terms
from core.passes.kmeans import FittedKMeans
from core.pipeline import FittedPipeline

ONE = "constant_1"
"""The metric that is always 1, where a file needs one."""
FAR_AWAY = 1e150
"""A deviation that takes a column out of the distances to centres."""


@dataclass(frozen=True)
class EigerModel:
    """What a file of the original program holds.

    Attributes
    ----------
    rotation : array of shape (n_metrics, n_columns); the last metric is `constant_1` if `one`
    means, deviations : arrays of shape (n_columns,)
    clusters : per cluster its centre, and (weight, code) per term
    """

    names: tuple[str, ...]
    one: bool
    rotation: FloatArray
    means: FloatArray
    deviations: FloatArray
    clusters: tuple[tuple[FloatArray, tuple[tuple[float, Code], ...]], ...]


def eiger_model(model: FittedPipeline) -> EigerModel:
    """Return a model in these terms, with `constant_1` only if it cannot be said without.

    Raises
    ------
    CannotSayError
        If it cannot be said at all.
    """
    program = lower(model)
    _check(program)
    own = _own_distances(program, model)
    try:
        return _said(program, own, one=False)
    except NeedsOneError:
        return _said(program, own, one=True)


def _own_distances(program: Program, model: FittedPipeline) -> Nearest | None:
    """Return how clusters are found; with one cluster too where a file of this kind told it."""
    kept = model.partition if isinstance(model.partition, FittedKMeans) else None
    if program.nearest is None and kept is not None and all(f.affine and not f.offset for f in features_of(program)):
        return Nearest(kept.mean, kept.scale, kept.centres)
    return program.nearest


def _check(program: Program) -> None:
    """Raise CannotSayError for what no choice of columns can say."""
    if any(isinstance(node, Blend) for node in program.models):
        raise CannotSayError(
            "it is a blend of several models, and the format has one sum per cluster. Export a member that it can say"
        )
    if not all(isinstance(node, Linear | Terms) for node in program.models):
        raise CannotSayError(
            "its family is no sum of the format's functions (1, powers, products, logarithms). Train stepwise "
            "with the pool table1, quadratic or linear, or a linear family"
        )
    if program.log:
        raise CannotSayError(
            "its response is a logarithm, and the format's sum has no exponential. Train with response_scale=raw"
        )
    if program.power != 1:
        raise CannotSayError("its predictions are raised to a power, and the format's sum is not")
    bad = [m.name for m in program.metrics if not m.name.strip() or m.name != m.name.strip() or _breaks(m.name)]
    if bad:
        raise CannotSayError(f"the metric {bad[0]!r} is no line of text by itself")
    if ONE in [m.name for m in program.metrics]:
        raise CannotSayError(f"a metric is called {ONE}, which means something else in this format")
    first = program.metrics[0].name
    if first.startswith("Model") or first.startswith("["):
        raise CannotSayError(f"the metric {first!r} would be read as a part of the file")


def _breaks(name: str) -> bool:
    return len(name.splitlines()) != 1


def _said(program: Program, nearest: Nearest | None, *, one: bool) -> EigerModel:
    features = features_of(program)
    columns = Columns(program.n, one)
    means, deviations, centres = _distances(nearest, features, columns)
    positive = (program.reach.low > 0) & (not one)
    terms = [Sum(program, features, columns, positive).of(node) for node in program.models]
    if not columns.rows:  # a constant model: the format wants a column at least
        columns.place(np.eye(program.n)[0], 0.0)
    full = np.array(columns.rows)[:, : program.n + one].T
    padded = len(columns.rows) - len(means)
    names = tuple(m.name for m in program.metrics) + ((ONE,) if one else ())
    clusters = tuple(
        (np.concatenate([centre, np.zeros(padded)]), terms[k])
        for centre, k in zip(centres, program.model_of, strict=False)
    )
    means = np.concatenate([means, np.zeros(padded)])
    beyond = np.full(padded, FAR_AWAY if len(clusters) > 1 else 1.0)
    return EigerModel(names, one, full, means, np.concatenate([deviations, beyond]), clusters)


def _distances(
    nearest: Nearest | None, features: list[Feature], columns: Columns
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means and deviations of the columns that clusters are found by, and the centres."""
    if nearest is None:
        return np.zeros(0), np.zeros(0), np.zeros((1, 0))
    if not all(f.affine for f in features):
        raise CannotSayError("its clusters are of logarithms, and the format's are of rotated metrics. Use one cluster")
    for f in features:
        columns.place(f.weights, 0.0)
    if len(columns.rows) != len(features):
        raise CannotSayError("two of the columns that its clusters are found by are the same")
    offsets = np.array([f.offset for f in features])
    return nearest.offset - offsets, nearest.divisor, nearest.centres
