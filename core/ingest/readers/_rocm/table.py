"""Tables that AMD's profilers write: the header wherever it stands, rows taken whole or left out with a reason."""

import io
import re
from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

from core.frozen import Frozen
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.opening import line_of
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import fit
from core.ingest.readers._text import TextReader, cells_of, lines_with, without_empty_end

Names = frozenset[str]
Row = tuple[int, list[str]]
"""Line number and cells, one per column."""

_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_COLUMN = re.compile(r"(?:[^\s`|]+(?: [^\s`|]+)?)?")
_SEPARATORS = (",", ";", "\t")
_MISSING = ": it is missing there"


def canonical(name: str) -> str:
    """Return a column's name as all generations of the tools would write it: `gpu-id`, `GPU_ID` are `gpu_id`."""
    return name.strip().casefold().replace("-", "_")


class Header(Frozen):
    """The row of column names: as written, where it stands, and what separates its cells."""

    cells: tuple[str, ...]
    line: int
    separator: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names in their one form."""
        return tuple(canonical(cell) for cell in self.cells)

    @cached_property
    def places(self) -> dict[str, int]:
        """The first column of each name."""
        return {name: column for column, name in reversed(list(enumerate(self.names)))}

    def place(self, *names: str) -> int | None:
        """Return the first column with one of these names; None if there is none."""
        return next((self.places[name] for name in names if name in self.places), None)


class Table:
    """A table on its way into an import.

    Parameters
    ----------
    named_by : what the column is called that may hold commas although it is not quoted

    Raises
    ------
    ReadError
        If there is no row at all.
    """

    def __init__(self, builder: Builder, raw: bytes, header: Header, *named_by: str) -> None:
        self.builder, self.header, self.place = builder, header, header.place
        self.rows = list(_rows(builder, raw, header, header.place(*named_by)))
        if not self.rows:
            raise builder.refused(
                f"has column names (line {header.line}) and no measurements: the profiler saw no kernel."
                f"{builder.first_left_out()} Check its filters, and run the capture again."
            )

    def cell(self, row: Row, *names: str) -> str:
        """Return a row's cell in the first column with one of these names; "" if there is none."""
        column = self.place(*names)
        return row[1][column] if column is not None else ""

    def value(self, row: Row, column: int | None, instead: str = _MISSING) -> float | None:
        """Return a row's number; a cell that holds none is told."""
        if column is None:
            return None
        return number_told(self.builder, row[0], self.header.cells[column], row[1][column], instead)


class AmdReader(TextReader):
    """Reads a table whose header holds a hint; `lacks` says what a file without it has not.

    Its columns fit one of those `wanted`.
    """

    hint: ClassVar[re.Pattern[bytes]]
    lacks: ClassVar[str]
    named_by: ClassVar[tuple[str, ...]] = ()
    wanted: ClassVar[tuple[tuple[str, ...], ...]]

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns wanted."""
        return self.header(head) is not None

    def header(self, raw: bytes) -> Header | None:
        """Return the first line that holds the hint and names the columns wanted; messages may stand before it."""
        for start, line in lines_with(raw, self.hint):
            for separator in (s for s in _SEPARATORS if s in line):
                cells = split_line(line, separator) or []
                sentence = not all(map(_COLUMN.fullmatch, cells))  # about such a table
                if len(cells) > 1 and not sentence and self.accepts(frozenset((*cells, *map(canonical, cells)))):
                    return Header(without_empty_end(cells), line_of(raw, start), separator)
        return None

    def accepts(self, names: Names) -> bool:
        """Whether columns with these names, as written and as all generations would write them, are the format's."""
        return any(fit(names, own) for own in self.wanted)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the rows below the header."""
        if (header := self.header(raw)) is None:
            raise builder.refused(self.without(raw))
        if why := self.no_use(header):
            raise builder.refused(why)
        self.put(Table(builder, raw, header, *self.named_by))

    def without(self, raw: bytes) -> str:
        """Return what is said of a file without the header."""
        return self.lacks

    def no_use(self, header: Header) -> str:
        """Return why a table is of no use although its columns are the format's; "" if it is of use."""
        return ""

    @abstractmethod
    def put(self, table: Table) -> None:
        """Put down the rows of a table."""


def number(cell: str) -> float | None:
    """Return the number in a cell; None if nothing was measured.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if not cell or cell.casefold() in MISSING_WORDS:
        return None
    written = _PLAIN.fullmatch(cell) or _GROUPED.fullmatch(cell)
    if not written or abs(value := float(cell.replace(",", ""))) == float("inf"):
        raise ValueError(cell)
    return value


def number_told(builder: Builder, line: int, name: str, cell: str, instead: str = _MISSING) -> float | None:
    """Return the number in a cell; one that holds none is told, with what becomes of it."""
    try:
        return number(cell)
    except ValueError:
        builder.leave_out(line, f"'{shown(name)}' is '{shown(cell)}', expected a number{instead}")
        return None


def split_line(line: str, separator: str) -> list[str] | None:
    """Return the cells of a line, without white space around them; None if its quotes do not fit."""
    cells = cells_of(line, separator)
    return None if cells is None else [cell.strip() for cell in cells]


def _rows(builder: Builder, raw: bytes, header: Header, name_column: int | None) -> Iterator[Row]:
    lines = io.StringIO(raw.decode(), newline=None).read().split("\n")
    last = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].strip()), 0)
    for i in range(header.line, last + 1):
        if not (line := lines[i]).strip():
            continue
        cells = split_line(line, header.separator)
        fitted = cells and _fitted(cells, len(header.cells), None if '"' in line else name_column)
        if not fitted or len(fitted) != len(header.cells):
            builder.leave_out(i + 1, _why_not(line, fitted, header, i == last))
        elif tuple(fitted) != header.cells:
            yield i + 1, fitted


def _fitted(cells: list[str], n: int, name_column: int | None) -> list[str]:
    """Return the cells without empty ones at the end, and with a name that was split at its commas in one."""
    while len(cells) > n and not cells[-1]:
        cells = cells[:-1]
    if (extra := len(cells) - n) > 0 and name_column is not None:
        end = name_column + extra + 1
        cells = [*cells[:name_column], ", ".join(cells[name_column:end]), *cells[end:]]
    return cells


def _why_not(line: str, cells: list[str] | None, header: Header, last: bool) -> str:
    n = len(header.cells)
    if cells is not None and len(cells) == 1 and n > 2:
        return f"no row of the table but a message: '{shown(line.strip())}'"
    if last and (cells is None or len(cells) < n):
        return "the file breaks off within this row"
    if cells is None:
        return "its quotation marks do not fit together"
    return f"it has {len(cells)} cells and the header {n}"
