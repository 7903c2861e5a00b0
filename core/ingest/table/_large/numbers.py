"""The numbers of a column too long for memory, as `_numbers` reads them: piece by piece, kept on disk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.ingest.table._large.cells import LargeCells
from core.ingest.table._large.spill import Columns
from core.ingest.table.cells import BoolArray, Cells
from core.ingest.table.numbers import Numbers, Style, read_numbers
from core.mapped import is_mapped, release
from core.texts import STEP


@dataclass(frozen=True)
class LargeNumbers(Numbers):
    """Numbers on disk; `column` is their place in a matrix, None if there is not one number."""

    column: int | None = None


def large_numbers(cells: LargeCells, style: Style, columns: Columns, *, again: bool = False) -> LargeNumbers:
    """Return the numbers of a column; they are one of the columns of a matrix on disk.

    Pieces that are plainly numbers were written there when they were read.

    Parameters
    ----------
    again : whether this was already asked, so that what is written has to stay
    """
    known = style.decimal == "." and cells.column is not None and not again
    column = cells.column if known else None
    todo = [i for i, piece in enumerate(cells.pieces) if not (known and piece.row is not None)]
    empties = _empties(cells) if known else {}
    bad = _Bad(cells, columns)

    def read(some: Cells) -> Numbers:
        return read_numbers(some, style)

    for number, (found, codes) in zip(todo, cells.each(read, todo), strict=True):
        start = cells.starts[number]
        values, empty, wrong = _spread(found, codes)
        if column is None and found.n_numbers:
            column = columns.add()
            _fill(columns, column, start)
        if column is not None:
            columns.write(column, columns.skip + start, values)
        if empty.any():
            empties[start] = empty
        bad.add(start, len(values), wrong)
    return LargeNumbers(
        values=np.broadcast_to(np.nan, (len(cells),)) if column is None else columns.column(column),
        empty=_assembled(cells, empties),
        bad=bad.rows(),
        column=column,
    )


class _Bad:
    """The rows that are no numbers, on disk; a column of words writes none, as these are all rows."""

    def __init__(self, cells: LargeCells, columns: Columns) -> None:
        self._n_rows, self._columns = len(cells), columns
        self._spill = cells.spill.another()
        self._n = self._from_start = 0

    def add(self, start: int, n_rows: int, rows: IntArray) -> None:
        """Take the rows of the next piece, which begins at `start`."""
        if self._from_start == start and len(rows) == n_rows:
            self._from_start += n_rows
            return
        if not self._n:
            for first in range(0, self._from_start, STEP):
                self._put(np.arange(first, min(first + STEP, self._from_start), dtype=np.int64))
        self._put(rows + start)

    def _put(self, rows: IntArray) -> None:
        self._n += len(rows)
        if len(rows):
            self._spill.put(rows)

    def rows(self) -> IntArray:
        """Return all of them."""
        if self._n:
            return np.asarray(self._spill.array(np.int64, self._n))
        return self._columns.row_numbers()[: self._from_start]


def _empties(cells: LargeCells) -> dict[int, BoolArray]:
    """Return which cells are empty in pieces of plain numbers, by the pieces' first rows."""
    found = {}
    for number, (start, piece) in enumerate(zip(cells.starts, cells.pieces, strict=False)):
        values = cells.values(number) if piece.empties else None
        if values is not None:
            found[start] = np.isnan(values)
    return found


def _assembled(cells: LargeCells, empties: Mapping[int, BoolArray]) -> BoolArray:
    """Return which cells are empty, from what is known of the pieces that have some."""
    if not empties:
        return np.broadcast_to(np.False_, (len(cells),))
    spill = cells.spill.another()
    for start, empty in empties.items():
        spill.write(start, empty)
    return spill.array(np.bool_, len(cells))


def matrix_of(columns: Columns, numbers: Sequence[Numbers], rows: IntArray) -> FloatArray:
    """Return the numbers of some rows as a matrix on disk, array of shape (n_rows, n_columns)."""
    places = [n.column if isinstance(n, LargeNumbers) else None for n in numbers]
    first = places[0] if places else None
    if first is not None and len(rows) == columns.n_rows and places == list(range(first, first + len(places))):
        return columns.matrix(first, len(places))
    return copied(columns.another(len(rows)), [n.values for n in numbers], rows)


def copied(columns: Columns, values: Sequence[FloatArray], rows: IntArray | None = None) -> FloatArray:
    """Return some columns, or some of their rows, as a new matrix on disk."""
    for own in values:
        column = columns.add()
        for start in range(0, columns.n_rows, STEP):
            some = slice(start, start + STEP)
            columns.write(column, start, own[some] if rows is None else own[rows[some]])
        release(own)
    return columns.matrix(0, len(values)) if len(values) else np.empty((columns.n_rows, 0))


def chosen_columns(columns: Columns, values: FloatArray, places: Sequence[int]) -> FloatArray:
    """Return some columns of a matrix: what is on disk stays there."""
    if not is_mapped(values):
        return np.ascontiguousarray(values[:, list(places)])
    if list(places) == list(range(places[0], places[0] + len(places))) if places else False:
        return values[:, places[0] : places[0] + len(places)]
    return copied(columns.another(len(values)), [values[:, place] for place in places])


def _spread(found: Numbers, codes: npt.NDArray[np.int32] | None) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return (values, which are empty, rows of those that are no numbers) of a piece."""
    if codes is None:
        return found.values, found.empty, found.bad
    wrong = np.zeros(len(found.values), dtype=np.bool_)
    wrong[found.bad] = True
    return found.values[codes], found.empty[codes], np.flatnonzero(wrong[codes])


def _fill(columns: Columns, column: int, stop: int) -> None:
    """Write NaN before the first piece that has numbers."""
    for start in range(0, stop, STEP):
        columns.write(column, columns.skip + start, np.full(min(STEP, stop - start), np.nan))
