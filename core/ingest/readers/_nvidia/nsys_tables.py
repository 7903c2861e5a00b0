"""The tables that Nsight Systems' `nsys stats --format csv` prints: which of them hold kernels, and their units."""

import re
from collections.abc import Sequence

from core.ingest.readers._nvidia.capture import Capture, Rest, Row, Table, cells_of, lines_with
from core.ingest.readers._nvidia.printed import number

TRACE, SUMMARY, OTHER = "trace", "summary", "other"

MESSAGE = re.compile(
    r"Processing \[|Generating |SKIPPED|NOTICE|WARNING|ERROR|Importing|Exporting|Using existing|\s*\*\* "
)
OURS = re.compile(
    rb"^Processing \[[^\]\r\n]*\] with \[|^SKIPPED: .*\.sqlite|^NOTICE: Existing SQLite export|"
    rb"^Generating SQLite file .*\.(?:nsys-rep|qdrep)|^ ?\*\* .*\((?:cuda|nvtx|osrt|um)_\w+\):?",
    re.MULTILINE,
)

_UNIT = re.compile(r"(.*?)\s*\(([^()]*)\)")
_FIRST = r"Time ?\(%\)|Start(?: \(\w+\))?|Total \(MB\)|(?:NVTX )?Range|API Start \(\w+\)|PID|Name"
_BARE = re.compile(rf"\s*(?:{_FIRST})\s*([,;\t])")
_QUOTED = re.compile(rf'"(?:{_FIRST})"\s*([,;\t])')
_ALONE = (
    ("API Start", "API Dur", "Kernel Name"),
    ("KAvg", "Kernel Name"),
    ("Kern Inst", "Kernel Name"),
    ("Projected Start", "Projected Duration"),
    ("Total Proj Time", "Range"),
    ("DurChild", "DurNonChild"),
    ("Duration", "Result", "CorrId"),
    ("Total", "Count", "Operation"),
)
"""Columns that only Nsight Systems' reports on ranges, calls and queues have."""
_OTHERS = (*_ALONE, ("Start", "Duration"), ("Total Time", "Range"))
_WORDS = (b"Total", b"Dur", b"Kernel Name")
_UNITS = {"sec": "s", "nsec": "ns", "usec": "us", "msec": "ms", "MBps": "MB/s", "GBps": "GB/s", "KBps": "KB/s"}


def header_of(line: str) -> tuple[str, list[tuple[str, str]], str] | None:
    """Return (kind, [(column, unit)], separator) if a line names the columns of a table."""
    found = _BARE.match(line) or _QUOTED.match(line)
    cells = cells_of(line, found.group(1)) if found else None
    if found is None or cells is None:
        return None
    columns = [_column(cell.strip()) for cell in cells]
    while columns and not columns[-1][0]:
        columns.pop()
    kind = _kind({name for name, _ in columns})
    return (kind, columns, found.group(1)) if kind else None


def _column(cell: str) -> tuple[str, str]:
    found = _UNIT.fullmatch(cell)
    return (found.group(1), _UNITS.get(found.group(2), found.group(2))) if found else (cell, "")


def _kind(names: set[str]) -> str:
    if {"Start", "Duration", "Name"} <= names and names & {"GrdX", "Device"}:
        return TRACE
    if "Total Time" in names and names & {"Avg", "Average"} and names & {"Name", "Operation"}:
        return SUMMARY if names & {"Instances", "Count"} and not names & {"Num Calls", "Range"} else OTHER
    return OTHER if any(set(others) <= names for others in _OTHERS) else ""


def is_nsys(head: bytes) -> bool:
    """Whether a file's beginning is Nsight Systems' output."""
    found = any(_certain(line) for line in lines_with(head, *_WORDS))
    return found or OURS.search(head) is not None


def only_sums(head: bytes) -> bool:
    """Whether a file's beginning has summaries of kernels or transfers, and no trace."""
    headers = filter(None, map(header_of, lines_with(head, *_WORDS)))
    kinds = {kind for kind, _, _ in headers}
    return SUMMARY in kinds and TRACE not in kinds


def _certain(line: str) -> bool:
    """Whether a line is a header that no other tool writes."""
    header = header_of(line)
    if header is None:
        return False
    columns = dict(header[1])
    summary = {"Time", "Total Time"} <= set(columns) and columns["Time"] == "%"
    return summary or any(set(names) <= set(columns) for names in (("GrdX", "BlkX", "Reg/Trd"), *_ALONE))


def find(capture: Capture) -> tuple[list[Table], Rest, Row | None]:
    """Return the tables, the remaining lines and the last row of a capture."""
    tables, table, rest, last = list[Table](), None, Rest(), None
    for at, line in enumerate(capture.lines, start=1):
        header = header_of(line)
        if header:
            names, units = zip(*header[1], strict=True)
            table = Table(header[0], at, names, header[2], units)
            tables.append(table)
            continue
        says = MESSAGE.match(line)
        row = table.fitted(cells_of(line, table.separator)) if table and line.strip() and not says else None
        if table and row is not None and (table.kind == OTHER or _has_numbers(table, row)):
            last = Row(at, row)
            table.rows.append(last)
        elif table and line.count(table.separator) > 3 and not says:
            rest.damaged(at, f"not read: not the {len(table.columns)} cells of the table")
        else:
            table = None if says else table
            rest.add(at, line)
    return tables, rest, last


def _has_numbers(table: Table, cells: Sequence[str]) -> bool:
    names = ("Duration",) if table.kind == TRACE else ("Avg", "Average")
    place = next(table.columns.index(name) for name in names if name in table.columns)
    return number(cells[place]) is not None
