"""Tables that AMD's profilers write: the header wherever it stands, rows taken whole or left out with a reason."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from core.errors import ReadError
from core.ingest._names import MISSING_WORDS, shown
from core.ingest._open import OpenedText
from core.ingest.readers._builder import Builder

Names = frozenset[str]
Accepts = Callable[[Names], bool]
Row = tuple[int, list[str]]
"""Line number and cells, one per column."""

_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_COLUMN = re.compile(r"(?:[^\s`|]+(?: [^\s`|]+)?)?")
_SEPARATORS = (",", ";", "\t")
_LISTED = 6


def canonical(name: str) -> str:
    """Return a column's name as all generations of the tools would write it: `gpu-id`, `GPU_ID` are `gpu_id`."""
    return name.strip().casefold().replace("-", "_")


@dataclass(frozen=True)
class Header:
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


class Tally:
    """What was left out of a file: each reason once, with its lines."""

    def __init__(self) -> None:
        self._lines: dict[str, list[int]] = {}

    def add(self, line: int, why: str) -> None:
        """Say that something on a line was left out."""
        self._lines.setdefault(why, []).append(line)

    def tell(self, builder: Builder) -> None:
        """Hand all reasons to the import."""
        for why, lines in self._lines.items():
            builder.skip(_places(lines), why)

    def first(self) -> str:
        """Return the first reason with its place, as a sentence; "" if there is none."""
        return next((f" Left out {_places(lines)}: {why}." for why, lines in self._lines.items()), "")


def find_header(raw: bytes, hint: re.Pattern[bytes], accepts: Accepts) -> Header | None:
    """Return the first line that holds the hint and names the columns wanted; messages may stand before it."""
    done = -1
    for found in hint.finditer(raw):
        if found.start() < done:
            continue
        start = max(raw.rfind(b"\n", 0, found.start()), raw.rfind(b"\r", 0, found.start())) + 1
        ends = [e for e in (raw.find(b"\n", start), raw.find(b"\r", start)) if e >= 0]
        done = min(ends, default=len(raw))
        header = _header(raw[start:done].decode("utf-8", "replace"), accepts)
        if header:
            before = raw[:start]
            line = 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
            return Header(header.cells, line, header.separator)
    return None


def read_rows(text: OpenedText, header: Header, tally: Tally, name_column: int | None) -> list[Row]:
    """Return the rows under a header.

    Parameters
    ----------
    tally : takes the rows that are not whole
    name_column : the column that may hold commas although it is not quoted

    Raises
    ------
    ReadError
        If there is no row at all.
    """
    rows = list(_rows(text, header, tally, name_column))
    if not rows:
        raise ReadError(
            f"{text.name} has column names (line {header.line}) and no measurements: the profiler saw no kernel."
            f"{tally.first()} Check its filters, and run the capture again."
        )
    return rows


def number(cell: str) -> float | None:
    """Return the number in a cell; None if nothing was measured.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if _PLAIN.fullmatch(cell):
        value = float(cell)
    elif _GROUPED.fullmatch(cell):
        value = float(cell.replace(",", ""))
    elif not cell or cell.casefold() in MISSING_WORDS:
        return None
    else:
        raise ValueError(cell)
    if value in (float("inf"), float("-inf")):
        raise ValueError(cell)
    return value


def _header(line: str, accepts: Accepts) -> Header | None:
    for separator in (s for s in _SEPARATORS if s in line):
        cells = split_line(line, separator)
        if cells and len(cells) > 1 and accepts(frozenset(canonical(cell) for cell in cells)):
            if not all(_COLUMN.fullmatch(cell) for cell in cells):
                continue  # a sentence about such a table
            while cells and not cells[-1]:
                cells.pop()
            return Header(tuple(cells), 0, separator)
    return None


def split_line(line: str, separator: str = ",") -> list[str] | None:
    """Return the cells of a line, without white space around them; None if its quotes do not fit."""
    try:
        found = next(csv.reader([line.strip(" ")], delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return None
    return [cell.strip() for cell in found]


def _rows(text: OpenedText, header: Header, tally: Tally, name_column: int | None) -> Iterator[Row]:
    lines = io.StringIO(text.raw.decode(), newline=None).read().split("\n")
    last = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].strip()), 0)
    for i in range(header.line, last + 1):
        line = lines[i]
        if not line.strip():
            continue
        cells = split_line(line, header.separator)
        if cells is not None:
            cells = _fitted(cells, len(header.cells), None if '"' in line else name_column)
            if tuple(cells) == header.cells:
                continue
            if len(cells) == len(header.cells):
                yield i + 1, cells
                continue
        tally.add(i + 1, _why_not(line, cells, header, i == last))


def _fitted(cells: list[str], n: int, name_column: int | None) -> list[str]:
    """Return the cells without empty ones at the end, and with a name that was split at its commas in one."""
    while len(cells) > n and not cells[-1]:
        cells = cells[:-1]
    extra = len(cells) - n
    if extra > 0 and name_column is not None:
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


def _places(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    listed = ", ".join(str(line) for line in lines[:_LISTED])
    more = f" and {len(lines) - _LISTED} more" if len(lines) > _LISTED else ""
    return f"lines {listed}{more}"
