"""Rows that are no trials and columns without a name: row numbers, units below the names, empty rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.codec import IntArray
from core.errors import ReadError
from core.ingest._names import MISSING_WORDS
from core.ingest._units import KNOWN, is_unit
from core.ingest.table.cells import Cells
from core.ingest.table.rows import Rows
from core.trial import Skipped

_PLAIN_NUMBER = re.compile(r"[+-]?[\d,]*\.?\d+([eE][+-]?\d+)?")
_NAME_COLUMNS = ("countername", "metricname", "eventname", "counter", "metric", "event")
_VALUE_COLUMNS = ("countervalue", "metricvalue", "value", "values", "avg")


@dataclass(frozen=True)
class Shaped:
    """Rows with what was left out of them, and the units that a row below the names gave."""

    rows: Rows
    units: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()


def drop_nameless(name: str, rows: Rows) -> Shaped:
    """Leave out columns without a name that hold nothing, or at the left the rows' numbers."""
    warnings: list[str] = []
    kept: list[int] = []
    for i, (header, cells) in enumerate(zip(rows.header, rows.columns, strict=True)):
        what = "" if header.strip() else _nothing(i, cells)
        if what:
            warnings.append(f"{name}: column {i + 1} has no name and holds {what}: left out.")
        else:
            kept.append(i)
    if not warnings:
        return Shaped(rows)
    named = Rows(tuple(rows.header[i] for i in kept), tuple(rows.columns[i] for i in kept), rows.lines)
    return Shaped(named, warnings=tuple(warnings))


def take_unit_row(shaped: Shaped, units: Sequence[str]) -> Shaped:
    """Take a first row such as `,,ns,%` as the units of the columns; otherwise keep `units`."""
    rows = shaped.rows
    given = [cells[0] for cells in rows.columns]
    if len(rows.lines) < 2 or not _is_unit_row(given, [cells[1] for cells in rows.columns]):
        return replace(shaped, units=tuple(units))
    skipped = Skipped(f"line {rows.lines[0]}", f"units of {sum(map(bool, given))} columns, read as such")
    below = replace(rows, columns=tuple(c.slice(1) for c in rows.columns), lines=rows.lines[1:])
    return replace(
        shaped,
        rows=below,
        units=tuple(new or old for new, old in zip(given, units, strict=True)),
        skipped=(*shaped.skipped, skipped),
    )


def drop_empty_rows(name: str, shaped: Shaped) -> Shaped:
    """Leave out rows that hold nothing at all, as spreadsheets write them.

    Raises
    ------
    ReadError
        If no other rows are there.
    """
    rows = shaped.rows
    empty = np.ones(len(rows.lines), dtype=np.bool_)
    for cells in rows.columns:
        empty &= cells.equal("")
        if not empty.any():
            return shaped
    if empty.all():
        raise ReadError(f"{name} has column names, but all rows below them are empty.")
    kept: IntArray = np.flatnonzero(~empty)
    skipped = tuple(Skipped(f"line {line}", "all its cells are empty") for line in rows.lines[empty])
    below = replace(rows, columns=tuple(c.take(kept) for c in rows.columns), lines=rows.lines[kept])
    return replace(shaped, rows=below, skipped=(*shaped.skipped, *skipped))


def refuse_long_table(name: str, names: Sequence[str]) -> None:
    """Raise ReadError if each row is one counter of a run: a row must be one trial."""
    plain = {re.sub(r"[\W_]", "", own).lower(): own for own in names}
    of = next((plain[key] for key in _NAME_COLUMNS if key in plain), None)
    value = next((plain[key] for key in _VALUE_COLUMNS if key in plain), None)
    if of and value:
        raise ReadError(
            f"{name} has one counter on each row ('{of}', '{value}'), expected one trial on each row. "
            "Turn the counters into columns, or use the reader of the program that wrote it."
        )


def _nothing(place: int, cells: Cells) -> str:
    if place == 0 and len(cells) and any(_counts(cells, first) for first in (0, 1)):
        return "the rows' numbers"
    return "nothing" if bool(cells.equal("").all()) else ""


def _counts(cells: Cells, first: int) -> bool:
    """Whether the cells are the whole numbers from `first` on."""
    for part in cells.parts():
        if part.texts() != [str(i) for i in range(first, first + len(part))]:
            return False
        first += len(part)
    return True


def _is_unit_row(first: Sequence[str], second: Sequence[str]) -> bool:
    units = [text for text in first if text]
    below = [b for a, b in zip(first, second, strict=True) if a]
    beside = any(b for a, b in zip(first, second, strict=True) if not a)
    looks = all(is_unit(text) and text.lower() not in MISSING_WORDS for text in units)
    known = 2 * sum(text in KNOWN for text in units) >= len(units) > 0
    numbers = 2 * sum(bool(_PLAIN_NUMBER.fullmatch(text)) for text in below) >= len(below)
    return beside and looks and known and numbers
