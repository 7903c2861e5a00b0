"""The models of a program as operators of ONNX: columns of shape (n, width) in, a column of shape (n, 1) out."""

from collections.abc import Callable, Mapping
from functools import singledispatch

import numpy as np

from core.codec import FloatArray
from core.export._onnx_graph import Graph
from core.export._program import Additive, Curves, Function, Kernels, Levels, Linear, Node, Roof, Surfaces, Terms, Trees

FLOAT, DOUBLE, INT64 = 1, 11, 7
"""Kinds of numbers, as ONNX counts them."""


@singledispatch
def write_node(node: Node, g: Graph, x: str) -> str:
    """Add a model's operators and return its output's name."""
    raise TypeError(type(node).__name__)


@write_node.register
def _(node: Linear, g: Graph, x: str) -> str:
    if not len(node.coefficients):
        return g.times(g.ones(x), node.constant)
    columns = g.columns(x, node.first)
    if not node.plain:
        one = g.op("Concat", x, g.ones(x), axis=1)
        last = g.op("Gather", one, g.whole(np.where(node.second < 0, -1, node.second)), axis=1)
        columns = g.times(columns, last)
    return g.add(g.product(columns, node.coefficients[:, None]), node.constant)


@write_node.register
def _(node: Terms, g: Graph, x: str) -> str:
    total = g.times(g.ones(x), node.constant)
    known: dict[Function, str] = {}
    for coefficient, term in zip(node.coefficients.tolist(), node.terms, strict=True):
        product = g.constant([[coefficient]])
        for f in term:
            known[f] = known[f] if f in known else _function(f, g, g.column(x, f.column))
            product = g.times(product, known[f])
        total = g.add(total, product)
    return total


def _function(f: Function, g: Graph, u: str) -> str:
    if not f.plain:
        u = g.add(g.over(g.less(u, f.low), f.width), f.shift)
    if f.floor is not None:
        u = g.above(u, f.floor, equal=True)
    return str(f.expression.folded(_values(g), u))


def _values(g: Graph) -> Mapping[str, Callable[..., str]]:
    def asinh(u: str) -> str:
        square = g.times(u, u)
        root = g.add(g.op("Sqrt", g.add(square, 1.0)), 1.0)
        return g.times(g.op("Sign", u), g.log1p(g.add(g.op("Abs", u), g.over(square, root))))

    return {
        "number": g.constant,
        "abs": lambda a: g.op("Abs", a),
        "sign": lambda a: g.op("Sign", a),
        "log2": g.log2,
        "asinh": asinh,
        "root": lambda a: g.op("Sqrt", a),
        "power": lambda a, n: _power(g, a, n),
        "largest": lambda a, n: g.op("Where", g.op("LessOrEqual", a, g.constant(n)), g.constant(n), a),
        "plus": g.add,
        "minus": g.less,
        "times": g.times,
        "over": g.over,
        "where_zero": lambda test, then, other: g.op("Where", g.op("Equal", test, g.constant(0.0)), then, other),
        "where_infinite": lambda of, then: g.op("Where", g.op("IsInf", of), then, of),
    }


def _power(g: Graph, u: str, n: float) -> str:
    if n in (-2, -1, -0.5):
        return g.op("Reciprocal", _power(g, u, -n))
    common = {1.0: lambda: u, 2.0: lambda: g.times(u, u), 0.5: lambda: g.op("Sqrt", u)}
    return common[n]() if n in common else g.op("Pow", u, g.constant(n))


@write_node.register
def _(node: Surfaces, g: Graph, x: str) -> str:
    functions = [_curves(axis, g, x) for axis in node.axes]
    total = g.times(g.ones(x), node.constant)
    for axes, coefficients in node.terms:
        found = g.product(functions[axes[0]], coefficients.reshape(len(coefficients), -1))
        for i, a in enumerate(axes[1:], 1):
            left = int(np.prod(coefficients.shape[i + 1 :]))
            cube = g.op("Reshape", found, g.whole([0, coefficients.shape[i], left]))
            weights = g.op("Unsqueeze", functions[a], g.whole([2]))
            found = g.op("ReduceSum", g.times(cube, weights), g.whole([1]), keepdims=0)
        total = g.add(total, found)
    return total


def _on_axis(axis: Curves | Levels, g: Graph, x: str) -> str:
    v = g.column(x, axis.column)
    return g.log2(g.above(v, 0.0)) if axis.log else v


def _curves(axis: Curves, g: Graph, x: str) -> str:
    t = _on_axis(axis, g, x)
    piece = count(g, t, axis.breaks)
    origin, inverse = g.op("Gather", g.constant(axis.origin), piece), g.op("Gather", g.constant(axis.inverse), piece)
    b = g.times(g.less(t, origin), inverse)
    flat = g.op("Squeeze", piece, g.whole([1]))
    p = [g.op("Gather", g.constant(axis.powers[:, :, k]), flat, axis=0) for k in range(4)]
    return g.add(p[0], g.times(b, g.add(p[1], g.times(b, g.add(p[2], g.times(b, p[3]))))))


def count(g: Graph, t: str, breaks: FloatArray) -> str:
    """Return how many breaks each number of a column has reached, whole numbers of shape (n, 1)."""
    return g.sum(g.op("Cast", g.op("GreaterOrEqual", t, g.constant(breaks[None, :])), to=INT64))


