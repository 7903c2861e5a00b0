"""A blend as a function of C: each member's own functions, and what their predictions are together."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.export._c_text import LARGEST, Writer, number
from core.export._program import LEAST, MOST, Blend, Program


def write_blend(node: Blend, w: Writer, name: str, write_member: Callable[[Program, Writer], None]) -> str:
    """Write the members, each with its name in front, and the mixture; return its function's name.

    Parameters
    ----------
    write_member : writes the functions of a program, of which `value` is called
    """
    body = [f"double v[{len(node.members)}];"]
    for k, (member, columns) in enumerate(zip(node.members, node.columns, strict=True)):
        prefix = f"{w.dialect.prefix}{name}_{k}_"
        write_member(member, Writer(replace(w.dialect, prefix=prefix), w.lines))
        own = ", ".join(f"x[{j}]" for j in columns.tolist())
        body += ["{", f"    const double own[{len(columns)}] = {{{own}}};", f"    v[{k}] = {prefix}value(own);", "}"]
    mixed = w.function("double", f"{name}_mixed", "double *v", _mixed(node, w))
    return w.function("double", name, "const double *x", [*body, f"return {mixed}(v);"])


def _mixed(node: Blend, w: Writer) -> list[str]:
    n, weights = len(node.members), w.table(node.weights)
    positive = " && v[i] > 0" if node.log and not node.sum else ""
    value = "log(v[i])" if positive else "v[i]"
    body = [f"double share[{n}], total = 0, s = 0;", "int i;", f"for (i = 0; i < {n}; i++) {{"]
    body += [f"    const int known = fabs(v[i]) <= {LARGEST}{positive};"]
    body += [f"    share[i] = known ? {weights}[i] : 0;", f"    v[i] = known ? {value} : 0;", "    total += share[i];"]
    body += ["}", "if (!(total > 0)) return NAN;"]
    if node.sum:
        whole = number(float(node.weights.sum()))
        body += [f"for (i = 0; i < {n}; i++) s += share[i] * v[i];", f"s *= {whole} / total;"]
        return [*body, "return s > 0 ? log(s) : NAN;" if node.log else "return s;"]
    counted = "v[i]"
    if np.isfinite(node.bound):
        body += _median(n, node.bound)
        counted = "(v[i] < low ? low : v[i] > high ? high : v[i])"
    return [*body, f"for (i = 0; i < {n}; i++) s += share[i] * {counted};", "return s / total;"]


def _median(n: int, bound: float) -> list[str]:
    """Return statements that find the least and the most that a member counts as, about the weighted median.

    That is the middle of the first values with half of the weight, and with more than half of it, at or below them.
    """
    return [
        "double low = INFINITY, high = INFINITY;",
        f"for (i = 0; i < {n}; i++) {{",
        "    double reached = 0;",
        "    int j;",
        f"    for (j = 0; j < {n}; j++)",
        "        if (v[j] <= v[i]) reached += share[j];",
        f"    if (share[i] > 0 && reached >= {number(LEAST)} * total && v[i] < low) low = v[i];",
        f"    if (share[i] > 0 && reached > {number(MOST)} * total && v[i] < high) high = v[i];",
        "}",
        "low = 0.5 * (low + high);",
        f"high = low + {number(bound)};",
        f"low -= {number(bound)};",
    ]
