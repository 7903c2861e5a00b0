"""Pieces of SQL text: numbers, layers of columns, and what a blend's members say together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray
from core.export._program import LEAST, MOST, Blend

INFINITE = "CAST('Infinity' AS double precision)"
NOTHING = "CAST(NULL AS double precision)"
SMALLEST = "-600e0"
"""Below this an exponential counts as 0: PostgreSQL fails where a number is too small for a double."""


def number(value: float) -> str:
    """Return a double; with an exponent, as 0.1 alone would be a decimal number."""
    if np.isnan(value):
        return NOTHING
    if np.isinf(value):
        return INFINITE if value > 0 else f"-{INFINITE}"
    text = repr(float(value))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text


def total(parts: Sequence[str]) -> str:
    """Return a sum in halves of halves, so that no parser runs out of depth."""
    if len(parts) <= 8:
        return " + ".join(parts) if parts else "0e0"
    middle = len(parts) // 2
    return f"({total(parts[:middle])}) + ({total(parts[middle:])})"


def weighted(weights: Iterable[float], columns: Iterable[str]) -> list[str]:
    """Return weight * column for weights that are not 0."""
    return [f"{number(w)} * {c}" for w, c in zip(weights, columns, strict=True) if w != 0]


def scaled(columns: Iterable[str], offset: FloatArray, divisor: FloatArray) -> list[str]:
    """Return (column - offset) / divisor of columns."""
    given = zip(columns, offset.tolist(), divisor.tolist(), strict=True)
    return [f"({c} - {number(o)}) / {number(d)}" for c, o, d in given]


def log(x: str) -> str:
    """Return ln of a column, nothing where it is not positive."""
    return f"CASE WHEN {x} > 0 THEN ln({x}) END"


def log1p(x: str, bound: str = ">= 0") -> str:
    """Return ln(1 + x) of a column to all digits, nothing outside the bound (Kahan's way)."""
    u = f"(1e0 + {x})"
    return f"CASE WHEN {x} {bound} THEN CASE WHEN {u} = 1e0 THEN {x} ELSE ln{u} * ({x} / ({u} - 1e0)) END END"


def log2(x: str) -> str:
    """Return the logarithm of base 2 of a column, nothing where it is not positive."""
    return f"CASE WHEN {x} > 0 THEN ln({x}) / {number(float(np.log(2.0)))} END"


def small_exp(x: str) -> str:
    """Return exp of a column that is not above 0."""
    return f"CASE WHEN {x} > {SMALLEST} THEN exp({x}) ELSE 0e0 END"


@dataclass
class Layers:
    """Named queries, each the one before with more columns.

    Attributes
    ----------
    parts : texts such as "l1 AS (SELECT …)"
    last : the name of the newest layer
    """

    last: str
    parts: list[str] = field(default_factory=list)

    def add(self, columns: Mapping[str, str], also: str = "") -> None:
        """Put a layer with more columns on top; `also` are further sources, joined by the id of `l`."""
        if not columns:
            return
        name = f"l{len(self.parts)}"
        listed = "".join(f",\n    {expression} AS {column}" for column, expression in columns.items())
        self.parts.append(f"{name} AS MATERIALIZED (\n  SELECT l.*{listed}\n  FROM {self.last} l{also}\n)")
        self.last = name

    def table(self, name: str, columns: Sequence[str], rows: Iterable[Sequence[float | int]]) -> None:
        """Add a table of constants; whole numbers stay whole."""
        rows = list(rows)
        kinds = ["bigint" if isinstance(v, int) else "double precision" for v in rows[0]]
        texts = ("(" + ", ".join(str(v) if isinstance(v, int) else number(v) for v in row) + ")" for row in rows)
        cast = ", ".join(f"CAST({c} AS {k}) AS {c}" for c, k in zip(columns, kinds, strict=True))
        values = "VALUES\n    " + ",\n    ".join(texts)
        self.query(name, f"SELECT {cast} FROM ({values}) AS v({', '.join(columns)})")

    def query(self, name: str, text: str) -> None:
        """Add a named query as it is."""
        self.parts.append(f"{name} AS MATERIALIZED (\n  {text}\n)")  # inlined, expressions would multiply


def write_mixture(node: Blend, w: Layers, m: str) -> None:
    """Add the column z_{m}, over the members' predictions {m}b0v, {m}b1v, … (nothing or infinite where refused)."""
    members = range(len(node.members))
    given, v = [f"{m}b{k}v" for k in members], [f"{m}v{k}" for k in members]
    log = node.log and not node.sum
    known = [f"abs({c}) < {INFINITE}{f' AND {c} > 0' if log else ''}" for c in given]
    value = [f"ln({c})" if log else c for c in given]
    weights = node.weights.tolist()
    w.add({f"{m}w{k}": f"CASE WHEN {known[k]} THEN {number(weights[k])} ELSE 0e0 END" for k in members})
    w.add({v[k]: f"CASE WHEN {m}w{k} > 0 THEN {value[k]} ELSE 0e0 END" for k in members})
    share = total([f"{m}w{k}" for k in members])
    w.add({f"{m}total": f"NULLIF({share}, 0e0)"})
    if node.sum:
        whole = number(float(node.weights.sum()))
        w.add({f"{m}sum": f"({total([f'{m}w{k} * {v[k]}' for k in members])}) * ({whole} / {m}total)"})
        w.add({f"z_{m}": f"CASE WHEN {m}sum > 0 THEN ln({m}sum) END" if node.log else f"{m}sum"})
        return
    if np.isfinite(node.bound):
        _write_median(w, m, v)
        low, high = f"{m}middle - {number(node.bound)}", f"{m}middle + {number(node.bound)}"
        v = [f"LEAST(GREATEST({c}, {low}), {high})" for c in v]
    w.add({f"z_{m}": f"({total([f'{m}w{k} * {c}' for k, c in enumerate(v)])}) / {m}total"})


def _write_median(w: Layers, m: str, v: list[str]) -> None:
    """Add the middle of the first values with half of the weight, and with more than half, at or below them."""
    members = range(len(v))
    below = [total([f"CASE WHEN {v[j]} <= {v[k]} THEN {m}w{j} ELSE 0e0 END" for j in members]) for k in members]
    w.add({f"{m}r{k}": text for k, text in enumerate(below)})

    def first(reached: str) -> str:
        tests = (f"{m}w{k} > 0 AND {m}r{k} {reached} * {m}total" for k in members)
        cases = (f"CASE WHEN {test} THEN {c} ELSE {INFINITE} END" for test, c in zip(tests, v, strict=True))
        return f"LEAST({', '.join(cases)})"

    halves = first(f">= {number(LEAST)}"), first(f"> {number(MOST)}")
    w.add({f"{m}middle": f"0.5e0 * ({halves[0]} + {halves[1]})"})
