"""The headers of Nsight Compute's tables: which page they begin."""

import re
from collections.abc import Sequence

from core.ingest.readers._nvidia.capture import HeaderForm, lines_with

KERNEL = ("Kernel Name", "Demangled Name", "Function Name")
_WORDS = (*KERNEL, "Source")
LONG, SUMMARY, WIDE, DAMAGED, SOURCE = "long", "summary", "wide", "damaged", "source"

_FORM = HeaderForm("ID|Process ID|#|Kernel Name|Function Name")
_SAMPLED = re.compile(r"Sampl|Live Registers|Instructions Executed")
_MESSAGES = re.compile(rb"^==(?:PROF|ERROR|WARNING)== |^ +Section: .*\r?\n +-{5,}", re.MULTILINE)


def header_of(line: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return (kind, columns, separator) if a line, or its end, names the columns of a table."""
    if not any(word in line for word in _WORDS):
        return None
    header = _FORM.read(line)
    kind = _kind(header[0]) if header else ""
    return (kind, *header) if header and kind else None


def _kind(columns: Sequence[str]) -> str:
    own = set(columns)
    if columns[0] == "#" and "Source" in own and any(_SAMPLED.search(name) for name in columns):
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
