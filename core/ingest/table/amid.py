"""Tables between commas, semicolons or tabs amid what a program said before and after."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from core.ingest.table.dialect import is_number, is_rule, split_rows
from core.ingest.table.layout import grouped_names
from core.ingest.table.markdown import DocumentTable, measured, titled_above
from core.ingest.table.pairs import said_above

_LEAST = 3
"""Rows that show that a line above them holds their names."""
_VALUE = re.compile(r"[+-]?\.?\d.*")
"""A number, maybe with its unit: no name."""
_SAYS = re.compile(r".*[^\W\d_]{2,}(?:\W.*[^\W\d_]{2,}|\s*[:=])")
"""What a line has that says something: two words, or one before a colon."""


def amid_tables(lines: Sequence[str]) -> tuple[list[DocumentTable], list[tuple[int, str]]]:
    """Return the tables with a column of numbers that stand amid sentences in some lines, and those sentences.

    Names and values that are said above a table are columns of it. There are no tables where a line outside may be a
    row that was damaged: such a file is to be refused for it.
    """
    for mark in ",;\t":
        found = [*_tables(lines, mark)]
        read = {line for table in found for line in range(table.line, table.rows[-1][0] + 1)}
        outside = ((i, line.strip()) for i, line in enumerate(lines, 1) if i not in read)
        others = [(i, line) for i, line in outside if line and not is_rule(line)]
        begin = sorted({cells[0] for table in found for _, cells in table.rows})
        if found and others and not any(_may_be_row(line, mark, begin) for _, line in others):
            return _with_said(found, lines), others
    return [], []


def _tables(lines: Sequence[str], mark: str) -> Iterator[DocumentTable]:
    """Yield names, which may take two lines, and the rows directly below them with as many cells."""
    parts = groupby(enumerate(lines, 1), key=lambda line: line[1].count(mark))
    for n, part in parts:
        numbers, own = zip(*part, strict=True) if n else ((), ())
        split = split_rows(own, mark, whole=True) if len(own) > _LEAST else []
        rows = [[cell.strip() for cell in row] for row in split]
        if not rows or len(rows) < len(own) or {*map(len, rows)} != {len(rows[0])}:
            continue
        grouped, two = grouped_names(rows)
        names, first = (grouped, two) if grouped else (rows[0], 1)
        below = rows[first]
        if not below[0] and not any(map(is_number, below)):  # says more of names that are whole without it
            first += 1
        cells = rows[first:]
        if not any(map(_VALUE.fullmatch, names)) and (measured(cells, len(names)) or measured(cells[1:], len(names))):
            told = tuple(zip(numbers[first:], cells, strict=True))
            yield DocumentTable(numbers[0], names, told, titled_above(lines[: numbers[0] - 1]), printed=True)


def _with_said(tables: Sequence[DocumentTable], lines: Sequence[str]) -> list[DocumentTable]:
    """Return tables with what lines above each say in names and values, until it is said anew, as further columns."""
    said, held, end = list[dict[str, str]](), dict[str, str](), 0
    for table in tables:
        held = held | said_above(lines[end : table.line - 1])
        said.append(held)
        end = table.rows[-1][0]
    own = {name for table in tables for name in table.names}
    names = [name for name in dict.fromkeys(name for one in said for name in one) if name not in own]
    added = ([one.get(name, "") for name in names] for one in said)
    return [
        replace(table, names=[*table.names, *names], rows=tuple((i, [*cells, *more]) for i, cells in table.rows))
        for table, more in zip(tables, added, strict=True)
    ]


def _may_be_row(line: str, mark: str, begin: Sequence[str]) -> bool:
    """Whether a line says nothing, is how a row begins, or half of what a mark, or blanks, make of it are numbers.

    Parameters
    ----------
    begin : the first cells of rows, in order
    """
    cells = [cell for cell in line.split(mark if mark in line else None) if cell.strip()]
    first = line.partition(mark)[0].strip()
    at = bisect_left(begin, first)
    cut = at < len(begin) and begin[at].startswith(first)
    return cut or line.count('"') % 2 == 1 or not _SAYS.match(line) or 2 * sum(map(is_number, cells)) > len(cells)
