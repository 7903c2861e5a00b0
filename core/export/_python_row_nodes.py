"""The models of a program, row by row with the standard library alone; exported models of Python hold this text."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import math
import struct
from collections.abc import Sequence
from typing import Any


class Refused(Exception):
    """There is no prediction for a row."""


def _on_axis(axis: dict[str, Any], x: Sequence[float]) -> float:
    v = x[axis["column"]]
    if axis["log"] and not v > 0:
        raise Refused("a logarithm of a number that is not positive")
    return math.log2(v) if axis["log"] else v


def squared(node: dict[str, Any], x: Sequence[float]) -> list[float]:
    return [(v - m) / d for v, m, d in zip(x, node["offset"], node["divisor"])]


def _linear(node: dict[str, Any], x: Sequence[float]) -> float:
    terms = zip(node["coefficients"], node["first"], node["second"])
    return math.fsum([node["constant"], *(c * x[i] * (1.0 if j < 0 else x[j]) for c, i, j in terms)])


def _terms(node: dict[str, Any], x: Sequence[float]) -> float:
    parts = [node["constant"]]
    for coefficient, term in zip(node["coefficients"], node["terms"]):
        parts.append(coefficient * math.prod(_function(f, x) for f in term))
    return math.fsum(parts)


def _function(f: dict[str, Any], x: Sequence[float]) -> float:
    u = x[f["column"]]
    if (f["low"], f["width"], f["shift"]) != (0, 1, 0):
        u = (u - f["low"]) / f["width"] + f["shift"]
    if f["floor"] is not None and not u >= f["floor"]:
        raise Refused("too near a pole")
    return FUNCTIONS[f["name"]](u, f["exponent"])


def _eiger_power(u: float, n: float) -> float:
    try:
        return 1.0 if u == 0 else abs(u) ** n
    except OverflowError:
        return 0.0


def _reciprocal(u: float, n: float) -> float:
    if u == 0:
        raise Refused("a division by 0")
    return 1 / u


FUNCTIONS = {
    "power": lambda u, n: math.sqrt(u) if n == 0.5 else u**n,
    "log2": lambda u, n: math.log2(u),
    "asinh": lambda u, n: math.asinh(u),
    "above": lambda u, n: u if u > 0 else 0.0,
    "log2_above": lambda u, n: math.log2(u) if u > 1 else 0.0,
    "signed_power": lambda u, n: math.copysign(math.sqrt(abs(u)) if n == 0.5 else abs(u) ** n, u),
    "eiger_power": _eiger_power,
    "eiger_log": lambda u, n: 1.0 if u == 0 else math.log2(abs(u)),
    "eiger_sqrt": lambda u, n: math.sqrt(abs(u)),
    "eiger_reciprocal": _reciprocal,
}


def _surfaces(node: dict[str, Any], x: Sequence[float]) -> float:
    columns = [_curves(axis, _on_axis(axis, x)) for axis in node["axes"]]
    parts = [node["constant"]]
    for axes, coefficients in node["terms"]:
        found = coefficients
        for a in axes:  # contract the first dimension with its axis' functions
            found = _contract(columns[a], found)
        parts.append(found)
    return math.fsum(parts)


def _curves(axis: dict[str, Any], t: float) -> list[float]:
    piece = sum(t >= at for at in axis["breaks"])
    b = (t - axis["origin"][piece]) * axis["inverse"][piece]
    return [p0 + b * (p1 + b * (p2 + b * p3)) for p0, p1, p2, p3 in axis["powers"][piece]]


def _contract(columns: Sequence[float], coefficients: Sequence[Any]) -> Any:
    if not isinstance(coefficients[0], list):
        return math.fsum(v * c for v, c in zip(columns, coefficients))
    parts = [[v * w for w in _flat(c)] for v, c in zip(columns, coefficients)]
    return _shaped([math.fsum(column) for column in zip(*parts)], coefficients[0])


def _flat(values: Sequence[Any]) -> list[float]:
    return [w for v in values for w in _flat(v)] if isinstance(values[0], list) else list(values)


def _shaped(flat: list[float], like: Sequence[Any]) -> list[Any]:
    if not isinstance(like[0], list):
        return flat
    n = len(flat) // len(like)
    return [_shaped(flat[i * n : (i + 1) * n], like[i]) for i in range(len(like))]


def _additive(node: dict[str, Any], x: Sequence[float]) -> float:
    tables = [_levels(axis, _on_axis(axis, x)) for axis in node["axes"]]
    parts = []
    for weight, codes in zip(node["weights"], node["codes"]):
        k = [table[code] for table, code in zip(tables, codes)]
        first = sum(k)
        pairs = node["pairs"] * (first * first - sum(v * v for v in k)) / 2
        parts.append(weight * (first + pairs))
    return float(node["constant"] + node["scale"] * math.fsum(parts))


def _levels(axis: dict[str, Any], t: float) -> list[float]:
    p = (t - axis["low"]) / axis["span"]
    rough, size = axis["rough"], axis["size"] ** 2
    own = [(1 - rough) * math.exp(-0.5 * _power2((p - q) / axis["length"])) for q in axis["places"]]
    own = [v + rough * (abs(p - q) < 1e-9) for v, q in zip(own, axis["places"])]
    mean = math.fsum(own) / len(own)
    return [size * (v - mean * share) for v, share in zip(own, axis["share"])]


def _power2(v: float) -> float:
    return v * v


def _trees(node: dict[str, Any], x: Sequence[float]) -> float:
    x = [_single(v) for v in x] if node["single"] else x
    feature, threshold, left, right = node["feature"], node["threshold"], node["left"], node["right"]
    total = node["baseline"]
    for i in node["roots"]:
        while feature[i] >= 0:
            i = left[i] if x[feature[i]] <= threshold[i] else right[i]
        total += node["value"][i]
    return float(total / len(node["roots"]) if node["mean"] else total)


def _single(v: float) -> float:
    """Round to single precision."""
    try:
        return float(struct.unpack("f", struct.pack("f", v))[0])
    except OverflowError:
        return math.copysign(math.inf, v)


def _kernels(node: dict[str, Any], x: Sequence[float]) -> float:
    z = squared(node, x)
    parts = [node["constant"]]
    for weight, point in zip(node["weights"], node["points"]):
        s = node["rate"] * math.fsum((a - b) * (a - b) for a, b in zip(z, point))
        parts.append(weight * (math.exp(-s) if node["bend"] is None else _departure(math.sqrt(s), node["bend"])))
    return math.fsum(parts)


def _departure(r: float, bend: float) -> float:
    """Return (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    if not r < 1:
        return (1 + r + r * r * bend) * math.exp(-r) - 1
    rest = 1.0
    for k in range(18, 3, -1):
        rest = 1 + rest * r / k
    return -math.exp(-r) * (r * r * (0.5 - bend) + r * r * r / 6 * rest)


def _roof(node: dict[str, Any], x: Sequence[float]) -> float:
    one = [*x, 1.0]  # column -1
    quotients = zip(node["weights"], node["work"], node["capacity"])
    try:
        roof = math.fsum(w * one[i] / one[j] for w, i, j in quotients)
    except ZeroDivisionError:
        raise Refused("a division by 0") from None
    if node["factor"] and not roof > 0:
        raise Refused("its work divided by its machine's capacity is no positive number")
    ratios = [_ratio(x[i], x[j]) for i, j in zip(node["first"], node["second"])]
    seen = [*(x[j] for j in node["columns"]), math.log(roof) if node["factor"] else roof, *ratios]
    rest = _trees(node["trees"], seen)
    return roof * math.exp(rest) if node["factor"] else roof + rest


def _ratio(a: float, b: float) -> float:
    if a < -1 or b < -1 or a == b == -1:
        return 0.0
    return (math.log1p(a) if a > -1 else -math.inf) - (math.log1p(b) if b > -1 else -math.inf)


NODES = {
    "linear": _linear, "terms": _terms, "surfaces": _surfaces, "additive": _additive, "trees": _trees,
    "kernels": _kernels, "roof": _roof,
}  # fmt: skip


def leverage_row(reach: dict[str, Any], x: Sequence[float]) -> float:
    """Return |directions @ (x - centre)|²."""
    moved = [v - c for v, c in zip(x, reach["centre"])]
    return sum(_power2(sum(a * b for a, b in zip(row, moved))) for row in reach["directions"])


def interpolated(v: float, knots: Sequence[float], factors: Sequence[float]) -> float:
    """Return the piecewise linear function through (knots, factors), constant beyond its ends."""
    if v <= knots[0]:
        return factors[0]
    for k0, k1, f0, f1 in zip(knots, knots[1:], factors, factors[1:]):
        if v < k1:
            return f0 + (f1 - f0) / (k1 - k0) * (v - k0)
    return factors[-1]
