"""Tables with the same columns one below the other or side by side, each under a title such as `N = 512`, as one."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from core.frozen import Frozen
from core.ingest.table import dialect
from core.ingest.table.layout import swept

Row = tuple[int, list[str]]
"""The line of a row, and its cells."""

HEADING, _NUMBER = "heading", "table"
"""The columns of titles that name nothing, and of numbers where there are no titles."""
_MOST_ABOVE = 3
"""Lines above tables side by side."""
_MARKS = (*dialect.SEPARATORS, dialect.APART, dialect.BLANK)
_PAIR = re.compile(r"([^\W\d][^=:]*?)\s*[=:]\s*(\S.*)")
_PAIRS = re.compile(r"([^\W\d][\w /()%-]*?)\s*[=:]\s*([^\s,;|]+)")


class Blocks(Frozen):
    """Several tables as one.

    Attributes
    ----------
    above : what stands above the first title
    names : of the columns, those that the titles give first
    rows : with the titles' values
    n, added : how many tables there were, and how many columns are of their titles
    stood : how they stood
    """

    above: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    n: int
    added: int
    stood: str


def separator_of(lines: Sequence[str]) -> str:
    """Return what separates the cells of a header that comes twice in a text, or in a line; "" where none does."""
    for line, mark in product(lines[: _MOST_ABOVE + 1], dialect.SEPARATORS):
        if any(map(_beside, dialect.split_rows([line], mark, whole=True))):
            return mark
    known: set[str] = set()
    for i, line in enumerate(map(str.strip, lines)):
        if line and line in known and (mark := _header_mark(line, lines[i + 1 : i + 2])):
            return mark
        known.add(line)
    return ""


def rows_of(lines: Sequence[str], mark: str) -> Iterator[Row]:
    """Yield the cells of each line of a text; a comment, and what cannot be split, is one cell."""
    for i, line in enumerate(lines, 1):
        cells = [] if line.lstrip().startswith("#") else next(iter(dialect.split_rows([line], mark, whole=True)), [])
        yield i, cells or [line.strip(mark)]


def blocks_of(rows: Sequence[Row]) -> Blocks | None:
    """Return tables with one header under titles, between blank rows or side by side as one; None of anything else."""
    stripped = [(line, [cell.strip() for cell in cells]) for line, cells in rows]
    below = _below_each_other(stripped)
    header = _header(below)
    parts = _parts(below, header) if header else None
    if parts is None or len(parts) < 2:
        return None
    n_titles = min(len(above) for above, _ in parts)
    first = parts[0][0]
    titles = [said_in(above[len(above) - n_titles :]) for above, _ in parts]
    columns = swept(header, [cells for _, below in parts for _, cells in below]) or header
    names = [name for name in titles[0] if name not in columns]
    apart = all(len(above) == n_titles for above, _ in parts[1:]) and (n_titles or columns is header)
    if not apart or any([*own] != [*titles[0]] for own in titles):
        return None
    told = ([*map(own.__getitem__, names)] for own in titles)
    found = ((line, [*own, *cells]) for own, (_, below) in zip(told, parts, strict=True) for line, cells in below)
    stood = "one below the other" if below is stripped else "side by side"
    return Blocks(first[: len(first) - n_titles], (*names, *columns), (*found,), len(parts), len(names), stood)


def _below_each_other(rows: Sequence[Row]) -> Sequence[Row]:
    """Return tables with one header that stand side by side below each other, numbered without titles; others as is."""
    at = next((i for i, (_, cells) in enumerate(rows[: _MOST_ABOVE + 1]) if _beside(cells)), 0)
    parts, width = _beside(rows[at][1]) if rows else [], len(rows[at][1]) if rows else 0
    if not parts or any(len(cells) != width for _, cells in rows[at:] if any(cells)):
        return rows
    names, found = len([*filter(None, rows[at][1][slice(*parts[0])])]), list[Row]()
    titled = all(any(any(cells[a:b]) for _, cells in rows[:at]) for a, b in parts)
    for i, (a, b) in enumerate(parts, 1):
        if any(any(cells[a + names : b]) for _, cells in rows[at:]):
            return rows
        found += [] if titled else [(0, [f"{_NUMBER} = {i}"])]
        part = ((line, cells[a : a + names]) for line, cells in rows[0 if titled else at :])
        found += [row for row in part if any(row[1])]
    return found


def _beside(cells: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each of several equal parts of a header begins, and the next one; none of any other header."""
    bare = [cell.strip() for cell in cells]
    starts = [i for i, cell in enumerate(bare) if cell and cell == bare[0]]
    parts = [*pairwise([*starts, len(bare)])]
    names = [" \n".join(bare[a:b]).rstrip() for a, b in parts]
    return parts if len({*names}) == 1 < len(names) and _are_names(bare[: starts[1]]) else []


def _header_mark(line: str, below: Sequence[str]) -> str:
    """Return what separates names in a line as it does numbers in the next; "" for none."""
    for mark in _MARKS:
        names, numbers = (next(iter(dialect.split_rows([own], mark, whole=True)), []) for own in (line, *below, "")[:2])
        if len(names) == len(numbers) > 1 and _are_names(names) and any(map(dialect.is_number, numbers)):
            return mark
    return ""


def _are_names(cells: Sequence[str]) -> bool:
    """Whether cells are names, or a name and rising whole numbers, as of what was set in each column."""
    there = [cell for cell in cells if cell]
    distinct = len({*there}) == len(there) > 1 and not there[0].startswith("#")
    return distinct and (not any(map(dialect.is_number, there)) or bool(swept(cells, [])))


def _header(rows: Sequence[Row]) -> list[str]:
    """Return the first row of names that comes twice."""
    known: set[tuple[str, ...]] = set()
    for _, cells in rows:
        if (*cells,) in known and all(cells) and _are_names(cells):
            return cells
        known.add((*cells,))
    return []


def _parts(rows: Sequence[Row], header: Sequence[str]) -> list[tuple[tuple[str, ...], list[Row]]] | None:
    """Return (what stands above, the rows) of each table; None where a line is neither or a table has no rows."""
    parts: list[tuple[tuple[str, ...], list[Row]]] = []
    above: list[str] = []
    for line, cells in rows:
        filled = [cell for cell in cells if cell]
        if cells == header:
            parts.append(((*above,), []))
            above = []
        elif len(cells) == len(header) and len(filled) > 1 and parts and not cells[0].endswith((":", "=")):
            if above:
                return None
            parts[-1][1].append((line, cells))
        elif filled:
            above.append(" ".join(filled).lstrip("#%* ").strip("*= "))
    return parts if not above and all(below for _, below in parts) else None


def said_in(titles: Sequence[str]) -> dict[str, str]:
    """Return what titles say, by name."""
    found: dict[str, str] = {}
    for title in titles:
        several = len(re.findall("[=:]", title)) > 1
        pair = _PAIR.fullmatch(title)
        pairs = _PAIRS.findall(title) if several else [pair.groups()] if pair else []
        found |= {name.strip(): value.strip() for name, value in pairs or [(HEADING, title)]}
    return found
