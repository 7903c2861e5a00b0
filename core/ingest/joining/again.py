"""Tables of the same runs in two forms, as a CSV and the Markdown beside it: one of them is left out."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray
from core.ingest._lookup import by_key
from core.ingest.joining.links import outcomes
from core.ingest.recognition import words as lexicon
from core.ingest.table.columns import study
from core.ingest.table.table import Table

_MOST_TABLES, _MOST_ROWS, _LEAST_ROWS = 64, 10_000, 3
"""Tables of a folder that are compared, and their rows; of fewer than three any two may be alike by chance."""
_TELLING = 3
"""Digits with which an outcome tells that it is the same run's."""


def without_twins(tables: Sequence[Table]) -> list[Table]:
    """Return tables but those of which another one in the same folder has all columns, cell for cell.

    Outcomes agree to the digits that the shorter of the two has. Of the same names all are kept: they are repeats.
    """
    folders = by_key((table.source.rpartition("/")[0], table) for table in tables)
    kept = [table for own in folders.values() for table in _apart(own)]
    there = {*map(id, kept)}
    left = [table.source for table in tables if id(table) not in there]
    if left:
        several = f" and {len(left) - 1} more have" if len(left) > 1 else " has"
        told = f"{left[0]}{several} the same runs again as what lies beside: left out."
        kept[0] = replace(kept[0], warnings=(*kept[0].warnings, told))
    return kept


def _apart(tables: Sequence[Table]) -> Sequence[Table]:
    found = sorted(tables, key=lambda table: -len(table.names))
    if len({table.names for table in tables}) == 1 or len(tables) > _MOST_TABLES:
        return tables
    for other in reversed([*found]):
        if any(own.names != other.names and _has_all(own, other) for own in found):
            found = [own for own in found if own is not other]
    return found


def _has_all(table: Table, other: Table) -> bool:
    """Whether each column of another table is one of this table's, with an outcome among them."""
    if len(table) != len(other) or not _LEAST_ROWS <= len(other) <= _MOST_ROWS:
        return False
    places = {lexicon.key(name): i for i, name in enumerate(table.names)}
    pairs = [(places.get(lexicon.key(name), -1), j) for j, name in enumerate(other.names)]
    measured = {other.find(name) for name in outcomes(other)}
    same = all(i >= 0 and table.units[i] == other.units[j] and _agree(table, i, other, j) for i, j in pairs)
    return same and any(_tells(other.columns[j].texts()) for j in measured)


def _agree(table: Table, i: int, other: Table, j: int) -> bool:
    """Whether two columns hold the same texts, or numbers that are the same but for rounding."""
    own, its = study(table).columns[i], study(other).columns[j]
    if not (own.numeric and its.numeric):
        return [*map(str.lower, table.columns[i].texts())] == [*map(str.lower, other.columns[j].texts())]
    last = np.fmax(_last_digit(table.columns[i].texts()), _last_digit(other.columns[j].texts()))
    values = own.numbers.values, its.numbers.values
    missing = np.isnan(values[0]) & np.isnan(values[1])
    return bool((missing | (np.abs(values[0] - values[1]) <= 0.5000001 * last)).all())


def _last_digit(texts: Sequence[str]) -> FloatArray:
    """Return what one at the last digit of each number is worth, shape (n,); NaN of other texts."""
    parts = [re.fullmatch(r"[+-]?\d*\.?(\d{0,99})(?:[eE]([+-]?\d{1,2}))?", text) for text in texts]
    return np.array([10.0 ** (int(own[2] or 0) - len(own[1])) if own else np.nan for own in parts])


def _tells(texts: Sequence[str]) -> bool:
    """Whether most numbers have digits enough to be met once."""
    digits = [len(re.sub(r"[eE].*|\D", "", text).lstrip("0")) for text in texts]
    return 2 * sum(n >= _TELLING for n in digits) > len(digits) and len({*texts}) > 1
