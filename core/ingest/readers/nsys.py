"""Nsight Systems' reports to trials: launches and transfers one by one, or summed up by name."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from core.errors import count
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED, kind_of
from core.ingest.readers._launch import AXES, begin, shape, sizes
from core.ingest.readers._nvidia.capture import Capture, HeaderForm, Row, Table
from core.ingest.readers._nvidia.nvprof_values import device_of
from core.ingest.readers._nvidia.printed import number, put_time
from core.ingest.readers._nvidia.told import CaptureReader
from core.ingest.readers._text import cells_of, lines_with
from core.trial import Kind

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
_HINT = re.compile(rb"Total|Dur|Kernel Name")
_UNITS = {"sec": "s", "nsec": "ns", "usec": "us", "msec": "ms", "MBps": "MB/s", "GBps": "GB/s", "KBps": "KB/s"}
_COUNTERS = ("Reg/Trd", "StcSMem", "DymSMem")
_LABELS = DECLARED["nsys"]["labels"]
_OUTCOMES = ("Total Time", "Time", "Med", "Median", "Min", "Minimum", "Max", "Maximum", "StdDev")


class Nsys(CaptureReader):
    """Reads the trace of kernels and transfers, launch by launch, and says which reports hold none."""

    label: ClassVar[str] = "Nsight Systems, kernel trace (CSV)"
    tells = tuple(b"total|dur|kernel name|processing [|skipped: |notice: |generating sqlite|** ".split(b"|"))
    tool = "Nsight Systems"
    message = MESSAGE
    again = "Run it"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of a report, or messages of `nsys stats`; of summaries alone only their reader's."""
        headers = [header for _, line in lines_with(head, _HINT) if (header := header_of(line))]
        kinds = {kind for kind, _, _ in headers}
        only_sums = SUMMARY in kinds and TRACE not in kinds
        certain = any(_certain(dict(columns)) for _, columns, _ in headers) or OURS.search(head) is not None
        return certain and only_sums == self.summary

    def put(self, builder: Builder, capture: Capture) -> None:
        """Put down one trial per launch, or per kernel."""
        tables = find(capture)
        traced = any(table.kind == TRACE and table.rows for table in tables)
        for table in tables:
            if table.kind == TRACE:
                _put_trace(builder, table)
            elif table.kind == SUMMARY and not traced:
                _put_summary(builder, table)
            else:
                other = "a report on calls, ranges, queues or sizes, not on kernels alone"
                why = other if table.kind == OTHER else "sums of launches that are here too"
                builder.skip(table.lines(), f"{count(len(table.rows), 'row')}: {why}")
        if len(builder):
            return
        if any(table.kind == OTHER and table.rows for table in tables):
            raise builder.refused(
                "holds neither a trace nor a summary of kernels or transfers. "
                "Export one with nsys stats --report cuda_gpu_trace or cuda_gpu_kern_sum, and --format csv."
            )
        raise builder.refused(self.why_nothing(tables, capture))


class NsysSummary(Nsys):
    """Reads the summaries of kernels and transfers by name; a file that has the trace too is the trace's reader's."""

    label: ClassVar[str] = "Nsight Systems, kernel summary (CSV)"
    tells = (b"total",)
    summary: ClassVar[bool] = True
    sums_up: ClassVar[str] = "nsys"


def _put_trace(builder: Builder, table: Table) -> None:
    for row in table.rows:
        name = table.cell(row, "Name")
        known = sizes(_axes(table, row, "Grd"), _axes(table, row, "Blk"))
        amount = table.cell(row, "Bytes")
        size = f"{amount} {table.unit('Bytes')}" if amount else ""
        machine, device = device_of(table.cell(row, "Device"))
        labels = {"device": device} | {label: table.cell(row, column) for column, label in _LABELS.items()}
        trial = begin(builder, name, known, size, machine=machine, where=f"line {row.line}", labels=labels)
        if amount:
            builder.of_input(name, shape(known) or size, "Bytes", number(amount), table.unit("Bytes"))
        put_time(builder, trial, "Duration", number(table.cell(row, "Duration")), table.unit("Duration"))
        _put(builder, trial, table, row, "Throughput", Kind.RESPONSE)
        for column in _COUNTERS:
            _put(builder, trial, table, row, column)


def _put_summary(builder: Builder, table: Table) -> None:
    total = table.unit("Total Time")
    for row in table.rows:
        name = table.cell(row, "Name", "Operation")
        known = sizes(_dimensions(table, row, "GridXYZ"), _dimensions(table, row, "BlockXYZ"))
        trial = begin(builder, name, known, where=f"line {row.line}")
        average = "Avg" if "Avg" in table.columns else "Average"
        put_time(builder, trial, average, number(table.cell(row, average)), table.unit(average) or total)
        for column in _OUTCOMES:
            _put(builder, trial, table, row, column, Kind.RESPONSE, total)
        for column in ("Instances", "Count"):
            _put(builder, trial, table, row, column)


def _put(
    builder: Builder, trial: int, table: Table, row: Row, column: str, kind: Kind = Kind.COUNTER, unit: str = ""
) -> None:
    if text := table.cell(row, column):
        builder.put(trial, column, number(text), table.unit(column) or unit, kind)


def _axes(table: Table, row: Row, what: str) -> list[float | None]:
    return [number(table.cell(row, f"{what}{axis.upper()}")) for axis in AXES]


def _dimensions(table: Table, row: Row, column: str) -> list[float | None]:
    found = re.findall(r"\d+", table.cell(row, column))
    return [number(size) for size in found] if len(found) == len(AXES) else []


def header_of(line: str) -> tuple[str, list[tuple[str, str]], str] | None:
    """Return (kind, [(column, unit)], separator) if a line names the columns of a table."""
    header = _FORM.read(line)
    return (header[0], [*map(_split, header[1])], header[2]) if header else None


def _split(column: str) -> tuple[str, str]:
    """Return a column's name and unit."""
    unit = _UNIT.fullmatch(column)
    return (unit[1], _UNITS.get(unit[2], unit[2])) if unit else (column, "")


def _kind(columns: Sequence[str]) -> str:
    return kind_of("nsys", [_split(column)[0] for column in columns])


_FORM = HeaderForm(_FIRST, _kind)


def _certain(columns: Mapping[str, str]) -> bool:
    """Whether columns, by name with their units, are those of a table that no other tool writes."""
    summary = {"Time", "Total Time"} <= set(columns) and columns["Time"] == "%"
    return summary or bool(kind_of("nsys", columns, "certain"))


def find(capture: Capture) -> list[Table]:
    """Return the tables of a capture, and note its remaining lines and its last row."""
    tables, table = list[Table](), None
    for at, line in enumerate(capture.lines, start=1):
        if header := header_of(line):
            names, units = zip(*header[1], strict=True)
            table = Table(header[0], at, names, header[2], units)
            tables.append(table)
            continue
        says = MESSAGE.match(line)
        cells = table.fitted(cells_of(line, table.separator)) if table and line.strip() and not says else None
        row = Row(at, cells or ())
        if table and cells is not None and (table.kind == OTHER or _has_numbers(table, row)):
            capture.last = at
            table.rows.append(row)
        elif table and line.count(table.separator) > 3 and not says:
            capture.broken.append((at, f"not read: not the {len(table.columns)} cells of the table"))
        else:
            table = None if says else table
            capture.add(at, line)
    return tables


def _has_numbers(table: Table, row: Row) -> bool:
    names = ("Duration",) if table.kind == TRACE else ("Avg", "Average")
    return number(table.cell(row, *names)) is not None
