"""A table too large for memory: the same steps as in `_table`, with its cells and numbers in temporary files."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError
from core.ingest.table._large.cells import LargeCells, Origin, Packed, Piece, pack
from core.ingest.table._large.numbers import chosen_columns, large_numbers, matrix_of
from core.ingest.table._large.rows import Beginning, Some, find_beginning, some_rows
from core.ingest.table._large.source import Source
from core.ingest.table._large.spill import Columns, Spill
from core.ingest.table._large.text import BLOCK, LargeText, NotUtf8Error, exhaust, windows_text
from core.ingest.table._large.texts import LineTexts
from core.ingest.table._large.threads import ahead
from core.ingest.table.numbers import Numbers, Style
from core.ingest.table.rows import Rows
from core.ingest.table.table import Table, shaped_table
from core.progress import Progress, part, silent
from core.texts import constant

MAX_ROWS = 2_000_000_000
_READ = 0.7
"""The part of the work that is reading; the rest is making numbers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeTable(Table):
    """A table whose cells are `LargeCells`."""

    spill: Spill
    columns_on_disk: Columns
    progress: Progress = silent

    def numbers(self, place: int, style: Style) -> Numbers:
        """Return the numbers of a column."""
        self.progress(place / len(self.names), f"{self.source}: numbers of '{self.names[place]}'")
        cells = self.columns[place]
        if not isinstance(cells, LargeCells):
            return super().numbers(place, style)
        again = ("numbers", place) in self.memo
        self.memo["numbers", place] = True
        return large_numbers(cells, style, self.columns_on_disk, again=again)

    def matrix(self, numbers: Sequence[Numbers], rows: IntArray) -> FloatArray:
        """Return the numbers of some rows, array of shape (n_rows, n_columns)."""
        return matrix_of(self.columns_on_disk, numbers, rows)

    def chosen(self, values: FloatArray, places: Sequence[int]) -> FloatArray:
        """Return some columns of such a matrix."""
        return chosen_columns(self.columns_on_disk, values, places)

    def repeated(self, text: str, n: int) -> Sequence[str]:
        """Return one text `n` times."""
        return constant(text, n)

    def where(self, rows: IntArray | None = None) -> Sequence[str]:
        """Return where rows stand in their file, as in `line 14`."""
        return LineTexts(self.lines if rows is None or len(rows) == len(self) else self.lines[rows])


def read_large_table(
    path: Path, *, folder: Path | None = None, progress: Progress = silent, block: int = BLOCK
) -> LargeTable:
    """Return the table in a file of any size: what `read_table` returns, with little of it in memory.

    Parameters
    ----------
    folder : where its temporary files are; the system's own folder for them if not given
    block : bytes that are looked at together

    Raises
    ------
    ReadError
        As `read_table`, in the same words, or if there is no room for the temporary files.
    """
    try:
        return _read(LargeText(path, block=block, progress=part(progress, 0.0, _READ)), folder, progress)
    except NotUtf8Error:
        warning = windows_text(LargeText(path, block=block))
    return _read(LargeText(path, block=block, progress=part(progress, 0.0, _READ), windows=warning), folder, progress)


def _read(text: LargeText, folder: Path | None, progress: Progress) -> LargeTable:
    spill = Spill(folder)
    blocks = ahead(text.blocks())
    try:
        begins = find_beginning(text.name, blocks)
        rows, trimmed, columns = _Reading(text, begins, spill).run()
    except ReadError:
        exhaust(blocks)
        raise
    table = shaped_table(text, begins.start, begins.separator, rows, trimmed)
    plain = {field.name: getattr(table, field.name) for field in fields(Table)}
    columns.n_rows, columns.skip = len(table), int(np.searchsorted(rows.lines, table.lines[0]))
    return LargeTable(**plain, spill=spill, columns_on_disk=columns, progress=part(progress, _READ, 1.0))


class _Reading:
    """The rows of a table on their way to disk."""

    def __init__(self, text: LargeText, begins: Beginning, spill: Spill) -> None:
        self._text, self._begins, self._spill = text, begins, spill
        self._width = len(begins.header)
        self._source = Source(text, begins) if text.start is not None else None
        self._columns = Columns(spill, self._source.most_rows if self._source else 0)
        self._places: list[int | None] = [None] * self._width

    def run(self) -> tuple[Rows, tuple[int, ...], Columns]:
        """Return all rows without spaces around their cells, how many cells of each column had some, and the numbers.

        Numbers are written at once where it is known how many rows there can be at most.
        """
        kept: list[list[Packed]] = []
        plain: list[bool] = []
        lines, n = self._spill.another(), 0
        for some, packed in some_rows(self._text.name, self._begins, self._pack):
            if self._source:
                self._source.refuse_more(n + len(some.lines))
            plain.append(some.plain)
            kept.append(self._with_numbers(packed, n))
            lines.put(some.lines)
            n += len(some.lines)
            if n > MAX_ROWS:
                raise ReadError(f"{self._text.name} has over {MAX_ROWS:,} rows. Split it.")
        if self._source is None:
            self._columns = Columns(self._spill, n)
        self._columns.n_rows = n
        cells = tuple(self._cells(i, [packed.piece for packed in column])
                      for i, column in enumerate(zip(*(packed for packed in kept if packed), strict=True)))  # fmt: skip
        rows = Rows(self._begins.header, cells, lines.array(np.int64, n))
        return rows, _n_trimmed(kept, plain, self._begins), self._columns

    def _pack(self, some: Some) -> list[Packed]:
        """Keep the cells of some rows; those of the first rows are looked at often, and always kept on disk."""
        again = self._source is not None and some.block is not None and some.block.line != self._begins.line
        at, size = (some.block.at, len(some.block.raw)) if some.block else (0, 0)
        return [
            pack(self._spill, cells, Origin(at, size, i) if again else None) for i, cells in enumerate(some.columns)
        ]

    def _with_numbers(self, packed: list[Packed], row: int) -> list[Packed]:
        """Write what are plainly numbers to their columns, and return the rest of what is to be kept."""
        if self._source is None:
            return [replace(own, values=None) for own in packed]
        found = []
        for i, own in enumerate(packed):
            if own.values is not None:
                place = self._places[i]
                place = self._places[i] = self._columns.add() if place is None else place
                self._columns.write(place, row, own.values)
                own = replace(own, piece=replace(own.piece, row=row), values=None)
            found.append(own)
        return found

    def _cells(self, i: int, pieces: list[Piece]) -> LargeCells:
        place, again = self._places[i], self._source.cells if self._source else None
        numbers = None if place is None else self._columns.column(place)
        return LargeCells(
            spill=self._spill, pieces=tuple(pieces), again=again, numbers=numbers, column=place
        )


def _n_trimmed(kept: list[list[Packed]], plain: list[bool], begins: Beginning) -> tuple[int, ...]:
    """Return how many cells of each column had spaces around them.

    Where there are quotes anywhere in a small file, blanks in front of a cell are not counted, as
    they belong to the separator.
    """
    skipping = begins.separator != "\t" and (begins.quoted or not all(plain))
    counts = [
        [p.trimmed_behind if skipping and own_plain else p.trimmed for p in packed]
        for packed, own_plain in zip(kept, plain, strict=True)
    ]
    return tuple(sum(column) for column in zip(*filter(None, counts), strict=True))
