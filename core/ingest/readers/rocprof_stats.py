"""Summaries of AMD's profilers, one row per kernel: results.stats.csv, kernel_stats.csv, rocpd's summary."""

import re

from core.ingest.names import shown
from core.ingest.readers._builder import TIME
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._rocm.table import AmdReader, Row, Table, kernel_name
from core.trial import Kind

_TOTAL = ("totaldurationns", "duration (nsec)")
_AVERAGE = ("averagens", "average (nsec)")
_SPREAD = DECLARED["rocprof_stats"]["spread"]
_CALL = re.compile("|".join(DECLARED["rocprof_stats"]["calls"]))


class RocprofStats(AmdReader):
    """Reads summaries of kernels: each trial stands for all calls of a kernel, its time is their mean.

    The total, the shares and the extremes are times too, so they are responses and no counters.
    Summaries of API calls and memory copies have the same columns; they are known by their names
    and refused.
    """

    label = "AMD rocprof statistics (per kernel)"
    tells = (b"calls",)
    summary = True
    sums_up = "rocprof"
    hint = re.compile(rb"[Cc][Aa][Ll][Ll][Ss]")
    named_by = ("name",)
    wanted = (("name", "calls", "|".join(_TOTAL)),)
    lacks = "holds no summary of kernels with Name, Calls and TotalDurationNs."

    def put(self, table: Table) -> None:
        """Put down one trial per kernel."""
        names = [table.cell(row, "name") for row in table.rows]
        if all(_CALL.fullmatch(name) for name in names):
            raise table.builder.refused(
                f"sums up API calls or memory copies, such as '{shown(names[0])}', and no "
                "kernels. Import the statistics of kernels: results.stats.csv, or kernel_stats.csv."
            )
        for row in table.rows:
            _put(table, row)
        if len(table.builder):
            table.builder.tell("is a summary: each trial is the mean over all calls of a kernel.")


def _put(table: Table, row: Row) -> None:
    builder, place = table.builder, table.place
    if not (name := kernel_name(table.cell(row, "name"))):
        builder.leave_out(row[0], "it names no kernel")
        return
    labels = {"process": table.cell(row, "processid"), "host": table.cell(row, "hostname")}
    trial = builder.trial(name, where=f"line {row[0]}", labels=labels)
    calls, total, average = (table.value(row, place(*names)) for names in (("calls",), _TOTAL, _AVERAGE))
    if average is None and total is not None and calls:
        average = total / calls
    builder.put(trial, TIME, average, "ns", Kind.RESPONSE)
    builder.put(trial, "Calls", calls)
    for own, unit, *names in _SPREAD:
        if place(*names) is not None:
            builder.put(trial, own, table.value(row, place(*names)), unit, Kind.RESPONSE)
