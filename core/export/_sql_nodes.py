"""The models of a program as layers of SQL: each ends in a column of the model's output, nothing where refused."""

from collections.abc import Callable, Mapping
from functools import singledispatch

import numpy as np

from core.export._program import Additive, Curves, Function, Kernels, Levels, Linear, Node, Roof, Surfaces, Terms, Trees
from core.export._program import power as common_power
from core.export._sql_text import Layers, log1p, log2, number, scaled, small_exp, total, weighted


@singledispatch
def write_node(node: Node, w: Layers, m: str, x: list[str], ready: str) -> None:
    """Add the layers of model `m` over columns `x`, which are all there where `ready`; its output is the column z_m."""
    raise TypeError(type(node).__name__)


@write_node.register
def _(node: Linear, w: Layers, m: str, x: list[str], ready: str) -> None:
    pairs = zip(node.first.tolist(), node.second.tolist(), strict=True)
    terms = weighted(node.coefficients, [x[i] if j < 0 else f"{x[i]} * {x[j]}" for i, j in pairs])
    w.add({f"z_{m}": total([number(node.constant), *terms])})


@write_node.register
def _(node: Terms, w: Layers, m: str, x: list[str], ready: str) -> None:
    functions = list(dict.fromkeys(f for term in node.terms for f in term))
    arguments = {f: f"{m}u{i}" for i, f in enumerate(functions)}
    w.add({arguments[f]: _argument(f, x[f.column]) for f in functions})
    values = {f: f"{m}f{i}" for i, f in enumerate(functions)}
    w.add({values[f]: f.expression.folded(_VALUES, arguments[f]) for f in functions})
    products = [" * ".join(values[f] for f in term) or "1e0" for term in node.terms]
    w.add({f"z_{m}": total([number(node.constant), *weighted(node.coefficients, products)])})


def _argument(f: Function, x: str) -> str:
    u = x if f.plain else f"({x} - {number(f.low)}) / {number(f.width)} + {number(f.shift)}"
    return u if f.floor is None else f"CASE WHEN {u} >= {number(f.floor)} THEN {u} END"


def _asinh(u: str) -> str:
    """Return asinh to all digits: the sign times ln(1 + |u| + u² / (1 + √(u² + 1)))."""
    inner = f"(abs({u}) + {u} * {u} / (1e0 + sqrt({u} * {u} + 1e0)))"
    return f"(sign({u}) * ({log1p(inner)}))"


def _power(u: str, n: float) -> str:
    """Return u^n, nothing where it is no number: PostgreSQL fails there, and DuckDB's NaN is above every bound."""
    value = common_power(u, n, "1e0", f"power({u}, {number(n)})")
    whole = n == int(n)
    if whole and n >= 0:
        return value
    return f"CASE WHEN {u} {'<> 0' if whole else '>= 0' if n > 0 else '> 0'} THEN {value} END"


_VALUES: Mapping[str, Callable[..., str]] = {  # each may stand in any place of another
    "number": number,
    "abs": lambda a: f"abs({a})",
    "sign": lambda a: f"sign({a})",
    "log2": log2,
    "asinh": _asinh,
    "root": lambda a: _power(a, 0.5),
    "power": lambda a, n: _power(a, n),
    "plus": lambda a, b: f"({a} + {b})",
    "minus": lambda a, b: f"({a} - {b})",
    "times": lambda a, b: f"({a} * {b})",
    "largest": lambda a, least: f"CASE WHEN {a} <= {number(least)} THEN {number(least)} ELSE {a} END",
    "over": lambda a, b: f"({a} / NULLIF({b}, 0))",
    "where_zero": lambda test, then, otherwise: f"CASE WHEN {test} = 0 THEN {then} ELSE {otherwise} END",
    "where_infinite": lambda of, then: of,
}
"""Numbers of rows are held so small that none becomes infinite."""


@write_node.register
def _(node: Surfaces, w: Layers, m: str, x: list[str], ready: str) -> None:
    axes = list(enumerate(node.axes))
    w.add({f"{m}t{a}": _on_axis(axis, x) for a, axis in axes})
    w.add({f"{m}p{a}": _piece(axis, f"{m}t{a}") for a, axis in axes})
    w.add({f"{m}b{a}": _local(axis, f"{m}t{a}", f"{m}p{a}") for a, axis in axes})
    functions = [(a, axis, k) for a, axis in axes for k in range(axis.powers.shape[1])]
    w.add({f"{m}f{a}_{k}": _cubics(axis, k, f"{m}b{a}", f"{m}p{a}") for a, axis, k in functions})
    terms = []
    for own, coefficients in node.terms:
        places = np.ndindex(coefficients.shape)
        products = [" * ".join(f"{m}f{a}_{k}" for a, k in zip(own, at, strict=True)) for at in places]
        terms += weighted(coefficients.ravel(), products)
    w.add({f"z_{m}": total([number(node.constant), *terms])})


