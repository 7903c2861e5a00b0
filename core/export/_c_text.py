"""Pieces of C and C++ text: numbers, tables, where the two languages differ, reach, and test vectors."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.export._names import filled, pieces
from core.export._program import Program, Reach
from core.export._python_main import hundredth
from core.export.base import Vector

LARGEST = "1.7976931348623157e308"


class Dialect(Frozen):
    """How a language of the family writes what the two write differently.

    Attributes
    ----------
    prefix : of all names, or "" where a namespace holds them
    table : of one-dimensional tables: with places {kind}, {name}, {n}, {values}
    function : what stands before a function
    """

    prefix: str
    table: str
    function: str


def c99(prefix: str) -> Dialect:
    """Return C99's way: static constants and functions with a prefix."""
    return Dialect(f"{prefix}_", "static const {kind} {name}[{n}] = {{\n{values}\n}};", "static inline")


def cpp17() -> Dialect:
    """Return C++17's way: constants known to the compiler, in a namespace."""
    return Dialect("", "inline constexpr {kind} {name}[{n}] = {{\n{values}\n}};", "inline")


@dataclass
class Writer:
    """Tables and functions as they are found to be needed, in order."""

    dialect: Dialect
    lines: list[str] = field(default_factory=list)
    tables: int = 0

    def table(self, values: FloatArray | IntArray) -> str:
        """Write a table and return its name."""
        flat = np.asarray(values).ravel()
        whole = np.issubdtype(flat.dtype, np.integer)
        name = f"{self.dialect.prefix}t{self.tables}"
        self.tables += 1
        texts = map(str, flat.tolist()) if whole else map(number, flat.tolist())
        self.lines += self.dialect.table.format(
            kind="int" if whole else "double", name=name, n=max(1, len(flat)), values=wrapped(list(texts) or ["0"])
        ).split("\n")
        return name

    def piece(self, name: str, /, **values: object) -> list[str]:
        """Return the lines of a piece of `functions.c` with values in their places.

        Arrays become tables, in their order, and lists of statements stand one below the other.
        """
        told = {"p": self.dialect.prefix, **{key: self._told(value) for key, value in values.items()}}
        return [line for line in pieces("functions.c")[name].substitute(told).splitlines() if line]

    def _told(self, value: object) -> object:
        if isinstance(value, np.ndarray):
            return self.table(value)
        return "\n".join(value) if isinstance(value, list) else number(value) if isinstance(value, float) else value

    def function(self, result: str, name: str, arguments: str, body: Iterable[str]) -> str:
        """Write a function and return its name."""
        full = f"{self.dialect.prefix}{name}"
        self.lines += [f"{self.dialect.function} {result} {full}({arguments})", "{"]
        self.lines += [f"    {line}" if line else "" for line in body]
        self.lines += ["}", ""]
        return full


def number(value: float) -> str:
    """Return a double exactly; the shortest text that reads back as the same number."""
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return repr(float(value))


def signed(value: float) -> str:
    """Return a number that may stand after an operator."""
    return f"({number(value)})" if value < 0 or str(value).startswith("-") else number(value)


def wrapped(texts: Sequence[str], width: int = 112) -> str:
    """Return numbers with commas in lines of at most `width` characters."""
    lines, line = [], "   "
    for text in texts:
        if len(line) + len(text) + 2 > width:
            lines.append(line)
            line = "   "
        line += f" {text},"
    return "\n".join([*lines, line]).rstrip(",")


AT_ONCE = 4
"""Directions whose sums grow side by side, so that none waits for its own last step."""


def write_reach(reach: Reach, w: Writer) -> None:
    """Write `where_`: the flags of a row, its leverage, and whether all metrics are numbers.

    A row inside every bound has numbers alone, so that the common case looks at each metric once.
    """
    n, edges = len(reach.low), (reach.low - reach.room, reach.high + reach.room)
    low, high = map(w.table, edges)
    leverage = f"{_leverage(reach, w)}(x)" if len(reach.directions) else "0"
    bounded = all(np.isfinite(edge).all() for edge in edges)
    looked = f"for (i = 0; i < {n}; i++) out |= !(x[i] >= {low}[i]) | !(x[i] <= {high}[i]);" if bounded else "out = 1;"
    far = f"if (*away > {number(reach.furthest)} && *finite) found |= 2;" if len(reach.directions) else ""
    body = w.piece("where", n=n, leverage=leverage, looked=looked, low=low, high=high, far=far)
    w.function("int", "where_", "const double *x, double *away, int *finite", body)


def _leverage(reach: Reach, w: Writer) -> str:
    """Write |directions @ (x - centre)|².

    Directions are turned (which changes no length) until the j-th looks at metrics from the j-th on alone.
    """
    turned: FloatArray = np.asarray(np.linalg.qr(reach.directions, mode="r"))
    k, n = turned.shape
    starts = range(0, k, AT_ONCE)
    parts = [np.vstack([turned[s : s + AT_ONCE], np.zeros((max(0, s + AT_ONCE - k), n))]) for s in starts]
    table = np.concatenate([own[:, s:].T.ravel() for s, own in zip(starts, parts, strict=True)])
    blocks: list[str] = []
    for s in starts:
        squares = " + ".join(f"d[{j}] * d[{j}]" for j in range(min(AT_ONCE, k - s)))
        blocks += w.piece("directions", at_once=AT_ONCE, s=s, n=n, squares=squares)
    body = w.piece("leverage", n=n, turned=table, centre=reach.centre, blocks=blocks)
    return w.function("double", "leverage_", "const double *x", body)


TOLERANCE = 1e-9
"""Of a self-test on a machine with another mathematical library; a proof asks for more."""


def main_text(program: Program, vectors: list[Vector], result: str, predict: str) -> str:
    """Return a main function that tries the vectors: each row holds metrics, value, low, high, flags.

    What is nearer to 0 than a hundredth of the median size is compared by that.
    """
    rows = [f"    {{\n{wrapped([number(v) for v in [*x, *right]], 108)}\n    }}" for x, *right in vectors]
    least = ", ".join(number(hundredth(column)) for column in list(zip(*vectors, strict=True))[1:4])
    told = {"n": len(rows), "least": least, "metrics": program.n, "width": program.n + 4, "tolerance": TOLERANCE}
    return filled("self_test.c", rows=",\n".join(rows), result=result, predict=predict, **told)
