"""The tables of nvprof's CSV: metrics and events over all launches, traces launch by launch, and summaries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.ingest.readers._nvidia.capture import Capture, HeaderForm, Rest, Row, Table, cells_of, lines_with
from core.ingest.readers._nvidia.nvprof_printed import place_of, printed_header, printed_row
from core.ingest.readers._nvidia.printed import decimal_mark, is_missing, with_unit

METRICS, EVENTS, TRACE, SUMMARY, CALLS, OTHER = "metrics", "events", "trace", "summary", "API calls", "other"

MESSAGE = re.compile(r"==\d+==|========|==NVPROF==|No kernels were profiled|No API activities were profiled")
OURS = re.compile(
    rb"^(?:==\d+==|========|==NVPROF==) *(?:NVPROF|Profiling (?:application|result)|(?:Metric|Event) result|"
    rb"Generated result file|(?:Warning: )?Some kernel\(s\) will be replayed)|^======== (?:Warning|Error): |"
    rb"^(?:No kernels were profiled|No API activities were profiled)",
    re.MULTILINE,
)
"""Messages that only nvprof writes; valgrind's begin alike."""
_WORDS = (b"Invocations", b"Duration", b"Calls", b"Context", b"Avg Size")
_FORM = HeaderForm(r"Device|Start|Type|Time\(%\)")
_COMMAND = re.compile(r"==\d+== NVPROF is profiling process \d+, command: (.*)")
_CALLS_ABOVE = re.compile(r"API calls|OpenACC|OpenMP", re.IGNORECASE)


@dataclass
class NvprofTable(Table):
    """One table of a capture.

    Attributes
    ----------
    above : device and kernel of the rows that follow, in a printed table
    command : the profiled program and its arguments, where a message says it
    """

    command: str = ""
    above: dict[str, str] = field(default_factory=dict)


def header_of(line: str) -> tuple[str, tuple[str, ...], str] | None:
    """Return (kind, columns, separator) if a line, or its end, names the columns of a table."""
    printed = printed_header(line)
    if printed:
        return *printed, ""
    header = _FORM.read(line)
    kind = _kind(set(header[0])) if header else ""
    return (kind, *header) if header and kind else None


def _kind(columns: set[str]) -> str:
    if {"Device", "Kernel", "Invocations", "Avg"} <= columns:
        return METRICS if "Metric Name" in columns else EVENTS if "Event Name" in columns else ""
    if {"Calls", "Avg", "Name", "Time"} <= columns:
        return SUMMARY
    if {"Start", "Duration", "Name"} <= columns:
        return TRACE if "Device" in columns or "Grid X" in columns else CALLS
    if {"Device", "Context", "Stream"} <= columns and columns & {"Kernel", "Name"}:
        return TRACE
    return OTHER if {"Device", "Count", "Avg Size"} <= columns else ""


def first_kind(head: bytes) -> str:
    """Return the kind of the first table in a file's beginning, "messages" if there are only those, or ""."""
    kinds = []
    for line in lines_with(head, *_WORDS):
        header = header_of(line)
        if header:
            kinds.append(header[0])
    other = [kind for kind in kinds if kind != SUMMARY]
    if kinds:
        return other[0] if other else SUMMARY
    return "messages" if OURS.search(head) else ""


def find(capture: Capture) -> tuple[list[NvprofTable], Rest, Row | None]:
    """Return the tables, the remaining lines and the last row of a capture."""
    tables, rest, last = list[NvprofTable](), Rest(), None
    table, heading, command = None, "", ""
    for number, line in enumerate(capture.lines, start=1):
        header = header_of(line)
        if header:
            kind = CALLS if header[0] == SUMMARY and _CALLS_ABOVE.search(heading) else header[0]
            table = NvprofTable(kind, number, header[1], header[2], command=command)
            tables.append(table)
            continue
        place = place_of(line) if table and not table.separator else None
        if table and place:
            table.above[place[0]] = place[1]
            continue
        row = _row(table, line) if table and line.strip() and not MESSAGE.match(line) else None
        if table and row is not None and not table.rows and not table.units and _are_units(table, row):
            table.units = tuple(cell.strip() for cell in row)
        elif table and row is not None and _fits(table, row):
            last = Row(number, row)
            table.rows.append(last)
        else:
            heading = line if MESSAGE.match(line) else heading
            command = _command(line) or command
            _left(rest, table, number, line)
    return tables, rest, last


def _command(line: str) -> str:
    found = _COMMAND.match(line)
    return found.group(1).strip(" \t,;") if found else ""


def _left(rest: Rest, table: Table | None, number: int, line: str) -> None:
    """Note a line that is no row: a damaged one, if it begins like a row, or what somebody wrote."""
    like_row = table and table.separator and line.count(table.separator) > 3 and not MESSAGE.match(line)
    if table and like_row and table.kind in (METRICS, EVENTS, TRACE):
        rest.damaged(number, table.why_not(line))
    else:
        rest.add(number, line)


def _row(table: NvprofTable, line: str) -> tuple[str, ...] | None:
    """Return the cells of a line if they are as many as the columns; a name without quotes may hold separators."""
    if not table.separator:
        return printed_row(table.columns, line, table.above.get("Device", ""), table.above.get("Kernel", ""))
    width, cells = len(table.columns), cells_of(line, table.separator)
    fitted = table.fitted(cells)
    if fitted is None and table.kind == SUMMARY and table.columns[-1] == "Name" and (not cells or len(cells) > width):
        cells = tuple(cell.strip().strip('"') for cell in line.split(table.separator, width - 1))
        return cells if len(cells) == width else None
    return fitted


def _are_units(table: Table, row: Sequence[str]) -> bool:
    """Whether a row names the columns' units: texts without digits, and no kernel."""
    names = [i for i, column in enumerate(table.columns) if column in ("Name", "Kernel", "Device", "Metric Name")]
    return not any(row[i].strip() for i in names) and not any(c.isdigit() for cell in row for c in cell)


def _fits(table: Table, row: Sequence[str]) -> bool:
    """Whether the cells that must be numbers are numbers."""
    cells = dict(zip(table.columns, row, strict=True))
    if table.kind in (METRICS, EVENTS):
        return cells["Invocations"].strip().isdigit() and bool(cells["Kernel"].strip())
    if table.kind == SUMMARY:
        return cells["Calls"].strip().isdigit() and (_is_number(cells["Avg"]) or is_missing(cells["Avg"]))
    if table.kind == TRACE:
        return bool(cells.get("Kernel", cells.get("Name", "")).strip()) and _is_number(cells.get("Duration", "0"))
    return True


def _is_number(text: str) -> bool:
    return any(with_unit(text, mark)[0] is not None for mark in ".,")


def mark_of(tables: Sequence[Table]) -> str:
    """Return the decimal mark: a comma only where a spreadsheet separated the cells by something else."""
    if any(table.separator in (",", "") for table in tables):
        return "."
    rows = (row for table in tables for row in table.rows)
    return decimal_mark(re.sub(r"[^\d.,]+$", "", cell) for row in rows for cell in row.cells)
