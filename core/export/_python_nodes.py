"""A program's models over columns, numbers or arrays, and what these need; exported models of Python hold this text."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np


def guarded(function: Callable[..., float]) -> Callable[..., float]:
    """Return a function that gives NaN where there is no number, and infinity where it would be too large."""

    def found(*values: float) -> float:
        try:
            return function(*values)
        except (ValueError, ZeroDivisionError):
            return math.nan
        except OverflowError:
            return math.inf

    return found


class Plain:
    """Numbers one by one, with the standard library alone."""

    exp, log, log2, sqrt = guarded(math.exp), guarded(math.log), guarded(math.log2), guarded(math.sqrt)
    log1p, asinh, power, over = guarded(math.log1p), math.asinh, guarded(math.pow), guarded(lambda a, b: a / b)
    floor = guarded(lambda a: math.floor(a))
    some = bool

    @staticmethod
    def table(values: Any) -> Any:
        """Return numbers in a form that `take` reads quickly."""
        return values

    @staticmethod
    def take(table: Any, place: int) -> Any:
        """Return the entry of a table at a place."""
        return table[place]

    @staticmethod
    def where(test: bool, then: float, otherwise: float) -> float:
        """Return one of two numbers."""
        return then if test else otherwise

    @staticmethod
    def single(v: float) -> float:
        """Round to single precision."""
        try:
            return float(struct.unpack("f", struct.pack("f", v))[0])
        except OverflowError:
            return math.copysign(math.inf, v)

    @staticmethod
    def leaf(tree: dict[str, Any], root: int, x: list[float]) -> int:
        """Return where a row ends in a tree."""
        while tree["feature"][root] >= 0:
            below = x[tree["feature"][root]] <= tree["threshold"][root]
            root = tree["left"][root] if below else tree["right"][root]
        return root


class Columns:
    """Whole columns at once, with NumPy."""

    exp, log, log2, sqrt, log1p, asinh, power, over, floor = (
        [np.exp, np.log, np.log2, np.sqrt, np.log1p, np.arcsinh, np.power, np.divide, np.floor] if np else [None] * 9
    )
    some, table, where = [np.any, np.asarray, np.where] if np else [None] * 3

    @staticmethod
    def take(table: Any, place: Any) -> Any:
        """Return the entries of a table at places, the last axis along the rows."""
        return np.moveaxis(np.asarray(table)[place], 0, -1) if np.ndim(place) else np.asarray(table)[place]

    @staticmethod
    def single(v: Any) -> Any:
        """Round to single precision."""
        return v.astype(np.float32).astype(float)

    @staticmethod
    def leaf(tree: dict[str, Any], root: int, x: list[Any]) -> Any:
        """Return where each row ends in a tree."""
        columns, rows = np.array(x), np.arange(len(x[0]))
        at = np.full(len(rows), root)
        while (tree["feature"][at] >= 0).any():
            feature = tree["feature"][at]
            below = columns[np.maximum(feature, 0), rows] <= tree["threshold"][at]
            at = np.where(feature < 0, at, np.where(below, tree["left"][at], tree["right"][at]))
        return at


Node = dict[str, Any]
Number = Any


def is_number(v: Number) -> Any:
    """Return whether a value is there and finite."""
    return abs(v) < math.inf


def squares_of(node: Node, x: list[Number]) -> list[Number]:
    """Return columns on the scale in which distances are taken."""
    return [(v - m) / d for v, m, d in zip(x, node["offset"], node["divisor"])]


def on_axis(axis: Node, x: list[Number], o: Any) -> Number:
    """Return the column of an axis, or its logarithm where it is positive."""
    v = x[axis["column"]]
    return o.log2(o.where(v > 0, v, math.nan)) if axis["log"] else v


def linear(node: Node, x: list[Number], o: Any) -> Number:
    """Return constant + Σ coefficient · x_first · x_second."""
    terms = zip(node["coefficients"], node["first"], node["second"])
    return sum((c * x[i] * (1.0 if j < 0 else x[j]) for c, i, j in terms), node["constant"])


def terms(node: Node, x: list[Number], o: Any) -> Number:
    """Return constant + Σ coefficient · product of functions."""
    total = node["constant"]
    for product, factors in zip(node["coefficients"], node["terms"]):
        for f in factors:
            product = product * function(f, x, o)
        total = total + product
    return total


def function(f: Node, x: list[Number], o: Any) -> Number:
    """Return a basis function of a column, NaN below its floor."""
    u = x[f["column"]]
    if (f["low"], f["width"], f["shift"]) != (0, 1, 0):
        u = (u - f["low"]) / f["width"] + f["shift"]
    if f["floor"] is not None:
        u = o.where(u >= f["floor"], u, math.nan)
    return expression(f["expression"], u, o)


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "number": lambda o, a: a,
    "abs": lambda o, a: abs(a),
    "sign": lambda o, a: o.where(a > 0, 1.0, o.where(a < 0, -1.0, a)),
    "log2": lambda o, a: o.log2(a),
    "asinh": lambda o, a: o.asinh(a),
    "root": lambda o, a: o.sqrt(a),
    "power": lambda o, a, n: o.sqrt(a) if n == 0.5 else o.power(a, n),
    "largest": lambda o, a, least: o.where(a <= least, least, a),
    "plus": lambda o, a, b: a + b,
    "minus": lambda o, a, b: a - b,
    "times": lambda o, a, b: a * b,
    "over": lambda o, a, b: o.over(a, b),
    "where_zero": lambda o, test, then, otherwise: o.where(test == 0, then, otherwise),
    "where_infinite": lambda o, a, then: o.where(abs(a) == math.inf, then, a),
}


def expression(tree: list[Any], u: Number, o: Any) -> Number:
    """Return a tree of primitives of u."""
    if tree[0] == "x":
        return u
    return PRIMITIVES[tree[0]](o, *(expression(part, u, o) if isinstance(part, list) else part for part in tree[1:]))


def surfaces(node: Node, x: list[Number], o: Any) -> Number:
    """Return constant + Σ over terms of Σ coefficient · one function of each of the term's axes."""
    columns = [curves(axis, on_axis(axis, x, o), o) for axis in node["axes"]]

    def contracted(coefficients: Any, axes: list[int]) -> Number:
        if not axes:
            return coefficients
        return sum(v * contracted(c, axes[1:]) for v, c in zip(columns[axes[0]], coefficients))

    return sum((contracted(coefficients, axes) for axes, coefficients in node["terms"]), node["constant"])


