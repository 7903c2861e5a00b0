"""The models of a program as functions of C: each takes the columns and returns the output, NaN where refused."""

from collections.abc import Callable, Mapping
from functools import singledispatch

import numpy as np

from core.export._c_surfaces import write_surfaces
from core.export._c_text import LARGEST, Writer, number, signed
from core.export._program import Additive, Function, Kernels, Levels, Linear, Node, Roof, Terms, Trees, power

X = "const double *x"


@singledispatch
def write_node(node: Node, w: Writer, name: str) -> str:
    """Write a model's function and return its name."""
    raise TypeError(type(node).__name__)


@write_node.register
def _(node: Linear, w: Writer, name: str) -> str:
    if not len(node.coefficients):
        return w.function("double", name, X, ["(void)x;", f"return {number(node.constant)};"])
    coefficients, first = w.table(node.coefficients), w.table(node.first)
    second = ""
    if not node.plain:
        j = w.table(node.second)
        second = f" * ({j}[k] < 0 ? 1.0 : x[{j}[k]])"
    told = {"n": len(node.first), "coefficients": coefficients, "first": first, "second": second}
    return w.function("double", name, X, w.piece("linear", constant=node.constant, **told))


@write_node.register
def _(node: Terms, w: Writer, name: str) -> str:
    functions = list(dict.fromkeys(f for term in node.terms for f in term))
    body: list[str] = []
    for i, f in enumerate(functions):
        body += _function(f, f"u{i}", f"f{i}")
    place = {f: f"f{i}" for i, f in enumerate(functions)}
    body.append(f"double s = {number(node.constant)};")
    for coefficient, term in zip(node.coefficients.tolist(), node.terms, strict=True):
        body.append("s += " + " * ".join([signed(coefficient), *(place[f] for f in term)]) + ";")
    unused = [] if functions else ["(void)x;"]
    return w.function("double", name, X, [*unused, *body, "return s;"])


def _function(f: Function, u: str, name: str) -> list[str]:
    """Return the statements that give a function of a column; C99 allows declarations between statements."""
    x = f"x[{f.column}]"
    argument = x if f.plain else f"({x} - {signed(f.low)}) / {number(f.width)} + {signed(f.shift)}"
    lines = [f"const double {u} = {argument};"]
    if f.floor is not None:
        lines.append(f"if (!({u} >= {signed(f.floor)})) return NAN;")
    return [*lines, f"const double {name} = {f.expression.folded(_VALUES, u)};"]


_VALUES: Mapping[str, Callable[..., str]] = {  # each may stand in any place of another
    "number": signed,
    "abs": lambda a: f"fabs({a})",
    "sign": lambda a: f"({a} > 0 ? 1.0 : {a} < 0 ? -1.0 : {a})",
    "log2": lambda a: f"log2({a})",
    "asinh": lambda a: f"asinh({a})",
    "root": lambda a: f"sqrt({a})",
    "power": lambda a, n: power(a, n, "1", f"pow({a}, {number(n)})"),
    "largest": lambda a, least: f"({a} <= {number(least)} ? {number(least)} : {a})",
    "plus": lambda a, b: f"({a} + {b})",
    "minus": lambda a, b: f"({a} - {b})",
    "times": lambda a, b: f"({a} * {b})",
    "over": lambda a, b: f"({a} / {b})",
    "where_zero": lambda test, then, otherwise: f"({test} == 0 ? {then} : {otherwise})",
    "where_infinite": lambda of, then: f"(fabs({of}) > {LARGEST} ? {then} : {of})",
}


write_node.register(write_surfaces)


@write_node.register
def _(node: Additive, w: Writer, name: str) -> str:
    n, axes = node.codes.shape
    codes, weights = w.table(node.codes), w.table(node.weights)
    tables = [_levels(axis, w, f"{name}_levels{a}") for a, axis in enumerate(node.axes)]
    columns: list[str] = []
    for a, (axis, table) in enumerate(zip(node.axes, tables, strict=True)):
        columns += [f"double k{a}[{len(axis.places)}];", f"if (!{table}(x[{axis.column}], k{a})) return NAN;"]
    sums = [f"    k = k{a}[c[{a}]]; first += k; squares += k * k;" for a in range(axes)]
    told = {"n": n, "axes": axes, "codes": codes, "weights": weights, "columns": columns, "sums": sums}
    told |= {"pairs": node.pairs, "constant": node.constant, "scale": node.scale}
    return w.function("double", name, X, w.piece("additive", **told))


def _levels(axis: Levels, w: Writer, name: str) -> str:
    told = {"low": signed(axis.low), "span": axis.span, "length": axis.length, "rough": axis.rough}
    told |= {"n": len(axis.places), "smooth": 1 - axis.rough, "size": axis.size**2}
    log = ["if (!(v > 0)) return 0;", "v = log2(v);"] if axis.log else []
    body = w.piece("levels", places=axis.places, share=axis.share, log=log, **told)
    return w.function("int", name, "double v, double *k", body)


@write_node.register
def _(node: Trees, w: Writer, name: str) -> str:
    tables = {"roots": node.roots, "feature": node.feature, "child": np.column_stack([node.left, node.right])}
    tables["number"] = np.where(node.feature < 0, node.value, node.threshold)
    n, x = len(node.roots), "(double)(float)x[j]" if node.single else "x[j]"
    mean = f"s / {n}" if node.mean else "s"
    return w.function("double", name, X, w.piece("trees", baseline=node.baseline, n=n, x=x, mean=mean, **tables))


@write_node.register
def _(node: Kernels, w: Writer, name: str) -> str:
    n, axes = node.points.shape
    tables = {of: w.table(getattr(node, of)) for of in ("points", "weights", "offset", "divisor")}
    kernel = "exp(-s)" if node.bend is None else f"{_departure(w, f'{name}_departure', node.bend)}(sqrt(s))"
    body = w.piece("kernels", n=n, axes=axes, constant=node.constant, rate=node.rate, kernel=kernel, **tables)
    return w.function("double", name, X, body)


def _departure(w: Writer, name: str, bend: float) -> str:
    """Write (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    rest = "1"
    for k in range(18, 3, -1):
        rest = f"(1 + r * {number(1 / k)} * {rest})"
    return w.function("double", name, "double r", w.piece("departure", bend=bend, rest=rest, half=0.5 - bend))


@write_node.register
def _(node: Roof, w: Writer, name: str) -> str:
    trees = write_node(node.trees, w, f"{name}_trees")
    told: dict[str, object] = {of: w.table(getattr(node, of)) for of in ("work", "capacity", "weights")}
    own, pairs, columns, ratios = len(node.columns), len(node.first), [], []
    columns += ["if (!(roof > 0)) return NAN;"] if node.factor else []
    if own:
        columns += [f"for (i = 0; i < {own}; i++) seen[i] = x[{w.table(node.columns)}[i]];"]
    columns += [f"seen[{own}] = log(roof);" if node.factor else f"seen[{own}] = roof;"]
    if pairs:
        ratios = w.piece("ratios", pairs=pairs, start=own + 1, first=node.first, second=node.second)
    told |= {"seen": own + 1 + pairs, "n": len(node.work), "columns": columns, "ratios": ratios}
    whole = f"roof * exp({trees}(seen))" if node.factor else f"roof + {trees}(seen)"
    return w.function("double", name, X, w.piece("roof", whole=whole, **told))
