"""nvprof's tables to trials: averages over all launches of a kernel, or one trial per launch."""

import re
from collections import Counter
from dataclasses import replace
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest.base import SourceFile
from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, Rest, Row
from core.ingest.readers._nvidia.nvprof_averages import put_averages
from core.ingest.readers._nvidia.nvprof_tables import (
    CALLS,
    EVENTS,
    MESSAGE,
    METRICS,
    OTHER,
    SUMMARY,
    TRACE,
    NvprofTable,
    find,
    mark_of,
)
from core.ingest.readers._nvidia.nvprof_trace import put_trace
from core.ingest.readers._nvidia.nvprof_values import Putting, kilo_of
from core.ingest.readers._nvidia.told import CaptureReader
from core.trial import Import, Kind

_CALL = re.compile(r"cu(?:da)?[A-Z]\w*")


class NvprofReader(CaptureReader):
    """Reads averages over the launches of a kernel, launches one by one, and sums of calls."""

    family: ClassVar[str] = "nvprof"
    tool = "nvprof"
    message = MESSAGE

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials of a file, with the original units as it has them."""
        imported = super().read(file)
        printed = {name: unit.replace("iB", "B") for name, unit in imported.original_units.items()}
        return replace(imported, original_units=printed)

    def put(self, builder: Builder, capture: Capture) -> tuple[Rest, Row | None]:
        """Put down what was measured on a device."""
        tables, rest, last = find(capture)
        mark = mark_of(tables)
        putting = Putting(builder, mark, kilo_of(tables, mark))
        averages = put_averages(putting, [t for t in tables if t.kind in (METRICS, EVENTS)], rest)
        launches = 0
        for table in tables:
            if table.kind == TRACE:
                launches = put_trace(putting, table, launches)
        for table in tables:
            why = {CALLS: "calls of the host, no kernels", OTHER: "transfers of pages"}.get(table.kind, "")
            if table.kind == SUMMARY and launches:
                why = "a summary of launches that are here one by one"
            elif table.kind == SUMMARY:
                _put_summary(putting, table, averages)
            if why:
                builder.skip(table.lines(), f"{len(table.rows)} rows: {why}")
        if not len(builder):
            host = next((table.line for table in tables if table.kind in (CALLS, SUMMARY) and table.rows), 0)
            if host:
                told = "begins times of the host's calls; there are no kernels. Profile the device."
                raise ReadError(f"{capture.name} line {host} {told}")
            raise self.refused(capture.name, tables[0].line if tables else 0, rest)
        putting.tell()
        return rest, last


def _put_summary(putting: Putting, table: NvprofTable, averages: dict[tuple[str, str], list[int]]) -> None:
    """Put one trial per kernel or transfer; a kernel whose metrics are in the same file gets its time there."""
    calls: list[int] = []
    names: Counter[str] = Counter()
    kind = ""
    for row in table.rows:
        kind = table.cell(row, "Type") or kind
        name = table.cell(row, "Name")
        if kind.lower() not in ("", "gpu activities") or (not kind and _CALL.fullmatch(name)):
            calls.append(row.line)
            names[name] += 1
            continue
        known = averages.get((name, table.command), [])
        where = f"line {row.line}"
        trial = (
            known[0]
            if len(known) == 1
            else putting.builder.trial(name, input=table.command, where=where, execution="all launches")
        )
        putting.put_time(trial, table, row, "Avg")
        for column in ("Time", "Time(%)", "Min", "Max"):
            putting.put(trial, column, table, row, column, Kind.RESPONSE)
        putting.put(trial, "Calls", table, row, "Calls")
    if calls:
        lines = f"lines {calls[0]}-{calls[-1]}" if len(calls) > 1 else f"line {calls[0]}"
        some = ", ".join(list(names)[:3])
        putting.builder.skip(lines, f"{len(calls)} calls of the host ({shown(some, 80)}), no kernels")