def curves(axis: Node, t: Number, o: Any) -> list[Number]:
    """Return every function of an axis, a cubic of the place within its piece."""
    piece = sum((0 + (t >= at) for at in axis["breaks"]), 0 * (t >= 0))
    b = (t - o.take(axis["origin"], piece)) * o.take(axis["inverse"], piece)
    return [p0 + b * (p1 + b * (p2 + b * p3)) for p0, p1, p2, p3 in o.take(axis["powers"], piece)]


def additive(node: Node, x: list[Number], o: Any) -> Number:
    """Return constant + scale · Σ weight (Σ k + pairs · Σ k k') over the training points."""
    tables = [levels(axis, on_axis(axis, x, o), o) for axis in node["axes"]]
    total = 0.0
    for weight, codes in zip(node["weights"], node["codes"]):
        k = [table[code] for table, code in zip(tables, codes)]
        first = sum(k)
        total = total + weight * (first + node["pairs"] * (first * first - sum(v * v for v in k)) / 2)
    return node["constant"] + node["scale"] * total


def levels(axis: Node, t: Number, o: Any) -> list[Number]:
    """Return the covariances of a column with the levels of its training points."""
    p, rough = (t - axis["low"]) / axis["span"], axis["rough"]
    away = [(p - q) / axis["length"] for q in axis["places"]]
    near = [rough * (abs(p - q) < 1e-9) for q in axis["places"]]
    own = [(1 - rough) * o.exp(-0.5 * a * a) + same for a, same in zip(away, near)]
    mean = sum(own) / len(own)
    return [axis["size"] ** 2 * (v - mean * share) for v, share in zip(own, axis["share"])]


def trees(node: Node, x: list[Number], o: Any) -> Number:
    """Return the sum of trees from the baseline on, in order, or their mean."""
    tree = {k: o.table(node[k]) for k in ("feature", "threshold", "left", "right", "value")}
    x = [o.single(v) for v in x] if node["single"] else x
    total = node["baseline"]
    for root in node["roots"]:
        total = total + o.take(tree["value"], o.leaf(tree, root, x))
    return total / len(node["roots"]) if node["mean"] else total


def kernels(node: Node, x: list[Number], o: Any) -> Number:
    """Return constant + Σ weight · kernel of the distance to each point."""
    z, total = squares_of(node, x), node["constant"]
    for weight, point in zip(node["weights"], node["points"]):
        s = node["rate"] * sum((a - b) * (a - b) for a, b in zip(z, point))
        total = total + weight * (o.exp(-s) if node["bend"] is None else departure(o.sqrt(s), node["bend"], o))
    return total


def departure(r: Number, bend: float, o: Any) -> Number:
    """Return (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    near, rest = o.where(r < 1, r, 1.0), 1.0
    for k in range(18, 3, -1):
        rest = 1 + rest * near / k
    series = -o.exp(-near) * (near * near * (0.5 - bend) + near * near * near / 6 * rest)
    return o.where(r < 1, series, (1 + r + r * r * bend) * o.exp(-r) - 1)


def roof(node: Node, x: list[Number], o: Any) -> Number:
    """Return Σ weight · work / capacity, times the exponential of trees or plus them."""
    one = [*x, 0.0 * x[0] + 1.0]  # column -1
    total = sum(w * o.over(one[i], one[j]) for w, i, j in zip(node["weights"], node["work"], node["capacity"]))
    good = is_number(total) & ((total > 0) | (not node["factor"]))
    total = o.where(good, total, math.nan)
    ratios = [o.log1p(x[i]) - o.log1p(x[j]) for i, j in zip(node["first"], node["second"])]
    known = [o.where(ratio == ratio, ratio, 0.0) for ratio in ratios]
    seen = [*(x[j] for j in node["columns"]), o.log(total) if node["factor"] else total, *known]
    rest = trees(node["trees"], seen, o)
    return total * o.exp(rest) if node["factor"] else total + rest


NODES = {
    "linear": linear,
    "terms": terms,
    "surfaces": surfaces,
    "additive": additive,
    "trees": trees,
    "kernels": kernels,
    "roof": roof,
}
