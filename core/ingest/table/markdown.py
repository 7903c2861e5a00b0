"""Tables of Markdown among prose: names above a rule of bars and dashes, rows below it until a line has no bar."""

import re
from collections.abc import Sequence

from core.ingest.names import MISSING_WORDS

_DASHES = re.compile(":?-+:?")
_BAR = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"(\*\*|__|\*|`)(.+)\1|[~≈]\s*(?=[\d.])(.+)")
_NUMBER = re.compile(r"[+-]?\.?\d")


def tables_of(text: str) -> list[list[tuple[int, list[str]]]]:
    """Return the tables of a text that hold a column of numbers: (line, cells) of the names and of each row."""
    lines = text.splitlines()
    found: list[list[tuple[int, list[str]]]] = []
    end = 0
    for at in range(1, len(lines)):
        if at > end and "|" in lines[at - 1] and _is_rule(lines[at]) and not _is_rule(lines[at - 1]):
            end = next((i for i in range(at + 1, len(lines)) if "|" not in lines[i]), len(lines))
            rows = [(i + 1, [*map(_plain, _cells(lines[i]))]) for i in (at - 1, *range(at + 1, end))]
            names = rows[0][1]
            if any(names) and _measured([cells for _, cells in rows[1:]], len(names)):
                found.append(rows)
    return found


def _is_rule(line: str) -> bool:
    return "|" in line and {*line} <= {*"|-: \t"} and all(map(_DASHES.fullmatch, _cells(line)))


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.replace("\\|", "|").strip() for cell in _BAR.split(bare)]


def _plain(cell: str) -> str:
    """Return a cell without what makes it bold or code, or says that a number is rough."""
    found = _MARKED.fullmatch(cell)
    return cell if not found or (found[1] and found[1] in found[2]) else (found[2] or found[3]).strip()


def _measured(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether some column below the names has numbers in all cells that say anything."""
    columns = ([row[i] for row in rows if i < len(row)] for i in range(width))
    there = ([cell for cell in cells if cell and cell.lower() not in MISSING_WORDS] for cells in columns)
    return len(rows) > 1 and any(len(cells) > 1 and all(map(_NUMBER.match, cells)) for cells in there)
