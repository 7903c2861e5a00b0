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
    c, i = w.table(node.coefficients), w.table(node.first)
    second = "" if node.plain else f" * (j{name}[k] < 0 ? 1.0 : x[j{name}[k]])"
    if not node.plain:
        second = second.replace(f"j{name}", w.table(node.second))
    body = [f"double s = {number(node.constant)};", "int k;"]
    body += [f"for (k = 0; k < {len(node.first)}; k++) s += {c}[k] * (x[{i}[k]]{second});", "return s;"]
    return w.function("double", name, X, body)


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
    n, p = node.codes.shape
    codes, weights = w.table(node.codes), w.table(node.weights)
    tables = [_levels(axis, w, f"{name}_levels{a}") for a, axis in enumerate(node.axes)]
    body = ["double s = 0;", "int i;"]
    for a, (axis, table) in enumerate(zip(node.axes, tables, strict=True)):
        body += [f"double k{a}[{len(axis.places)}];", f"if (!{table}(x[{axis.column}], k{a})) return NAN;"]
    body += [f"for (i = 0; i < {n}; i++) {{", f"    const int *c = {codes} + {p} * i;"]
    body += ["    double first = 0, squares = 0, k;"]
    body += [f"    k = k{a}[c[{a}]]; first += k; squares += k * k;" for a in range(p)]
    pairs = f"{number(node.pairs)} * (first * first - squares) / 2"
    body += [f"    s += {weights}[i] * (first + {pairs});", "}"]
    return w.function("double", name, X, [*body, f"return {number(node.constant)} + {number(node.scale)} * s;"])


def _levels(axis: Levels, w: Writer, name: str) -> str:
    places, share, n = w.table(axis.places), w.table(axis.share), len(axis.places)
    body = ["double p, mean = 0;", "int i;"]
    body += ["if (!(v > 0)) return 0;", "v = log2(v);"] if axis.log else []
    body += [f"p = (v - {signed(axis.low)}) / {number(axis.span)};", f"for (i = 0; i < {n}; i++) {{"]
    body += [f"    const double d = p - {places}[i], e = d / {number(axis.length)};"]
    rough = f"(fabs(d) < 1e-9 ? {number(axis.rough)} : 0)"
    body += [f"    k[i] = {number(1 - axis.rough)} * exp(-0.5 * (e * e)) + {rough};"]
    body += ["    mean += k[i];", "}", f"mean /= {n};"]
    body += [f"for (i = 0; i < {n}; i++) k[i] = {number(axis.size**2)} * (k[i] - mean * {share}[i]);", "return 1;"]
    return w.function("int", name, "double v, double *k", body)


@write_node.register
def _(node: Trees, w: Writer, name: str) -> str:
    roots, feature, child = map(w.table, (node.roots, node.feature, np.column_stack([node.left, node.right])))
    number_of = w.table(np.where(node.feature < 0, node.value, node.threshold))
    x = "(double)(float)x[j]" if node.single else "x[j]"
    body = [f"double s = {number(node.baseline)};", "int t;", f"for (t = 0; t < {len(node.roots)}; t++) {{"]
    body += [f"    int i = {roots}[t], j;"]
    body += [f"    while ((j = {feature}[i]) >= 0) i = {child}[2 * i + !({x} <= {number_of}[i])];"]
    body += [f"    s += {number_of}[i];", "}", f"return s / {len(node.roots)};" if node.mean else "return s;"]
    return w.function("double", name, X, body)


@write_node.register
def _(node: Kernels, w: Writer, name: str) -> str:
    n, p = node.points.shape
    points, weights, offset, divisor = map(w.table, (node.points, node.weights, node.offset, node.divisor))
    departure = "" if node.bend is None else _departure(w, f"{name}_departure", node.bend)
    body = [f"double z[{p}], s = 0, sum_ = {number(node.constant)};", "int i, j;"]
    body += [f"for (j = 0; j < {p}; j++) z[j] = (x[j] - {offset}[j]) / {divisor}[j];", f"for (i = 0; i < {n}; i++) {{"]
    body += [f"    for (s = 0, j = 0; j < {p}; j++) {{", f"        const double d = z[j] - {points}[{p} * i + j];"]
    body += ["        s += d * d;", "    }", f"    s *= {number(node.rate)};"]
    if node.bend is not None:
        body += [f"    sum_ += {weights}[i] * {departure}(sqrt(s));"]
    else:
        body += [f"    sum_ += {weights}[i] * exp(-s);"]
    return w.function("double", name, X, [*body, "}", "return sum_;"])


def _departure(w: Writer, name: str, bend: float) -> str:
    """Write (1 + r + bend·r²) exp(-r) - 1, by a series where it is nearly 0."""
    rest = "1"
    for k in range(18, 3, -1):
        rest = f"(1 + r * {number(1 / k)} * {rest})"
    body = [f"if (!(r < 1)) return (1 + r + r * r * {number(bend)}) * exp(-r) - 1;", f"const double rest = {rest};"]
    body += [f"return -exp(-r) * (r * r * {number(0.5 - bend)} + r * r * r / 6 * rest);"]
    return w.function("double", name, "double r", body)


@write_node.register
def _(node: Roof, w: Writer, name: str) -> str:
    trees = write_node(node.trees, w, f"{name}_trees")
    work, capacity, weights = w.table(node.work), w.table(node.capacity), w.table(node.weights)
    own, pairs = len(node.columns), len(node.first)
    body = [f"double seen[{own + 1 + pairs}], roof = 0;", "int i;", f"for (i = 0; i < {len(node.work)}; i++) {{"]
    body += [f"    const double above = {work}[i] < 0 ? 1.0 : x[{work}[i]];"]
    body += [f"    const double below = {capacity}[i] < 0 ? 1.0 : x[{capacity}[i]];"]
    body += [f"    roof += {weights}[i] * (above / below);", "}"]
    body += ["if (!(fabs(roof) <= 1.7976931348623157e308)) return NAN;"]
    body += ["if (!(roof > 0)) return NAN;"] if node.factor else []
    if own:
        body += [f"for (i = 0; i < {own}; i++) seen[i] = x[{w.table(node.columns)}[i]];"]
    body += [f"seen[{own}] = log(roof);" if node.factor else f"seen[{own}] = roof;"]
    if pairs:
        first, second = w.table(node.first), w.table(node.second)
        body += [f"for (i = 0; i < {pairs}; i++) {{"]
        body += [f"    const double ratio = log1p(x[{first}[i]]) - log1p(x[{second}[i]]);"]
        body += [f"    seen[{own + 1} + i] = ratio == ratio ? ratio : 0;", "}"]
    body += [f"return roof * exp({trees}(seen));" if node.factor else f"return roof + {trees}(seen);"]
    return w.function("double", name, X, body)
