"""Pieces of C and C++ text: numbers, tables, and the few places where the two languages differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray, IntArray

LARGEST = "1.7976931348623157e308"


@dataclass(frozen=True)
class Dialect:
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
