"""The headers of Nsight Compute's tables: which page they begin."""

import re
from collections.abc import Sequence

from core.ingest._capture import cells_of, lines_with

KERNEL = ("Kernel Name", "Demangled Name", "Function Name")
LONG, SUMMARY, WIDE, DAMAGED, SOURCE = "long", "summary", "wide", "damaged", "source"

_START = re.compile(r'"(?:ID|Process ID|#|Kernel Name|Function Name)"\s*([,;\t])')
_BARE = re.compile(r"\s*(?:ID|Process ID|#|Kernel Name|Function Name)\s*([,;\t])")
_SAMPLED = re.compile(r"Sampl|Live Registers|Instructions Executed")
_MESSAGES = re.compile(rb"^==(?:PROF|ERROR|WARNING)== |^ +Section: .*\r?\n +-{5,}", re.MULTILINE)


def header_of(line: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return (kind, columns, separator) if a line, or its end, names the columns of a table."""
    if "Name" not in line and "Source" not in line:
        return None
    start = _START.search(line)
    bare = None if start else _BARE.match(line)
    found = start or bare
    if not found:
        return None
    cells = cells_of(line[start.start() if start else 0 :], found.group(1))
    if cells is None:
        return None
    columns = [cell.strip() for cell in cells]
    while columns and not columns[-1]:
        columns.pop()
    kind = _kind(columns)
    return (kind, tuple(columns), found.group(1)) if kind else None


def _kind(columns: Sequence[str]) -> str:
    own = set(columns)
    if columns[:1] == ["#"] and "Source" in own and any(_SAMPLED.search(name) for name in columns):
        return SOURCE
    if not own & set(KERNEL):
        return ""
    read = {"Metric Name", "Metric Unit"} <= own
    if read and "Metric Value" in own and "ID" in own:
        return LONG
    if read and "Average" in own:
        return SUMMARY
    if own & {"Metric Name", "Metric Unit", "Metric Value"}:
        return DAMAGED
    known = "Process ID" in own or any(re.search(r"\w__\w", name) for name in columns)
    return WIDE if "ID" in own and known else ""


def first_kind(head: bytes) -> str:
    """Return the kind of the first table in a file's beginning, "messages" if there are only those, or ""."""
    for line in lines_with(head, *(name.encode() for name in KERNEL), b"Source"):
        header = header_of(line)
        if header:
            return header[0]
    return "messages" if _MESSAGES.search(head) else ""
