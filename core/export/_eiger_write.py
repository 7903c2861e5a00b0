"""A model in the terms of the original Eiger, and its text: weights and functions of metrics · rotation.

What is written is y = Σ weight · f(x), x = metrics · rotation, in the cluster whose centre is nearest to
(x - means) / deviations. There is no offset in it. A centre is folded into the weights where only a sum
is left of it; where a function needs one, the file takes one more metric that is always 1.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.codec import FloatArray
from core.export._eiger_sum import Code, Columns, Feature, NeedsOneError, Sum, features_of
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


_FUNCTIONS = {0: "identity", 1: "power", 2: "product", 3: "sqrt", 4: "log", 5: "quotient"}
_FIELDS = {
    1: ("index", "exponent"),
    2: ("first_idx", "second_idx"),
    3: ("index",),
    4: ("index",),
    5: ("first_idx", "second_idx"),
}


def text(model: EigerModel) -> str:
    """Return the text of versions 2 to 4."""
    lines = [str(len(model.names)), *model.names, _vector(model.means), _vector(model.deviations)]
    lines.append(_matrix(model.rotation))
    for i, (centre, terms) in enumerate(model.clusters):
        lines += [f"Model {i}", _vector(centre), _vector([w for w, _ in terms]), *(_code(c) for _, c in terms)]
    return "\n".join(lines) + "\n"


def text_1(model: EigerModel) -> str:
    """Return the text of version 1, whose names stand at its end."""
    (_, terms), *more = model.clusters
    if more:
        raise CannotSayError(f"it has {len(model.clusters)} clusters, and version 1 knows none. Use eiger")
    if any(code[0] == 5 for _, code in terms):
        raise CannotSayError("it divides one column by another, and version 1 divides 1 only. Use eiger")
    lines = ["Model 0", _matrix(model.rotation), _vector([w for w, _ in terms]), *(_code(c) for _, c in terms)]
    return "\n".join([*lines, *model.names]) + "\n"


def as_json(model: EigerModel) -> str:
    """Return the JSON of version 4."""
    clusters = [
        {"center": centre.tolist(), "regressors": [{**_fields(code), "weight": w} for w, code in terms]}
        for centre, terms in model.clusters
    ]
    plain = {
        "metric_names": list(model.names),
        "means": model.means.tolist(),
        "std_devs": model.deviations.tolist(),
        "rotation_matrix": model.rotation.tolist(),
        "clusters": clusters,
    }
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _fields(code: Code) -> dict[str, Any]:
    values = dict(zip(_FIELDS.get(int(code[0]), ()), code[1:], strict=False))
    return {"function": _FUNCTIONS[int(code[0])], **{k: _whole(v) for k, v in values.items()}}


def _code(code: Code) -> str:
    return " ".join(str(_whole(v)) for v in code)


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _vector(values: FloatArray | Sequence[float]) -> str:
    return f"[{len(values)}]{_tuple(values)}"


def _matrix(rows: FloatArray) -> str:
    n, p = rows.shape
    return f"[{n},{p}]({','.join(map(_tuple, rows))}{',' if n == 1 else ''})"


def _tuple(values: FloatArray | Sequence[float]) -> str:
    """Return numbers as a tuple of Python, a comma after one alone."""
    return f"({','.join(repr(float(v)) for v in values)}{',' if len(values) == 1 else ''})"
