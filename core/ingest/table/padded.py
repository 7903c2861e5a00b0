"""Several tables of one sheet, one below the other under titles that a spreadsheet padded to one width."""

import re

from core.ingest.table.blocked import Row, rows_of
from core.ingest.table.dialect import is_number
from core.ingest.table.markdown import DocumentTable

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