def _on_axis(axis: Curves | Levels, x: list[str]) -> str:
    return log2(x[axis.column]) if axis.log else x[axis.column]


def _piece(axis: Curves, t: str) -> str:
    return " + ".join(f"CASE WHEN {t} >= {number(at)} THEN 1 ELSE 0 END" for at in axis.breaks.tolist())


def _local(axis: Curves, t: str, piece: str) -> str:
    pairs = enumerate(zip(axis.origin.tolist(), axis.inverse.tolist(), strict=True))
    cases = " ".join(f"WHEN {i} THEN ({t} - {number(o)}) * {number(v)}" for i, (o, v) in pairs)
    return f"CASE {piece} {cases} END"


def _cubics(axis: Curves, k: int, b: str, piece: str) -> str:
    cases = []
    for i, (p0, p1, p2, p3) in enumerate(axis.powers[:, k].tolist()):
        inner = f"{number(p1)} + {b} * ({number(p2)} + {b} * {number(p3)})" if p2 or p3 else number(p1)
        cases.append(f"WHEN {i} THEN {number(p0)} + {b} * ({inner})")
    return f"CASE {piece} {' '.join(cases)} END"


@write_node.register
def _(node: Additive, w: Layers, m: str, x: list[str], ready: str) -> None:
    axes = list(enumerate(node.axes))
    w.add({f"{m}t{a}": _on_axis(axis, x) for a, axis in axes})
    w.add({f"{m}p{a}": f"({m}t{a} - {number(axis.low)}) / {number(axis.span)}" for a, axis in axes})
    w.add({f"{m}m{a}": _mean(axis, f"{m}p{a}") for a, axis in axes})
    columns = ["w", *(f"{k}{a}" for a, _ in axes for k in ("q", "r"))]
    places = [v[c] for axis, c in zip(node.axes, node.codes.T, strict=True) for v in (axis.places, axis.share)]
    w.table(f"{m}points", columns, np.column_stack([node.weights, *places]).tolist())
    own = ", ".join(f"{_covariance(axis, f'l.{m}p{a}', f'n.q{a}', f'l.{m}m{a} * n.r{a}')} AS k{a}" for a, axis in axes)
    first, squares = total([f"k{a}" for a, _ in axes]), total([f"k{a} * k{a}" for a, _ in axes])
    inner = f"SELECT l.id, n.w, {own} FROM {w.last} l CROSS JOIN {m}points n WHERE l.{ready}"
    sums = f"SELECT id, w, {first} AS a, {squares} AS b FROM ({inner}) AS c"
    whole = f"sum(w * (a + {number(node.pairs)} * (a * a - b) / 2e0))"
    w.query(f"{m}sum", f"SELECT id, {whole} AS s FROM ({sums}) AS d GROUP BY id")
    z = f"{number(node.constant)} + {number(node.scale)} * {m}sum.s"
    w.add({f"z_{m}": z}, f" LEFT JOIN {m}sum ON {m}sum.id = l.id")


def _mean(axis: Levels, p: str) -> str:
    parts = [_smooth(axis, p, number(q)) for q in axis.places.tolist()]
    return f"({total(parts)}) / {number(len(parts))}"


def _smooth(axis: Levels, p: str, q: str) -> str:
    e = f"(-0.5e0 * (({p} - {q}) / {number(axis.length)}) * (({p} - {q}) / {number(axis.length)}))"
    rough = f"CASE WHEN abs({p} - {q}) < 1e-9 THEN {number(axis.rough)} ELSE 0e0 END"
    return f"({number(1 - axis.rough)} * {small_exp(e)} + {rough})"


def _covariance(axis: Levels, p: str, q: str, mean: str) -> str:
    return f"{number(axis.size**2)} * ({_smooth(axis, p, q)} - {mean})"


