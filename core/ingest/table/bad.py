"""Cells that their column's role does not allow: which, why, and what to do about them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import IntArray
from core.ingest.names import shown
from core.ingest.table.columns import Column
from core.ingest.table.numbers import why_bad
from core.ingest.table.table import Table
from core.trial import Skipped

_NUMBER = "expected a number"
_FIX = "Fix the row, or import with --missing drop."
_RELABEL = "Make the column a label, ignore it, or import with --missing drop."


@dataclass(frozen=True)
class BadCells:
    """The cells of one column that are not what its role needs.

    Attributes
    ----------
    place : the column
    rows : where the cells are, ascending
    noun : what the column is, such as "metric"
    """

    place: int
    rows: IntArray
    noun: str

    def why(self, table: Table, row: int) -> str:
        """Return half a sentence about the cell in a row."""
        text, subject = table.columns[self.place][row], f"{self.noun} '{table.names[self.place]}'"
        return f"{subject} is '{shown(text)}', {why_bad(text)}" if text else f"{subject} is empty, expected a name"

    def remedy(self, table: Table, row: int) -> str:
        """Return what to do about the cell in a row."""
        text = table.columns[self.place][row]
        return _RELABEL if text and why_bad(text) != _NUMBER else _FIX


def not_numbers(column: Column, noun: str) -> BadCells:
    """Return the cells of a column that are neither numbers nor empty."""
    return BadCells(column.place, column.numbers.bad, noun)


def not_named(table: Table, place: int, noun: str) -> BadCells:
    """Return the empty cells of a column that names something."""
    return BadCells(place, np.flatnonzero(table.columns[place].equal("")), noun)


def bad_rows(bad: Sequence[BadCells]) -> IntArray:
    """Return the rows that have such a cell, ascending."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(cells.rows for cells in bad)]))


def sentence(table: Table, bad: Sequence[BadCells]) -> str:
    """Return one sentence about the first of some cells, and how many more there are; "" if there are none."""
    some = [cells for cells in bad if len(cells.rows)]
    if not some:
        return ""
    first = min(some, key=lambda cells: (int(cells.rows[0]), cells.place))
    row, others = int(first.rows[0]), sum(len(cells.rows) for cells in some) - 1
    more = f" (and {others:,} more like it)" if others else ""
    return f"{table.place(row)}: {first.why(table, row)}{more}. {first.remedy(table, row)}"


def skipped_rows(table: Table, bad: Sequence[BadCells]) -> tuple[Skipped, ...]:
    """Return each row that has such a cell, with all the reasons."""
    reasons: dict[int, list[str]] = {row: [] for row in bad_rows(bad).tolist()}
    for cells in sorted(bad, key=lambda cells: cells.place):
        for row in cells.rows.tolist():
            reasons[row].append(cells.why(table, row))
    where = table.where() if reasons else ()
    return tuple(Skipped(where[row], "; ".join(whys)) for row, whys in reasons.items())
