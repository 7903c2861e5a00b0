"""Summaries of AMD's profilers, one row per kernel: results.stats.csv, kernel_stats.csv, rocpd's summary."""

import re
from collections.abc import Sequence
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._rocm.kernel import kernel_name
from core.ingest.readers._rocm.table import Header, Names, Row, Tally, find_header, number, read_rows
from core.trial import Import, Kind

_HINT = re.compile(rb"[Cc][Aa][Ll][Ll][Ss]")
_TOTAL = ("totaldurationns", "duration (nsec)")
_AVERAGE = ("averagens", "average (nsec)")
_SPREAD = (
    (_TOTAL, "TotalDurationNs", "ns"),
    (("percentage", "percent (inc)"), "Percentage", "%"),
    (("minns", "min (nsec)"), "MinNs", "ns"),
    (("maxns", "max (nsec)"), "MaxNs", "ns"),
    (("stddev", "std_dev"), "StdDev", "ns"),
)
_CALL = re.compile(
    r"_*hip[A-Z]\w*|_*hip_\w+|hsa_\w+|roctx\w+|(?:nccl|rccl|roc(?:Dec|Jpeg|decode|jpeg))[A-Z]\w*|omp_\w+|ompt_\w+"
    r"|MEMORY_(?:COPY|ALLOCATION)\w*|SCRATCH_MEMORY\w*|Copy(?:Host|Device)To(?:Host|Device)|Marker"
    r"|(?:HIP|HSA|MARKER|RCCL|ROCDECODE|ROCJPEG|OMPT|KERNEL|MEMORY)_[A-Z_]+"
)


class RocprofStats(Reader):
    """Reads summaries of kernels: each trial stands for all calls of a kernel, its time is their mean.

    The total, the shares and the extremes are times too, so they are responses and no counters.
    Summaries of API calls and memory copies have the same columns; they are known by their names
    and refused.
    """

    label: ClassVar[str] = "AMD rocprof statistics (per kernel)"
    summary: ClassVar[bool] = True
    sums_up: ClassVar[str] = "rocprof"

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of a summary."""
        return _find(head) is not None

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials, one per kernel."""
        text = open_text(file)
        header = _find(text.raw)
        if header is None:
            raise ReadError(f"{text.name} holds no summary of kernels with Name, Calls and TotalDurationNs.")
        tally = Tally()
        rows = read_rows(text, header, tally, header.place("name"))
        _refuse_calls(text.name, header, rows)
        builder = Builder(text.name, text.sha256, format="rocprof_stats")
        for row in rows:
            _put(builder, header, row, tally)
        if len(builder):
            builder.warn(f"{text.name} is a summary: each trial is the mean over all calls of a kernel.")
        tally.tell(builder)
        return builder.build(text.warnings)


def _find(raw: bytes) -> Header | None:
    return find_header(raw, _HINT, _accepts)


def _accepts(names: Names) -> bool:
    return {"name", "calls"} <= names and bool(names & set(_TOTAL))


def _refuse_calls(file: str, header: Header, rows: Sequence[Row]) -> None:
    column = header.names.index("name")
    names = [cells[column] for _, cells in rows]
    if all(_CALL.fullmatch(name) for name in names):
        raise ReadError(
            f"{file} sums up API calls or memory copies, such as '{shown(names[0])}', and no kernels. "
            "Import the statistics of kernels: results.stats.csv, or kernel_stats.csv."
        )


def _put(builder: Builder, header: Header, row: Row, tally: Tally) -> None:
    line, cells = row
    name = kernel_name(cells[header.names.index("name")])
    if not name:
        tally.add(line, "it names no kernel")
        return
    rank, host = header.place("processid"), header.place("hostname")
    labels = {key: cells[at] for key, at in (("process", rank), ("host", host)) if at is not None and cells[at]}
    trial = builder.trial(name, where=f"line {line}", labels=labels)
    calls = _value(header, row, ("calls",), tally)
    total, average = _value(header, row, _TOTAL, tally), _value(header, row, _AVERAGE, tally)
    if average is None and total is not None and calls:
        average = total / calls
    builder.put(trial, TIME, average, "ns", Kind.RESPONSE)
    builder.put(trial, "Calls", calls)
    for names, own, unit in _SPREAD:
        if header.place(*names) is not None:
            builder.put(trial, own, _value(header, row, names, tally), unit, Kind.RESPONSE)


def _value(header: Header, row: Row, names: Sequence[str], tally: Tally) -> float | None:
    line, cells = row
    column = header.place(*names)
    if column is None:
        return None
    try:
        return number(cells[column])
    except ValueError:
        name, cell = shown(header.cells[column]), shown(cells[column])
        tally.add(line, f"'{name}' is '{cell}', expected a number: it is missing there")
        return None