@write_node.register
def _(node: Trees, w: Layers, m: str, x: list[str], ready: str) -> None:
    """Walk a table of nodes."""
    w.add({f"{m}v{j}": _single(c) for j, c in enumerate(x)} if node.single else {})
    compared = [f"{m}v{j}" for j in range(len(x))] if node.single else x
    split = np.where(node.feature < 0, node.value, node.threshold).tolist()
    rows = zip(range(len(split)), node.feature.tolist(), split, node.left.tolist(), node.right.tolist(), strict=True)
    w.table(f"{m}nodes", ["node", "feature", "split", "below", "above"], rows)
    w.table(f"{m}roots", ["tree", "root"], enumerate(node.roots.tolist()))
    value = "CASE n.feature " + " ".join(f"WHEN {j} THEN r.{c}" for j, c in enumerate(compared)) + " END"
    step = (
        f"SELECT k.id, k.tree, CASE WHEN {value} <= n.split THEN n.below ELSE n.above END "
        f"FROM {m}walk k JOIN {m}nodes n ON n.node = k.node AND n.feature >= 0 JOIN {w.last} r ON r.id = k.id"
    )
    start = f"SELECT l.id, t.tree, t.root FROM {w.last} l CROSS JOIN {m}roots t WHERE l.{ready}"
    w.parts.append(f"{m}walk(id, tree, node) AS (\n  {start}\n  UNION ALL\n  {step}\n)")
    leaves = f"SELECT k.id, k.tree, n.split AS s FROM {m}walk k JOIN {m}nodes n ON n.node = k.node AND n.feature < 0"
    first = f"SELECT l.id, -1, {number(node.baseline)} FROM {w.last} l WHERE l.{ready}"
    w.query(f"{m}sum", f"SELECT id, sum(s ORDER BY tree) AS s FROM ({leaves} UNION ALL {first}) AS t GROUP BY id")
    z = f"{m}sum.s / {number(len(node.roots))}" if node.mean else f"{m}sum.s"
    w.add({f"z_{m}": z}, f" LEFT JOIN {m}sum ON {m}sum.id = l.id")


def _single(x: str) -> str:
    """Return a column in single precision; too large and too small ones are what they would become."""
    cast = f"CAST(CAST({x} AS real) AS double precision)"
    return f"CASE WHEN abs({x}) > 3.4e38 THEN {x} WHEN abs({x}) < 1e-37 THEN {x} ELSE {cast} END"


@write_node.register
def _(node: Kernels, w: Layers, m: str, x: list[str], ready: str) -> None:
    w.add({f"{m}c{j}": c for j, c in enumerate(scaled(x, node.offset, node.divisor))})
    p = range(node.points.shape[1])
    w.table(f"{m}points", ["w", *(f"p{j}" for j in p)], np.column_stack([node.weights, node.points]).tolist())
    square = total([f"(l.{m}c{j} - n.p{j}) * (l.{m}c{j} - n.p{j})" for j in p])
    pairs = f"FROM {w.last} l CROSS JOIN {m}points n WHERE l.{ready}"
    inner = f"SELECT l.id, n.w, {number(node.rate)} * ({square}) AS s {pairs}"
    if node.bend is not None:
        inner = f"SELECT id, w, s, sqrt(s) AS r FROM ({inner}) AS c"
        inner = f"SELECT id, w, s, r, LEAST(r, 1e0) AS q FROM ({inner}) AS n"
        series = f"(-exp(-q)) * (q * q * {number(0.5 - node.bend)} + q * q * q / 6e0 * {_rest('q')})"
        far = f"(1e0 + r + s * {number(node.bend)}) * {small_exp('(-r)')} - 1e0"
        kernel = f"CASE WHEN r < 1e0 THEN {series} ELSE {far} END"
    else:
        kernel = small_exp("(-s)")
    w.query(f"{m}sum", f"SELECT id, sum(w * ({kernel})) AS s FROM ({inner}) AS d GROUP BY id")
    w.add({f"z_{m}": f"{number(node.constant)} + {m}sum.s"}, f" LEFT JOIN {m}sum ON {m}sum.id = l.id")


def _rest(q: str) -> str:
    """Return 1 + q/4 (1 + q/5 (1 + …)), which is (exp(q) - 1 - q - q²/2) · 6 / q³."""
    found = "1e0"
    for k in range(18, 3, -1):
        found = f"(1e0 + {q} * {number(1 / k)} * {found})"
    return found


@write_node.register
def _(node: Roof, w: Layers, m: str, x: list[str], ready: str) -> None:
    one = [*x, "1e0"]
    pairs = zip(node.work.tolist(), node.capacity.tolist(), strict=True)
    quotients = [f"({one[i]} / {one[j] if j < 0 else f'NULLIF({one[j]}, 0)'})" for i, j in pairs]
    w.add({f"{m}roof": total(weighted(node.weights, quotients))})
    good = f"CASE WHEN {m}roof > 0 THEN ln({m}roof) END" if node.factor else f"{m}roof"
    works = enumerate(zip(node.first.tolist(), node.second.tolist(), strict=True))
    ratios = {f"{m}a{i}": f"({log1p(x[a], '> -1')}) - ({log1p(x[b], '> -1')})" for i, (a, b) in works}
    w.add({f"{m}seen": good, **{name: f"coalesce({ratio}, 0e0)" for name, ratio in ratios.items()}})
    write_node(node.trees, w, f"{m}t", [*(x[j] for j in node.columns.tolist()), f"{m}seen", *ratios], ready)
    whole = f"{m}roof * exp(z_{m}t)" if node.factor else f"{m}roof + z_{m}t"
    w.add({f"z_{m}": f"CASE WHEN {m}seen IS NOT NULL THEN {whole} END"})
