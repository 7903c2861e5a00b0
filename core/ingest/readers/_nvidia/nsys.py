"""Nsight Systems' reports to trials: launches and transfers one by one, or summed up by name."""

import re

from core.errors import ReadError
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, Rest, Row, Table
from core.ingest.readers._nvidia.launch import AXES, put_sizes, put_time, shape, sizes
from core.ingest.readers._nvidia.nsys_tables import MESSAGE, OTHER, SUMMARY, TRACE, find
from core.ingest.readers._nvidia.nvprof_values import device_of
from core.ingest.readers._nvidia.printed import number
from core.ingest.readers._nvidia.told import CaptureReader
from core.trial import Kind

_COUNTERS = ("Reg/Trd", "StcSMem", "DymSMem")
_LABELS = {"context": "Ctx", "stream": "Strm", "source memory": "SrcMemKd", "destination memory": "DstMemKd"}
_OUTCOMES = ("Total Time", "Time", "Med", "Median", "Min", "Minimum", "Max", "Maximum", "StdDev")


class NsysReader(CaptureReader):
    """Reads launches one by one, or summed up by name where there is no trace."""

    tool = "Nsight Systems"
    message = MESSAGE
    again = "Run it"

    def put(self, builder: Builder, capture: Capture) -> tuple[Rest, Row | None]:
        """Put down one trial per launch, or per kernel."""
        tables, rest, last = find(capture)
        traced = any(table.kind == TRACE and table.rows for table in tables)
        for table in tables:
            if table.kind == TRACE:
                _put_trace(builder, table)
            elif table.kind == SUMMARY and not traced:
                _put_summary(builder, table)
            else:
                other = "a report on calls, ranges, queues or sizes, not on kernels alone"
                why = other if table.kind == OTHER else "sums of launches that are here too"
                builder.skip(table.lines(), f"{len(table.rows)} rows: {why}")
        if len(builder):
            return rest, last
        if any(table.kind == OTHER and table.rows for table in tables):
            raise ReadError(
                f"{capture.name} holds neither a trace nor a summary of kernels or transfers. "
                "Export one with nsys stats --report cuda_gpu_trace or cuda_gpu_kern_sum, and --format csv."
            )
        raise self.refused(capture.name, tables[0].line if tables else 0, rest)


def _put_trace(builder: Builder, table: Table) -> None:
    for row in table.rows:
        name = table.cell(row, "Name")
        known = sizes("grid", _axes(table, row, "Grd")) | sizes("block", _axes(table, row, "Blk"))
        amount = table.cell(row, "Bytes")
        input = shape(known) or (f"{amount} {table.unit('Bytes')}" if amount else "")
        machine, device = device_of(table.cell(row, "Device"))
        labels = {"device": device} | {label: table.cell(row, column) for label, column in _LABELS.items()}
        trial = builder.trial(name, input=input, machine=machine, where=f"line {row.line}", labels=labels)
        put_sizes(builder, name, input, known)
        if amount:
            builder.of_input(name, input, "Bytes", number(amount), table.unit("Bytes"))
        put_time(builder, trial, "Duration", number(table.cell(row, "Duration")), table.unit("Duration"))
        _put(builder, trial, table, row, "Throughput", Kind.RESPONSE)
        for column in _COUNTERS:
            _put(builder, trial, table, row, column)


def _put_summary(builder: Builder, table: Table) -> None:
    total = table.unit("Total Time")
    for row in table.rows:
        name = table.cell(row, "Name", "Operation")
        known = sizes("grid", _dimensions(table, row, "GridXYZ")) | sizes("block", _dimensions(table, row, "BlockXYZ"))
        input = shape(known)
        trial = builder.trial(name, input=input, where=f"line {row.line}")
        put_sizes(builder, name, input, known)
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
