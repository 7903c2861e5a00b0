"""Tables that a report or a file for gnuplot holds between blanks: below a line of names, or block by block."""

import re
from collections.abc import Sequence

from core.ingest.table.blocked import Row, rows_of
from core.ingest.table.dialect import is_number, is_rule
from core.ingest.table.markdown import DocumentTable, measured, titled_above

_WIDE = re.compile(r" {2,}")
_NAME = re.compile(r"@?[^\W\d_].*(?<![:=])")
"""A name of a column; a label before a value ends in a colon."""
_SIZED = re.compile(r"[+-]?\.?\d[\d.,e+-]* [A-Za-zµμ%/]+ ?")
_SIZES = re.compile(rf"(?:{_SIZED.pattern})+")
_TITLE = re.compile(r"([=#*~-])\1+ ?[^\W\d].*|[^\W\d](?:\S| (?! ))*\)")
"""What may stand above some rows of a table: words between marks, or before brackets."""
_LEAST = 3
"""Rows that show that a line above them holds their names, and numbers in each of several blocks of them."""


def aligned_tables(text: str) -> list[DocumentTable]:
    """Return the tables with a column of numbers that stand between blanks in a text with other lines.

    There are none if a line below one may be another row of it: such a file is to be refused for that row.
    """
    lines = text.splitlines()
    found, end = list[DocumentTable](), 0
    for at, line in enumerate(lines):
        ruled = bool(lines[at + 1 : at + 2]) and is_rule(lines[at + 1])
        for names in (_WIDE.split(line.strip()), *([line.split()] if ruled and len(line.split()) > _LEAST else [])):
            if at < end or len(names) < 2 or len({*names}) < len(names) or not all(map(_NAME.fullmatch, names)):
                continue
            first = next((i for i in range(at + 1, at + 3) if lines[i : i + 1] and not _is_between(lines[i])), at + 1)
            left = "name" not in names and any(own[: _indent(line)].strip() for own in lines[first : first + 1])
            names = ["name", *names] if left else names
            rows = _rows(lines, at + 1 if ruled else first, len(names), titled=ruled)
            if len(rows) >= _LEAST and measured([own for _, own in rows], len(names)):
                found.append(DocumentTable(at + 1, names, rows, titled_above(lines[:at])))
                end = rows[-1][0]
    read = {i for table in found for i, _ in table.rows}
    below = enumerate(lines[found[0].line :], found[0].line + 1) if found else ()
    return [] if any(i not in read and _may_be_row(line) for i, line in below) else found or _commented(lines)


def _rows(lines: Sequence[str], first: int, width: int, *, titled: bool) -> tuple[tuple[int, list[str]], ...]:
    """Return (line, cells) of the rows from a line on; those below a title or a blank line are as the ones above it.

    Parameters
    ----------
    titled : whether a title may stand above the first of them
    """
    rows, apart = list[tuple[int, list[str]]](), False
    for i, line in enumerate(lines[first:], first + 1):
        cells = _cells(line, width)
        if cells and not (apart and rows and [*map(is_number, cells)] != [*map(is_number, rows[-1][1])]):
            rows.append((i, cells))
            apart = False
        elif (rows or titled) and (_is_between(line) or _TITLE.fullmatch(line.strip())):
            apart = True
        else:
            break
    return (*rows,)


def _may_be_row(line: str) -> bool:
    words, cells = line.split(), _WIDE.split(line.strip())
    return bool(words) and (all(map(is_number, words)) or (len(cells) > 1 and is_number(cells[-1])))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_between(line: str) -> bool:
    """Whether a line may stand between names and rows."""
    return not line.strip() or is_rule(line)


def _cells(line: str, width: int) -> list[str]:
    """Return the cells of a row, whose name dots may lead to its numbers; none of a line with more or less of them."""
    wide, words = _WIDE.split(line.strip()), line.split()
    if len(wide) != width:  # numbers that fill their columns have a single blank between them
        wide = [own for cell in wide for own in (cell.split() if all(map(is_number, cell.split())) else _sized(cell))]
    found = wide if len(wide) == width else words if all(map(is_number, words[1:])) and len(words) == width else []
    return [cell.rstrip(". ") if not i and not is_number(cell) else cell for i, cell in enumerate(found)]


def _sized(cell: str) -> list[str]:
    """Return the numbers of `12.5 us 0.2 us`, each with its unit; any other cell as it is."""
    return [own.strip() for own in _SIZED.findall(cell)] if _SIZES.fullmatch(cell) else [cell]


def _commented(lines: Sequence[str]) -> list[DocumentTable]:
    """Return blocks of numbers, as gnuplot plots them one by one, each below a comment that says what it is of."""
    found: list[tuple[int, str, list[tuple[int, list[str]]]]] = []
    for i, line in enumerate(lines, 1):
        if line.startswith("#"):
            found.append((i, line.strip("# \t"), []))
        elif line.strip():
            words = line.split()
            if not found or not all(map(is_number, words)):
                return []
            found[-1][2].append((i, words))
    blocks = [block for block in found if block[2]]
    widths = {len(words) for _, _, rows in blocks for _, words in rows}
    if len(blocks) < _LEAST or len(widths) != 1 or len({title for _, title, _ in blocks} - {""}) < len(blocks):
        return []
    names = [f"column_{k + 1}" for k in range(widths.pop())]
    return [DocumentTable(i, names, tuple(rows), title) for i, title, rows in blocks]


PADDED = re.compile(
    rb"(?m)^(?=[^,;\t\n]*[A-Za-z])[^,;\t\n]+(?P<mark>[,;\t])(?P=mark)+\r?\n(?=[^,;\t\n]+(?P=mark)[^,;\t\n])"
)
"""A title that a spreadsheet padded to the width of what stands below it."""


def padded_tables(text: str) -> list[DocumentTable]:
    """Return tables of different columns below padded titles; none where there is one, or anything else between."""
    title = PADDED.search(text.encode())
    found: list[tuple[int, list[str], str, list[Row]]] = []
    above: list[str] = []
    for line, cells in rows_of(text.splitlines(), title["mark"].decode()) if title else ():
        filled = [*filter(None, map(str.strip, cells))]
        if len(filled) == 1 < len(cells):
            above += filled
        elif above and len(filled) > 1 and not any(map(is_number, filled)):
            found.append((line, filled, ", ".join(above), []))
            above = []
        elif filled and (above or not found or any(cells[len(found[-1][1]) :])):
            return []
        elif filled:
            found[-1][3].append((line, cells[: len(found[-1][1])]))
    several = len(found) > 1 and all(rows for *_, rows in found) and found[0][1] not in [own[1] for own in found[1:]]
    return [DocumentTable(line, names, (*rows,), told) for line, names, told, rows in found] if several else []
