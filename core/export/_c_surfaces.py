"""Surfaces of splines as functions of C."""

import numpy as np

from core.codec import FloatArray
from core.export._c_text import Writer, number
from core.export._program import Curves, Surfaces

MOST_UNROLLED = 8192
"""Numbers of one term's table; a larger one is evaluated from the columns of its axes."""
SCAN = 12
"""Breaks up to which a piece is found by comparing with each."""


Axes = tuple[int, ...]
"""Numbers of the axes of a term."""


def write_surfaces(node: Surfaces, w: Writer, name: str) -> str:
    """Write the sum's function and return its name.

    Curves of one column are added up into the table of a surface that has it, so that they cost nothing.
    """
    cells, others = _cells(node)
    body, columns = ["(void)x;"] if not node.terms else [], sorted({a for axes, _ in others for a in axes})
    body += _logarithms(node)
    for a, axis in enumerate(node.axes):
        body += _piece(axis, a, w)
    constant = node.constant if not cells else 0.0
    for i, (axes, powers) in enumerate(cells.items()):
        body += [f"const double *c{i} = {w.table(powers)} + {_place(axes, node)};"]
    sums = " + ".join([number(constant)] * (not cells) + [_polynomial(axes, f"c{i}") for i, axes in enumerate(cells)])
    body.append(f"double s = {sums};")
    for a in columns:
        body += _columns(node.axes[a], a, w)
    for axes, coefficients in others:
        body += _contraction(axes, coefficients, w)
    return w.function("double", name, "const double *x", [*body, "return s;"])


def _cells(node: Surfaces) -> tuple[dict[Axes, FloatArray], list[tuple[Axes, FloatArray]]]:
    """Return the terms that are tables of polynomials, curves folded into surfaces, and the other terms.

    A table holds coefficients, of shape (pieces, 4) or (pieces, pieces, 4, 4).
    """
    found: dict[Axes, FloatArray] = {}
    others = []
    for axes, coefficients in sorted(node.terms, key=lambda term: -len(term[0])):
        if len(axes) > 2 or np.prod([len(node.axes[a].origin) * 4 for a in axes]) > MOST_UNROLLED:
            others.append((axes, coefficients))
            continue
        powers = [node.axes[a].powers for a in axes]
        if len(axes) == 2:
            cell: FloatArray = np.einsum("ikp,jlq,kl->ijpq", *powers, coefficients)
        else:
            cell = np.einsum("ikp,k->ip", powers[0], coefficients)
            host = next((k for k in found if axes[0] in k and len(k) == 2), None)
            if host is not None:
                _fold(found[host], host.index(axes[0]), cell)
                continue
        found[axes] = found[axes] + cell if axes in found else cell
    if found:
        first = next(iter(found.values()))
        first[..., 0] += node.constant if first.ndim == 2 else np.array([node.constant, 0.0, 0.0, 0.0])
    return found, others


def _fold(surface: FloatArray, place: int, curve: FloatArray) -> None:
    """Add a curve of one of its axes to a surface."""
    if place == 0:
        surface[:, :, :, 0] += curve[:, None, :]
    else:
        surface[:, :, 0, :] += curve[None, :, :]


def _logarithms(node: Surfaces) -> list[str]:
    """Return the statements that take the logarithms of columns, after one look at the smallest of them."""
    logs = [(a, f"x[{axis.column}]") for a, axis in enumerate(node.axes) if axis.log]
    if not logs:
        return []
    lines = [f"double least = {logs[0][1]};", *(f"least = {x} < least ? {x} : least;" for _, x in logs[1:])]
    lines.append("if (!(least > 0)) return NAN;")
    return [*lines, *(f"const double v{a} = log2({x});" for a, x in logs)]


def _piece(axis: Curves, a: int, w: Writer) -> list[str]:
    """Return the statements that find the piece of an axis, and b and its powers."""
    x, n = f"x[{axis.column}]", len(axis.breaks)
    v = f"v{a}" if axis.log else x
    if n <= SCAN:
        lines = [f"const int i{a} = {' + '.join(f'({v} >= {number(t)})' for t in axis.breaks.tolist())};"]
    else:
        breaks = w.table(axis.breaks)
        lines = [f"int i{a} = 0;", f"while (i{a} < {n} && {v} >= {breaks}[i{a}]) i{a}++;"]
    place = w.table(np.column_stack([axis.origin, axis.inverse]))
    lines.append(f"const double b{a} = ({v} - {place}[2 * i{a}]) * {place}[2 * i{a} + 1];")
    return lines


def _place(axes: Axes, node: Surfaces) -> str:
    if len(axes) == 1:
        return f"4 * i{axes[0]}"
    a, b = axes
    return f"16 * ({len(node.axes[b].origin)} * i{a} + i{b})"


def _polynomial(axes: Axes, c: str) -> str:
    if len(axes) == 1:
        return _cubic(f"b{axes[0]}", [f"{c}[{k}]" for k in range(4)])
    a, b = axes
    return _cubic(f"b{a}", [_cubic(f"b{b}", [f"{c}[{4 * k + m}]" for m in range(4)]) for k in range(4)])


def _cubic(b: str, c: list[str]) -> str:
    """Return a cubic by Estrin's rule, whose halves do not wait for each other."""
    return f"(({c[0]} + {b} * {c[1]}) + {b} * {b} * ({c[2]} + {b} * {c[3]}))"


def _columns(axis: Curves, a: int, w: Writer) -> list[str]:
    """Return the statements that evaluate every function of an axis."""
    n = axis.powers.shape[1]
    cubic = _cubic(f"b{a}", [f"p{a}[4 * k{a} + {m}]" for m in range(4)])
    return w.piece("curves", a=a, n=n, width=4 * n, powers=axis.powers, cubic=cubic)


def _contraction(axes: Axes, coefficients: FloatArray, w: Writer) -> list[str]:
    """Return loops that add Σ coefficient · one function of each axis."""
    lines, indent = ["{", f"    const double *c = {w.table(coefficients)};"], "    "
    for a, n in zip(axes, coefficients.shape, strict=True):
        lines.append(f"{indent}for (k{a} = 0; k{a} < {n}; k{a}++)")
        indent += "    "
    product = " * ".join(f"f{a}[k{a}]" for a in axes)
    return [*lines, f"{indent}s += *c++ * ({product});", "}"]