@write_node.register
def _(node: Additive, g: Graph, x: str) -> str:
    first = squares = ""
    for a, axis in enumerate(node.axes):
        k = g.columns(_levels(axis, g, x), node.codes[:, a])
        first, squares = (g.add(first, k), g.add(squares, g.times(k, k))) if a else (k, g.times(k, k))
    pairs = g.times(g.less(g.times(first, first), squares), node.pairs / 2)
    return g.add(g.product(g.add(first, pairs), node.scale * node.weights[:, None]), node.constant)


def _levels(axis: Levels, g: Graph, x: str) -> str:
    p = g.over(g.less(_on_axis(axis, g, x), axis.low), axis.span)
    d = g.less(p, axis.places[None, :])
    e = g.over(d, axis.length)
    own = g.times(g.op("Exp", g.times(g.times(e, e), -0.5)), 1 - axis.rough)
    same = g.op("Cast", g.op("Less", g.op("Abs", d), g.constant(1e-9)), to=DOUBLE)
    own = g.add(own, g.times(same, axis.rough))
    mean = g.over(g.sum(own), float(len(axis.places)))
    return g.times(g.less(own, g.times(mean, axis.share[None, :])), axis.size**2)


@write_node.register
def _(node: Trees, g: Graph, x: str) -> str:
    """Walk all trees of a row together, level by level; leaves lead to themselves."""
    if node.single:
        x = g.op("Cast", g.op("Cast", x, to=FLOAT), to=DOUBLE)
    own, leaf = np.arange(len(node.feature)), node.feature < 0
    feature, split = g.whole(np.maximum(node.feature, 0)), g.constant(node.threshold)
    left, right = g.whole(np.where(leaf, own, node.left)), g.whole(np.where(leaf, own, node.right))
    shape = g.op("Concat", g.rows(x), g.whole([len(node.roots)]), axis=0)
    at = g.op("Expand", g.whole(node.roots[None, :]), shape)
    for _ in range(node.depth):
        seen = g.op("GatherElements", x, g.op("Gather", feature, at), axis=1)
        below = g.op("LessOrEqual", seen, g.op("Gather", split, at))
        at = g.op("Where", below, g.op("Gather", left, at), g.op("Gather", right, at))
    values = g.op("Concat", g.times(g.ones(x), node.baseline), g.op("Gather", g.constant(node.value), at), axis=1)
    total = g.column(g.op("CumSum", values, g.whole(1)), len(node.roots))  # in the order of the trees
    return g.over(total, float(len(node.roots))) if node.mean else total


@write_node.register
def _(node: Kernels, g: Graph, x: str) -> str:
    z = g.over(g.less(x, node.offset[None, :]), node.divisor[None, :])
    square = ""
    for j, points in enumerate(node.points.T):
        d = g.less(g.column(z, j), points[None, :])
        square = g.add(square, g.times(d, d)) if j else g.times(d, d)
    s = g.times(square, node.rate)
    k = g.op("Exp", g.op("Neg", s)) if node.bend is None else _departure(g, g.op("Sqrt", s), node.bend)
    return g.add(g.product(k, node.weights[:, None]), node.constant)


def _departure(g: Graph, r: str, bend: float) -> str:
    """Return (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    bent = g.times(g.times(r, r), bend)
    far = g.less(g.times(g.add(g.add(r, bent), 1.0), g.op("Exp", g.op("Neg", r))), 1.0)
    q = g.op("Min", r, g.constant(1.0))
    rest = g.constant(1.0)
    for k in range(18, 3, -1):
        rest = g.add(g.times(g.times(rest, q), 1 / k), 1.0)
    square = g.times(q, q)
    rest = g.times(g.over(g.times(square, q), 6.0), rest)
    series = g.times(g.op("Neg", g.op("Exp", g.op("Neg", q))), g.add(g.times(square, 0.5 - bend), rest))
    return g.op("Where", g.op("Less", r, g.constant(1.0)), series, far)


@write_node.register
def _(node: Roof, g: Graph, x: str) -> str:
    roof = _roof(node, g, x)
    roof = g.above(roof, 0.0) if node.factor else roof
    seen = [g.columns(x, node.columns)] if len(node.columns) else []
    seen.append(g.op("Log", roof) if node.factor else roof)
    if len(node.first):
        ratio = g.less(g.log1p(g.columns(x, node.first)), g.log1p(g.columns(x, node.second)))
        seen.append(g.op("Where", g.op("IsNaN", ratio), g.constant(0.0), ratio))
    rest = write_node(node.trees, g, g.op("Concat", *seen, axis=1))
    return g.times(roof, g.op("Exp", rest)) if node.factor else g.add(roof, rest)


def _roof(node: Roof, g: Graph, x: str) -> str:
    """Return the sum term by term, as MatMul rounds otherwise and trees split between neighbours."""
    one, roof = g.op("Concat", x, g.ones(x), axis=1), ""
    for i, j, weight in zip(node.work.tolist(), node.capacity.tolist(), node.weights.tolist(), strict=True):
        term = g.times(g.over(g.column(one, i), g.column(one, j)), weight)
        roof = g.add(roof, term) if roof else term
    return roof
