"""Tables of Markdown among prose: names above a rule of bars and dashes, or between two lines, rows until one ends."""

import csv
import re
from collections.abc import Sequence

from core.frozen import Frozen
from core.ingest.names import is_there
from core.ingest.recognition.words import WORDS, is_counter, is_outcome
from core.ingest.table.marked import Grid, grids_of

_DASHES = re.compile(":?-+:?")
_LINE = re.compile(r"\s*(-{8,}|={8,})\s*")
"""Above and below the names of a table that a program drew."""
_BARRED = re.compile(r"\||^\s*\+[-=+]+\+\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"(\*\*|__|\*|`)((?:(?!\1).)+)\1(?=$| \()|[~≈]\s*(?=[\d.])")
"""What makes a cell bold or code, maybe before a remark, or says that a number is rough."""
_HEADING = re.compile(r"#+\s+\S|\*\*[^*]+\*\*:?\s*$")
FENCED = re.compile(rb"(?m)^```[\w-]*[ \t]*\r?\n(?=[^`\n]*[,;\t])")
"""Begins what a document shows letter for letter, maybe the rows of a table."""
_TITLE = re.compile(r"[+-]?\w[^|`]{0,60}")
"""What may stand as a title directly above a table."""
_NUMBER = re.compile(r"[+-]?\.?\d.*")
_MEASURED = re.compile(r"[+-]?\.?\d[^A-Za-z]*\S*")
"""A number, maybe with a unit, and no code such as `1 i n`."""


class DocumentTable(Frozen):
    """A table of a document or of what a program printed, with a column of numbers.

    Attributes
    ----------
    line : of the names
    rows : (line, cells) of each row below
    heading : the nearest above
    printed : whether a program printed it, which says the same again of another run
    """

    line: int
    names: list[str]
    rows: tuple[tuple[int, list[str]], ...]
    heading: str
    printed: bool = False


def tables_of(text: str) -> list[DocumentTable]:
    """Return the tables of a text that hold a column of numbers."""
    lines = text.splitlines()
    found: list[DocumentTable] = []
    end = 0
    for at in range(1, len(lines)):
        ruled = _is_rule(lines[at]) or (at > 1 and all(map(_LINE.fullmatch, lines[at - 2 : at + 1 : 2])))
        if at > end and ruled and "|" in lines[at - 1] and not _is_rule(lines[at - 1]):
            end = next((i for i in range(at + 1, len(lines)) if not _BARRED.search(lines[i])), len(lines))
            numbers = [i for i in range(at + 1, end) if not _is_rule(lines[i])]
            names, *cells = ([*map(_plain, _cells(lines[i]))] for i in (at - 1, *numbers))
            # a bar at the end stands before an empty cell where no other is empty, as psql prints it
            ends = (lines[i].rstrip()[-1:] == "|" for i in numbers)
            cells = [
                [*own, *([""] * (one and len(own) + 1 == len(names)))] for own, one in zip(cells, ends, strict=True)
            ]
            if any(names) and measured(cells, len(names)):
                rows = tuple(zip((i + 1 for i in numbers), cells, strict=True))
                found.append(DocumentTable(at, names, rows, titled_above(lines[: at - 1])))
    return found or [
        DocumentTable(grid[0][0], grid[0][1], tuple(grid[1:]), "") for grid in grids_of(text) if _whole(grid)
    ]


def fenced_tables(text: str) -> list[DocumentTable]:
    """Return the tables with a column of numbers, between commas, semicolons or tabs, that a text has in fences."""
    lines, found = text.splitlines(), list[DocumentTable]()
    fences = [i for i, line in enumerate(lines) if line.startswith("```")]
    for start, end in zip(fences[::2], fences[1::2], strict=False):
        own = [i for i in range(start + 1, end) if lines[i].strip() and not lines[i].startswith("#")]
        ways = ([*csv.reader([lines[i] for i in own], delimiter=mark)] for mark in ",;\t")
        even = (rows for rows in ways if len(rows) == len(own) and len({*map(len, rows)}) == 1 and len(rows[0]) > 1)
        names, *cells = next(even, [[]])
        if measured(cells, len(names)) and not any(map(_NUMBER.fullmatch, names)):
            rows = tuple(zip((i + 1 for i in own[1:]), cells, strict=True))
            found.append(DocumentTable(own[0] + 1, names, rows, heading_above(lines[:start])))
    return found


def heading_above(lines: Sequence[str]) -> str:
    """Return the last heading of some lines; "" for none."""
    return next((line.strip("#* \t:") for line in reversed(lines) if _HEADING.match(line)), "")


def titled_above(lines: Sequence[str]) -> str:
    """Return the title directly above what follows some lines, maybe in brackets, or else the last heading."""
    last = lines[-1].strip() if lines else ""
    title = last.removesuffix(":").strip("() ")
    plain = _TITLE.fullmatch(title) and not _LINE.fullmatch(last) and not _HEADING.match(last)
    return title if plain else heading_above(lines)


def alike(tables: Sequence[DocumentTable]) -> list[DocumentTable]:
    """Return the tables with the names of the first; it alone where headings tell none apart, or what was measured."""
    same = [table for table in tables if table.names == tables[0].names]
    headings = {table.heading for table in same} - {""}
    measured = any(is_outcome(heading) or is_counter(heading) for heading in headings)
    told = len(headings) == len(same) or tables[0].printed
    return same if told and not measured else same[:1]


def _is_rule(line: str) -> bool:
    """Whether a line is drawn below names, as `|---|--:|`, or around rows, as `+-----+-----+`."""
    barred = line.replace("+", "|").replace("=", "-")
    return "|" in barred and {*barred} <= {*"|-: \t"} and all(map(_DASHES.fullmatch, _cells(barred)))


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(bare)]


def _plain(cell: str) -> str:
    """Return a cell without what makes it bold or code, or says that a number is rough."""
    found = _MARKED.match(cell)
    return _plain(f"{found[2] or ''}{cell[found.end() :]}".strip()) if found else cell


def _whole(grid: Grid) -> bool:
    """Whether a table that is marked up has a column of numbers below names that take a row or two."""
    below = ([cells for _, cells in grid[k:]] for k in (1, 2))
    return any(measured(rows, len(grid[0][1]), _MEASURED) for rows in below if grid)


def measured(rows: Sequence[Sequence[str]], width: int, number: re.Pattern[str] = _NUMBER) -> bool:
    """Whether some column below the names has numbers in all cells that say anything but that a run failed."""
    columns = ([row[i] for row in rows if i < len(row)] for i in range(width))
    there = ([cell for cell in cells if is_there(cell) and cell.lower() not in WORDS["failing"]] for cells in columns)
    return len(rows) > 1 and any(len(cells) > 1 and all(map(number.fullmatch, cells)) for cells in there)
