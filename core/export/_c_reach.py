"""Where a row lies, as functions of C: in the trained range, and how far all metrics together from the centre."""

import numpy as np

from core.codec import FloatArray
from core.export._c_text import Writer, number
from core.export._program import Reach

AT_ONCE = 4
"""Directions whose sums grow side by side, so that none waits for its own last step."""


def write_reach(reach: Reach, w: Writer) -> None:
    """Write `where_`: the flags of a row, its leverage, and whether all metrics are numbers.

    A row inside every bound has numbers alone, so that the common case looks at each metric once.
    """
    n, p = len(reach.low), w.dialect.prefix
    low, high = reach.low - reach.room, reach.high + reach.room
    names = w.table(low), w.table(high)
    body = ["int i, out = 0, found = 0;"]
    body += ["*away = 0;"] if not len(reach.directions) else [f"*away = {_leverage(reach, w)}(x);"]
    if np.isfinite(low).all() and np.isfinite(high).all():
        body += [f"for (i = 0; i < {n}; i++) out |= !(x[i] >= {names[0]}[i]) | !(x[i] <= {names[1]}[i]);"]
    else:
        body += ["out = 1;"]
    body += ["*finite = 1;", "if (out) {", f"    *finite = {p}finite_(x);"]
    body += [f"    for (i = 0; i < {n}; i++) found |= (x[i] < {names[0]}[i]) | (x[i] > {names[1]}[i]);", "}"]
    if len(reach.directions):
        body += [f"if (*away > {number(reach.furthest)} && *finite) found |= 2;"]
    w.function("int", "where_", "const double *x, double *away, int *finite", [*body, "return found;"])


def _leverage(reach: Reach, w: Writer) -> str:
    """Write |directions @ (x - centre)|².

    Directions are turned (which changes no length) until the j-th looks at metrics from the j-th on alone.
    """
    turned: FloatArray = np.asarray(np.linalg.qr(reach.directions, mode="r"))
    k, n = turned.shape
    starts = range(0, k, AT_ONCE)
    blocks = [np.vstack([turned[s : s + AT_ONCE], np.zeros((max(0, s + AT_ONCE - k), n))]) for s in starts]
    table = w.table(np.concatenate([b[:, s:].T.ravel() for s, b in zip(starts, blocks, strict=True)]))
    body = [f"double m[{n}], s = 0;", f"const double *t = {table};", "int i, j;"]
    body += [f"for (i = 0; i < {n}; i++) m[i] = x[i] - {w.table(reach.centre)}[i];"]
    for s in starts:
        body += ["{", f"    double d[{AT_ONCE}] = {{0}};", f"    for (i = {s}; i < {n}; i++, t += {AT_ONCE})"]
        body += [f"        for (j = 0; j < {AT_ONCE}; j++) d[j] += t[j] * m[i];"]
        body += [f"    s += {' + '.join(f'd[{j}] * d[{j}]' for j in range(min(AT_ONCE, k - s)))};", "}"]
    return w.function("double", "leverage_", "const double *x", [*body, "return s;"])
