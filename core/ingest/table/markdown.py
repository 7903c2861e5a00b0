"""Tables of Markdown among prose: names above a rule of bars and dashes, rows below it until a line has no bar."""

import re
from collections.abc import Sequence

from core.ingest.names import MISSING_WORDS

_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*|[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_MARKED = re.compile(r"(\*\*|__|\*|`)(.+)\1|[~≈]\s*(?=[\d.])(.+)")
_NUMBER = re.compile(r"[+-]?\.?\d")


def tables_of(text: str) -> list[list[tuple[int, list[str]]]]:
    """Return the tables of a text that hold a column of numbers: (line, cells) of the names and of each row."""
    lines = text.splitlines()
    found: list[list[tuple[int, list[str]]]] = []
    for at in range(1, len(lines)):
        if "|" in lines[at - 1] and _RULE.fullmatch(lines[at]) and not _RULE.fullmatch(lines[at - 1]):
            below = lines[at + 1 :]
            end = next((i for i, line in enumerate(below) if "|" not in line), len(below))
            names, *rows = ([*map(_plain, _cells(line))] for line in (lines[at - 1], *below[:end]))
            if any(names) and _measured(rows, len(names)):
                found.append([(at, names), *((at + 2 + i, row) for i, row in enumerate(rows))])
    return found


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
