"""Cells that their column's role does not allow: which, why, and what to do about them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.ingest._columns import Column
from core.ingest._names import shown
from core.ingest._numbers import why_bad
from core.ingest._table import Table
from core.trial import Skipped

_FIX = "Fix the row, or import with --missing drop."
_RELABEL = "Make the column a label, ignore it, or import with --missing drop."


@dataclass(frozen=True)
class BadCell:
    """A cell by its row and column, the reason as half a sentence, and the remedy."""

    row: int
    column: int
    why: str
    remedy: str


def not_numbers(table: Table, column: Column, noun: str) -> list[BadCell]:
    """Return the cells of a column that are neither numbers nor empty."""
    found = []
    for row in column.numbers.bad.tolist():
        text = table.columns[column.place][row]
        why = why_bad(text)
        remedy = _FIX if why == "expected a number" else _RELABEL
        found.append(BadCell(row, column.place, f"{noun} '{column.name}' is '{shown(text)}', {why}", remedy))
    return found


def not_named(table: Table, place: int, noun: str) -> list[BadCell]:
    """Return the empty cells of a column that names something."""
    why = f"{noun} '{table.names[place]}' is empty, expected a name"
    return [BadCell(row, place, why, _FIX) for row in np.flatnonzero(table.columns[place].equal("")).tolist()]


def in_order(cells: Sequence[BadCell]) -> tuple[BadCell, ...]:
    """Return cells in the order of the file."""
    return tuple(sorted(cells, key=lambda cell: (cell.row, cell.column)))


def sentence(table: Table, cells: Sequence[BadCell]) -> str:
    """Return one sentence about the first of some cells, and how many more there are."""
    more = f" (and {len(cells) - 1:,} more like it)" if len(cells) > 1 else ""
    return f"{table.place(cells[0].row)}: {cells[0].why}{more}. {cells[0].remedy}"


def skipped_rows(table: Table, cells: Sequence[BadCell]) -> tuple[Skipped, ...]:
    """Return each row that has such a cell, with all the reasons."""
    reasons: dict[int, list[str]] = {}
    for cell in cells:
        reasons.setdefault(cell.row, []).append(cell.why)
    where = table.where() if reasons else ()
    return tuple(Skipped(where[row], "; ".join(whys)) for row, whys in reasons.items())
