"""The models of a program on arrays of rows with NumPy; exported models of Python hold this text too."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

from typing import Any

import numpy as np

Array = Any


def _axis_of(axis: dict[str, Any], X: Array) -> Array:
    v = X[:, axis["column"]]
    return np.log2(np.where(v > 0, v, np.nan)) if axis["log"] else v


def squares_of(node: dict[str, Any], X: Array) -> Array:
    return (X - np.array(node["offset"])) / np.array(node["divisor"])


def _linear_of(node: dict[str, Any], X: Array) -> Array:
    second = np.array(node["second"], dtype=int)
    columns = X[:, np.array(node["first"], dtype=int)]
    columns[:, second >= 0] *= X[:, second[second >= 0]]
    return node["constant"] + columns @ np.array(node["coefficients"])


def _terms_of(node: dict[str, Any], X: Array) -> Array:
    value = np.full(len(X), node["constant"])
    for coefficient, term in zip(node["coefficients"], node["terms"]):
        product = np.ones(len(X))
        for f in term:
            product = product * _function_of(f, X)
        value = value + coefficient * product
    return value


def _function_of(f: dict[str, Any], X: Array) -> Array:
    u = X[:, f["column"]]
    if (f["low"], f["width"], f["shift"]) != (0, 1, 0):
        u = (u - f["low"]) / f["width"] + f["shift"]
    if f["floor"] is not None:
        u = np.where(u >= f["floor"], u, np.nan)
    return ARRAY_FUNCTIONS[f["name"]](u, f["exponent"])


def _eiger_powers(u: Array, n: float) -> Array:
    value = np.abs(u) ** n
    return np.where(u == 0, 1.0, np.where(np.isinf(value), 0.0, value))


ARRAY_FUNCTIONS: dict[str, Any] = {
    "power": lambda u, n: np.sqrt(u) if n == 0.5 else u**n,
    "log2": lambda u, n: np.log2(u),
    "asinh": lambda u, n: np.arcsinh(u),
    "above": lambda u, n: np.maximum(u, 0.0),
    "log2_above": lambda u, n: np.log2(np.maximum(u, 1.0)),
    "signed_power": lambda u, n: np.copysign(np.sqrt(np.abs(u)) if n == 0.5 else np.abs(u) ** n, u),
    "eiger_power": _eiger_powers,
    "eiger_log": lambda u, n: np.where(u == 0, 1.0, np.log2(np.abs(u))),
    "eiger_sqrt": lambda u, n: np.sqrt(np.abs(u)),
    "eiger_reciprocal": lambda u, n: np.where(u == 0, np.nan, 1 / u),
}


def _surfaces_of(node: dict[str, Any], X: Array) -> Array:
    columns = [_curves_of(axis, _axis_of(axis, X)) for axis in node["axes"]]
    value = np.full(len(X), node["constant"])
    for axes, coefficients in node["terms"]:
        found = columns[axes[0]] @ np.array(coefficients).reshape(len(coefficients), -1)
        shape = np.shape(coefficients)[1:]
        for a in axes[1:]:
            found = (columns[a][:, :, None] * found.reshape(len(X), shape[0], -1)).sum(axis=1)
            shape = shape[1:]
        value = value + found[:, 0]
    return value


def _curves_of(axis: dict[str, Any], t: Array) -> Array:
    piece = np.searchsorted(axis["breaks"], t, side="right")
    b = ((t - np.array(axis["origin"])[piece]) * np.array(axis["inverse"])[piece])[:, None]
    p = np.array(axis["powers"])[piece]
    return p[..., 0] + b * (p[..., 1] + b * (p[..., 2] + b * p[..., 3]))


def _additive_of(node: dict[str, Any], X: Array) -> Array:
    codes = np.array(node["codes"])
    first, squares = 0.0, 0.0
    for a, axis in enumerate(node["axes"]):
        k = _levels_of(axis, _axis_of(axis, X))[:, codes[:, a]]
        first, squares = first + k, squares + k * k
    pairs = node["pairs"] * (first * first - squares) / 2
    return node["constant"] + node["scale"] * ((first + pairs) @ np.array(node["weights"]))


def _levels_of(axis: dict[str, Any], t: Array) -> Array:
    distance = ((t - axis["low"]) / axis["span"])[:, None] - np.array(axis["places"])
    smooth = np.exp(-0.5 * (distance / axis["length"]) ** 2)
    own = (1 - axis["rough"]) * smooth + axis["rough"] * (np.abs(distance) < 1e-9)
    return axis["size"] ** 2 * (own - own.mean(axis=1)[:, None] * np.array(axis["share"]))


def _trees_of(node: dict[str, Any], X: Array) -> Array:
    feature, left, right = (np.array(node[k], dtype=int) for k in ("feature", "left", "right"))
    threshold, values = np.array(node["threshold"]), np.array(node["value"])
    columns, rows = X.astype(np.float32) if node["single"] else X, np.arange(len(X))
    total = np.full(len(X), node["baseline"])
    for root in node["roots"]:
        at = np.full(len(X), root)
        while (feature[at] >= 0).any():
            below = columns[rows, np.maximum(feature[at], 0)] <= threshold[at]
            at = np.where(feature[at] < 0, at, np.where(below, left[at], right[at]))
        total = total + values[at]
    return total / len(node["roots"]) if node["mean"] else total


def _kernels_of(node: dict[str, Any], X: Array) -> Array:
    Z, points = squares_of(node, X), np.array(node["points"])
    s = np.zeros((len(X), len(points)))
    for j in range(points.shape[1]):
        s += (Z[:, j, None] - points[:, j]) ** 2
    s *= node["rate"]
    k = np.exp(-s) if node["bend"] is None else _departures(np.sqrt(s), node["bend"])
    return node["constant"] + k @ np.array(node["weights"])


def _departures(r: Array, bend: float) -> Array:
    """Return (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    rest = 1.0
    near = np.minimum(r, 1.0)
    for k in range(18, 3, -1):
        rest = 1 + rest * near * (1 / k)
    series = -np.exp(-near) * (near * near * (0.5 - bend) + near * near * near / 6 * rest)
    return np.where(r < 1, series, (1 + r + r * r * bend) * np.exp(-r) - 1)


def _roof_of(node: dict[str, Any], X: Array) -> Array:
    one = np.column_stack([X, np.ones(len(X))])  # column -1
    roof = (one[:, np.array(node["work"])] / one[:, np.array(node["capacity"])]) @ np.array(node["weights"])
    good = np.isfinite(roof) & ((roof > 0) | (not node["factor"]))
    roof = np.where(good, roof, 1.0)
    first, second = (np.array(node[k], dtype=int) for k in ("first", "second"))
    ratios = np.nan_to_num(np.log1p(X[:, first]) - np.log1p(X[:, second]), nan=0.0)
    own = X[:, np.array(node["columns"], dtype=int)]
    rest = _trees_of(node["trees"], np.column_stack([own, np.log(roof) if node["factor"] else roof, ratios]))
    return np.where(good, roof * np.exp(rest) if node["factor"] else roof + rest, np.nan)


ARRAY_NODES = {
    "linear": _linear_of, "terms": _terms_of, "surfaces": _surfaces_of, "additive": _additive_of,
    "trees": _trees_of, "kernels": _kernels_of, "roof": _roof_of,
}  # fmt: skip
