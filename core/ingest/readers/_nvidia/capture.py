"""What a command-line profiler wrote: its messages, the application's output, and tables between them."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.frozen import Frozen
from core.ingest.readers._text import cells_of, without_empty_end

_LONGEST_RECORD = 200
"""Lines that one record may span: names of kernels that hold line ends are rare and short."""


@dataclass
class Capture:
    """The lines of a file, and what was noted of them while tables were read.

    Attributes
    ----------
    lines : without their ends; line 1 is lines[0]
    ended : whether the last line has an end; without one, the file may be cut off
    rest : (number, text) of the lines that belong to no table
    broken : (number, why) of the rows that cannot be read
    last : the number of the last row; 0 if there is none
    """

    lines: tuple[str, ...]
    ended: bool
    rest: list[tuple[int, str]] = field(default_factory=list)
    broken: list[tuple[int, str]] = field(default_factory=list)
    last: int = 0

    def add(self, line: int, text: str) -> None:
        """Note a line that is neither a header nor a row."""
        if text.strip(" \t,;"):
            self.rest.append((line, text))


class Row(Frozen):
    """A record of a table and the line that it begins on."""

    line: int
    cells: tuple[str, ...]


def capture_of(raw: bytes) -> Capture:
    """Return the lines of a text."""
    lines = raw.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ended = not lines[-1].strip()
    return Capture(tuple(lines[:-1] if ended else lines), ended)


@dataclass
class Table:
    """One table of a capture.

    Attributes
    ----------
    columns : its names, without empty ones at the end
    separator : "" if the table was printed for people
    units : by column, "" where there is none; empty if no column has one
    rows : only those that are whole
    """

    kind: str
    line: int
    columns: tuple[str, ...]
    separator: str
    units: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)

    def place(self, *names: str) -> int | None:
        """Return the first of these columns that the table has."""
        return next((self.columns.index(name) for name in names if name in self.columns), None)

    def cell(self, row: Row, *names: str) -> str:
        """Return the text in the first of these columns that the table has; "" if it has none."""
        place = self.place(*names)
        return "" if place is None else row.cells[place].strip()

    def unit(self, *names: str) -> str:
        """Return the unit of the first of these columns that the table has."""
        place = self.place(*names)
        return self.units[place] if self.units and place is not None else ""

    def lines(self) -> str:
        """Return where the table stands."""
        return span(self.line, self.rows[-1].line if self.rows else self.line)

    @cached_property
    def least(self) -> int:
        """How many cells a row has at least."""
        return len(self.columns)

    def fitted(self, cells: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return cells that are as many as the columns, without empty ones at the end; None for any others."""
        width = len(self.columns)
        if cells is None or len(cells) < self.least or any(cell.strip() for cell in cells[width:]):
            return None
        return cells[:width]

    def why_not(self, line: str) -> str:
        """Return why a line that begins like a row is none."""
        cells = cells_of(line, self.separator)
        has = "quotes that do not close" if cells is None else f"{len(cells)} cells"
        return f"not read: the row has {has}, the table {len(self.columns)} columns"


def span(first: int, last: int) -> str:
    """Return the name of some lines."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


class HeaderForm:
    """How a tool's tables begin: alternatives in a regular expression for what comes first, and the kind of columns."""

    def __init__(self, first: str, kind: Callable[[Sequence[str]], str]) -> None:
        self._kind = kind
        self._quoted = re.compile(rf'"(?:{first})"\s*([,;\t])')
        self._bare = re.compile(rf"\s*(?:{first})\s*([,;\t])")

    def read(self, line: str) -> tuple[str, tuple[str, ...], str] | None:
        """Return (kind, columns, separator) if a line, or its quoted end, begins a table; empty last columns go."""
        quoted = self._quoted.search(line)
        found = quoted or self._bare.match(line)
        cells = cells_of(line[quoted.start() if quoted else 0 :], found.group(1)) if found else None
        if found is None or cells is None:
            return None
        columns = without_empty_end(cell.strip() for cell in cells)
        kind = self._kind(columns)
        return (kind, columns, found.group(1)) if kind else None


def record(
    lines: Sequence[str], at: int, separator: str, width: int, begins: re.Pattern[str]
) -> tuple[tuple[str, ...], int] | None:
    """Return the cells of the record that begins at a line, and how many lines it spans; None if it is none.

    Parameters
    ----------
    at : index of its first line
    width : how many cells the table has; where quotes inside of quotes are not doubled, this many
        cells between `","` are taken
    begins : what a record begins with; a line that begins so ends the record before it
    """
    if (found := cells_of(lines[at], separator)) is not None:
        return found, 1
    if (spanning := _spanning(lines, at, separator, begins)) is not None:
        return spanning
    line, mark = lines[at].strip(), f'"{separator}"'
    if line.startswith('"') and line.endswith('"') and line.count(mark) == width - 1:
        return tuple(line[1:-1].split(mark)), 1
    return None


def _spanning(
    lines: Sequence[str], at: int, separator: str, begins: re.Pattern[str]
) -> tuple[tuple[str, ...], int] | None:
    stop = at + 1
    end = min(len(lines), at + _LONGEST_RECORD)
    while stop < end and not lines[stop].startswith("==") and not begins.match(lines[stop]):
        stop += 1
    texts = [line + "\n" for line in lines[at:stop]]
    reader = csv.reader(texts, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    try:
        found = next(reader)
    except (csv.Error, StopIteration):
        return None
    return (tuple(found), reader.line_num) if reader.line_num > 1 else None
