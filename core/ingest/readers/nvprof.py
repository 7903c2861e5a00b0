"""nvprof's tables to trials: averages over all launches of a kernel, or one trial per launch."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import ClassVar

from core.ingest.base import Mapping, SourceFile
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._launch import AXES, begin, shape, sizes
from core.ingest.readers._nvidia import nvprof_tables as kinds
from core.ingest.readers._nvidia.capture import Capture, Row, span
from core.ingest.readers._nvidia.nvprof_tables import NvprofTable
from core.ingest.readers._nvidia.nvprof_values import Putting, device_of, kilo_of, put_averages
from core.ingest.readers._nvidia.printed import number
from core.ingest.readers._nvidia.told import CaptureReader, tell_missing
from core.trial import Import, Kind

_NO_METRICS, _LABELS = DECLARED["nvprof"]["no_metrics"], DECLARED["nvprof"]["labels"]
_NUMBERED = re.compile(r"(.*\S) \[\d+\]")
_LEFT_OUT = {
    kinds.CALLS: "calls of the host, no kernels",
    kinds.OTHER: "transfers of pages",
    kinds.SUMMARY: "a summary of launches that are here one by one",
}
_CALL = re.compile(r"cu(?:da)?[A-Z]\w*")


class Nvprof(CaptureReader):
    """Reads metrics and events over the launches of a kernel, traces, and what a failed capture leaves."""

    label: ClassVar[str] = "nvprof, metrics, events or trace (CSV)"
    tells = tuple(b"invocations|duration|calls|context|avg size|==|profiled".split(b"|"))
    family: ClassVar[str] = "nvprof"
    tool = "nvprof"
    message = kinds.MESSAGE

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of nvprof that is no summary, or there are only messages of the tool."""
        return kinds.first_kind(head) not in ("", kinds.SUMMARY)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file, with the original units as it has them."""
        imported = super().read(file)
        printed = {name: unit.replace("iB", "B") for name, unit in imported.original_units.items()}
        return replace(imported, original_units=printed)

    def put(self, builder: Builder, capture: Capture) -> None:
        """Put down what was measured on a device."""
        tables = kinds.find(capture)
        mark = kinds.mark_of(tables)
        putting = Putting(builder, mark, kilo_of(tables, mark))
        averages = put_averages(putting, [t for t in tables if t.kind in (kinds.METRICS, kinds.EVENTS)], capture)
        traced, launches = any(table.kind == kinds.TRACE and table.rows for table in tables), count(1)
        for table in tables:
            if table.kind == kinds.TRACE:
                _put_trace(putting, table, launches)
            elif table.kind == kinds.SUMMARY and not traced:
                _put_summary(putting, table, averages)
            elif why := _LEFT_OUT.get(table.kind):
                builder.skip(table.lines(), f"{len(table.rows)} rows: {why}")
        if not len(builder):
            hosts = [table.line for table in tables if table.kind in (kinds.CALLS, kinds.SUMMARY) and table.rows]
            if hosts:
                told = "begins times of the host's calls; there are no kernels. Profile the device."
                raise builder.refused(f"line {hosts[0]} {told}")
            raise builder.refused(self.why_nothing(tables, capture))
        tell_missing(builder, putting.missing)


class NvprofSummary(Nvprof):
    """Reads the table that nvprof prints by default, as CSV: calls and times of each kernel."""

    label: ClassVar[str] = "nvprof, summary (CSV)"
    tells = (b"calls",)

    def sniff(self, head: bytes) -> bool:
        """Whether all tables are summaries."""
        return kinds.first_kind(head) == kinds.SUMMARY


def _put_summary(putting: Putting, table: NvprofTable, averages: dict[tuple[str, str], list[int]]) -> None:
    """Put one trial per kernel or transfer; a kernel whose metrics are in the same file gets its time there."""
    calls: list[Row] = []
    kind = ""
    for row in table.rows:
        kind = table.cell(row, "Type") or kind
        name = table.cell(row, "Name")
        if kind.lower() not in ("", "gpu activities") or (not kind and _CALL.fullmatch(name)):
            calls.append(row)
            continue
        if len(known := averages.get((name, table.command), [])) == 1:
            trial = known[0]
        else:
            where = f"line {row.line}"
            trial = putting.builder.trial(name, input=table.command, where=where, execution="all launches")
        putting.put_time(trial, table, row, "Avg")
        for column in ("Time", "Time(%)", "Min", "Max"):
            putting.put(trial, column, table, row, column, Kind.RESPONSE)
        putting.put(trial, "Calls", table, row, "Calls")
    if calls:
        lines = span(calls[0].line, calls[-1].line)
        some = ", ".join(list(dict.fromkeys(table.cell(row, "Name") for row in calls))[:3])
        putting.builder.skip(lines, f"{len(calls)} calls of the host ({shown(some, 80)}), no kernels")


def _put_trace(putting: Putting, table: NvprofTable, launches: Iterator[int]) -> None:
    """Put one trial per row; launches are numbered through the tables of a file."""
    names = _metric_names(table)
    for row, launch in zip(table.rows, launches, strict=False):
        name = table.cell(row, "Kernel", "Name")
        numbered = None if "Correlation_ID" in table.columns else _NUMBERED.fullmatch(name)
        _put_row(putting, table, row, numbered.group(1) if numbered else name, launch, names)


def _put_row(
    putting: Putting, table: NvprofTable, row: Row, name: str, launch: int, names: Sequence[tuple[int, str]]
) -> None:
    machine, device = device_of(table.cell(row, "Device"))
    known = _sizes(putting, table, row)
    amount = putting.amount(table.cell(row, "Size"), table.unit("Size"))
    without = "" if "Grid X" in table.columns else table.command
    input = shape(known) or (f"{amount:.0f} byte" if amount is not None else without)
    labels = {"device": device, "command": table.command}
    labels |= {label: table.cell(row, column) for column, label in _LABELS.items()}
    said = {"machine": machine, "where": f"line {row.line}", "execution": f"launch {launch}", "labels": labels}
    trial = begin(putting.builder, name, known, input, **said)
    if amount is not None:
        putting.builder.of_input(name, input, "Size", amount, "byte")
    putting.put_time(trial, table, row, "Duration")
    putting.put(trial, "Throughput", table, row, "Throughput", Kind.RESPONSE)
    for place, metric in names:
        putting.put_text(trial, metric, row.cells[place], table.units[place] if table.units else "")


def _sizes(putting: Putting, table: NvprofTable, row: Row) -> dict[str, float]:
    cells = ([table.cell(row, f"{what} {axis.upper()}") for axis in AXES] for what in ("Grid", "Block"))
    return sizes(*([number(cell, putting.mark) for cell in own] for own in cells))


def _metric_names(table: NvprofTable) -> list[tuple[int, str]]:
    """Return (place, name) of the metrics; of two columns with one name, a differing second says which it is."""
    found: list[tuple[int, str]] = []
    first: dict[str, int] = {}
    for place, column in enumerate(table.columns):
        if column in _NO_METRICS or not column:
            continue
        if (before := first.setdefault(column, place)) == place:
            found.append((place, column))
        elif any(row.cells[place] != row.cells[before] for row in table.rows):
            found.append((place, f"{column} [column {place + 1}]"))
    return found
