"""nvprof's tables to trials: averages over all launches of a kernel, or one trial per launch."""

import re
from collections import Counter

from core.errors import ReadError
from core.ingest._names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, complaint, cut_off, no_rows, tell
from core.ingest.readers._nvidia.nvprof_averages import put_averages
from core.ingest.readers._nvidia.nvprof_tables import (
    CALLS,
    EVENTS,
    MESSAGE,
    METRICS,
    OTHER,
    SUMMARY,
    TRACE,
    Found,
    Table,
    mark_of,
)
from core.ingest.readers._nvidia.nvprof_trace import put_trace
from core.ingest.readers._nvidia.nvprof_values import Putting, kilo_of
from core.trial import Import, Kind

TOOL = "nvprof"

_CALL = re.compile(r"cu(?:da)?[A-Z]\w*")


def trials_of(capture: Capture, found: Found, format: str) -> Import:
    """Return the trials of a capture.

    Raises
    ------
    ReadError
        If nothing was measured on a device, with what the tool said of it.
    """
    builder = Builder(capture.name, capture.sha256, format)
    mark = mark_of(found)
    putting = Putting(builder, mark, kilo_of(found.tables, mark))
    averages = put_averages(putting, [t for t in found.tables if t.kind in (METRICS, EVENTS)], found.rest)
    launches = 0
    for table in found.tables:
        if table.kind == TRACE:
            launches = put_trace(putting, table, launches)
    for table in found.tables:
        if table.kind == SUMMARY and launches:
            _skip(builder, table, "a summary of launches that are here one by one")
        elif table.kind == SUMMARY:
            _put_summary(putting, table, averages)
        elif table.kind in (CALLS, OTHER):
            _skip(builder, table, "calls of the host, no kernels" if table.kind == CALLS else "transfers of pages")
    if not len(builder):
        raise ReadError(_why_nothing(capture, found))
    putting.tell()
    tell(found.rest, builder, TOOL, MESSAGE)
    warnings = [*capture.warnings, cut_off(capture, found.last)]
    return putting.with_units_as_printed(builder.build(extra_warnings=[w for w in warnings if w]))


def _skip(builder: Builder, table: Table, why: str) -> None:
    lines = f"lines {table.line}-{table.rows[-1].line}" if table.rows else f"line {table.line}"
    builder.skip(lines, f"{len(table.rows)} rows: {why}")


def _put_summary(putting: Putting, table: Table, averages: dict[tuple[str, str], list[int]]) -> None:
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
        trial = known[0] if len(known) == 1 else putting.builder.trial(
            name, input=table.command, where=where, execution="all launches"
        )  # fmt: skip
        putting.put_time(trial, table, row, "Avg")
        for column in ("Time", "Time(%)", "Min", "Max"):
            putting.put(trial, column, table, row, column, Kind.RESPONSE)
        putting.put(trial, "Calls", table, row, "Calls")
    if calls:
        lines = f"lines {calls[0]}-{calls[-1]}" if len(calls) > 1 else f"line {calls[0]}"
        some = ", ".join(list(names)[:3])
        putting.builder.skip(lines, f"{len(calls)} calls of the host ({shown(some, 80)}), no kernels")


def _why_nothing(capture: Capture, found: Found) -> str:
    name, rest = capture.name, found.rest
    host = [table for table in found.tables if table.kind in (CALLS, SUMMARY) and table.rows]
    if host:
        return f"{name} line {host[0].line} begins times of the host's calls; there are no kernels. Profile the device."
    if found.tables:
        return no_rows(name, found.tables[0].line, rest, TOOL, MESSAGE)
    return (
        f"{name} holds only messages of {TOOL} and no measurements: {complaint(rest, MESSAGE)}. Run the capture again."
    )
