"""The tables of nvprof's CSV: metrics and events over all launches, traces launch by launch, and summaries."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from core.ingest.readers._declared import kind_of
from core.ingest.readers._nvidia.capture import Capture, HeaderForm, Row, Table
from core.ingest.readers._nvidia.printed import decimal_mark, is_missing, with_unit
from core.ingest.readers._text import cells_of, lines_with

Header = tuple[str, tuple[str, ...], str]
"""Kind, columns and separator."""
_SUMMARY = re.compile(r"\s*(?:Type\s+)?Time\(%\)\s+Time\s+Calls\s+Avg\s+Min\s+Max\s+Name\s*")
_AVERAGES = re.compile(
    r"\s*Invocations\s+(Metric|Event) Name(?:\s+Metric Description)?\s+Min\s+Max\s+Avg(\s+Total)?\s*"
)
_TRACE = re.compile(r"\s*Start\s+Duration\s+Grid Size\s+Block Size\s.*\sName\s*")
_SUMMARY_ROW = re.compile(
    r"\s*(?:(GPU activities|API calls|OpenACC[^:]*|OpenMP[^:]*):)?\s*([\d.]+%)\s+(\S+)\s+(\d+)\s+"
    r"(\S+)\s+(\S+)\s+(\S+)\s+(\S.*)"
)
_PLACE = re.compile(r'\s*(?:Device "(?P<Device>.*)"|Kernel: (?P<Kernel>.*\S))\s*')
"""What the rows below such a line belong to."""
_WORD = re.compile(r"\S+(?:\s+\(\d+\)(?!\S))*")
"""A word of a printed row; a level such as `Low (1)` is one."""
_SIZE = re.compile(r"\((\d+) (\d+) (\d+)\)")
_COLUMNS = {"Regs*": "Registers Per Thread", "SSMem*": "Static SMem", "DSMem*": "Dynamic SMem"}
_AXES = ("X", "Y", "Z")
METRICS, EVENTS, TRACE, SUMMARY, CALLS, OTHER = "metrics", "events", "trace", "summary", "API calls", "other"
MESSAGE = re.compile(r"==\d+==|========|==NVPROF==|No kernels were profiled|No API activities were profiled")
OURS = re.compile(
    rb"^(?:==\d+==|========|==NVPROF==) *(?:NVPROF|Profiling (?:application|result)|(?:Metric|Event) result|"
    rb"Generated result file|(?:Warning: )?Some kernel\(s\) will be replayed)|^======== (?:Warning|Error): |"
    rb"^(?:No kernels were profiled|No API activities were profiled)",
    re.MULTILINE,
)
"""Messages that only nvprof writes; valgrind's begin alike."""
_HINT = re.compile(rb"Invocations|Duration|Calls|Context|Avg Size")
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


def header_of(line: str) -> Header | None:
    """Return (kind, columns, separator) if a line, or its end, names the columns of a table."""
    return printed_header(line) or _FORM.read(line)


_FORM = HeaderForm(r"Device|Start|Type|Time\(%\)", partial(kind_of, "nvprof"))


def first_kind(head: bytes) -> str:
    """Return the kind of the first table in a file's beginning, "messages" if there are only those, or ""."""
    if kinds := [header[0] for _, line in lines_with(head, _HINT) if (header := header_of(line))]:
        return next((kind for kind in kinds if kind != SUMMARY), SUMMARY)
    return "messages" if OURS.search(head) else ""


def find(capture: Capture) -> list[NvprofTable]:
    """Return the tables of a capture, and note its remaining lines and its last row."""
    tables, table, heading, command = list[NvprofTable](), None, "", ""
    for number, line in enumerate(capture.lines, start=1):
        if header := header_of(line):
            kind = CALLS if header[0] == SUMMARY and _CALLS_ABOVE.search(heading) else header[0]
            table = NvprofTable(kind, number, header[1], header[2], command=command)
            tables.append(table)
            continue
        place = _PLACE.fullmatch(line) if table and not table.separator else None
        if table and place:
            table.above |= {name: text for name, text in place.groupdict().items() if text is not None}
            continue
        row = _row(table, line) if table and line.strip() and not MESSAGE.match(line) else None
        if table and row is not None and not table.rows and not table.units and _are_units(table, row):
            table.units = tuple(cell.strip() for cell in row)
        elif table and row is not None and _fits(table, row):
            capture.last = number
            table.rows.append(Row(number, row))
        else:
            heading = line if MESSAGE.match(line) else heading
            said = _COMMAND.match(line)
            command = (said[1].strip(" \t,;") if said else "") or command
            _left(capture, table, number, line)
    return tables


def _left(capture: Capture, table: Table | None, number: int, line: str) -> None:
    """Note a line that is no row: a damaged one, if it begins like a row, or what somebody wrote."""
    like_row = table and table.separator and line.count(table.separator) > 3 and not MESSAGE.match(line)
    if table and like_row and table.kind in (METRICS, EVENTS, TRACE):
        capture.broken.append((number, table.why_not(line)))
    else:
        capture.add(number, line)


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


def printed_header(line: str) -> Header | None:
    """Return (kind, columns, "") if a line is the header of a printed table, as the CSV has them."""
    if _SUMMARY.fullmatch(line):
        return "summary", ("Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"), ""
    if averages := _AVERAGES.fullmatch(line):
        total = ("Total",) if averages.group(2) else ()
        kind = averages.group(1)
        names = ("Device", "Kernel", "Invocations", f"{kind} Name", "Min", "Max", "Avg", *total)
        return f"{kind.lower()}s", names, ""
    columns = _trace_columns(line) if _TRACE.fullmatch(line) else ()
    return ("trace", columns, "") if {"Start", "Duration", "Grid X", "Block X", "Name"} <= set(columns) else None


def _trace_columns(line: str) -> tuple[str, ...]:
    columns: list[str] = []
    for name in re.split(r"\s{2,}", line.strip()):
        size = name.removesuffix(" Size")
        columns += [f"{size} {axis}" for axis in _AXES] if size in ("Grid", "Block") else [_COLUMNS.get(name, name)]
    return tuple(columns)


def printed_row(columns: Sequence[str], line: str, device: str, kernel: str) -> tuple[str, ...] | None:
    """Return the cells of a printed row, as the CSV would have them; None if the line is none."""
    if columns[0] == "Type":
        found = _SUMMARY_ROW.fullmatch(line)
        return tuple((cell or "").strip() for cell in found.groups()) if found else None
    if columns[0] == "Device":
        texts = [" ".join(word.split()) for word in _WORD.findall(line)]
        whole = kernel and len(texts) >= len(columns) - 2 and texts[0].isdigit()
        return (device, kernel, *texts[:2], *texts[4 - len(columns) :]) if whole else None
    return _trace_row(columns, line)


def _trace_row(columns: Sequence[str], line: str) -> tuple[str, ...] | None:
    cells: list[str] = []
    for part in re.split(r"\s{2,}", line.strip(), maxsplit=len(columns) - 5):
        size = _SIZE.fullmatch(part)
        is_size = len(cells) in (columns.index("Grid X"), columns.index("Block X"))
        cells += (size.groups() if size else ("",) * 3) if is_size else ["" if part == "-" else part]
    return tuple(cells) if len(cells) == len(columns) else None
