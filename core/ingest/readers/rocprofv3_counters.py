"""AMD rocprofv3's counter_collection.csv: one row per dispatch and counter."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import OpenedText, open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.ingest.readers._rocm.kernel import KERNEL, KernelFacts
from core.ingest.readers._rocm.table import Header, Names, Row, Tally, find_header, read_rows
from core.ingest.readers._rocm.v3 import Columns, begin, columns, put_time, say_properties, several_runs
from core.trial import Import

_HINT = re.compile(rb"ounter_[Nn]ame")


class Rocprofv3Counters(Reader):
    """Reads the counters of dispatches; all generations, and rocpd's conversion to CSV.

    A counter that a dispatch lists several times is listed per instance (a channel, a die). The
    instances are added up, as rocprofv3 itself and rocprof-compute do; of `_max` and `_min` counters
    the largest and the smallest is taken. Sizes are totals of work-items. Files of several
    passes, and the kernel trace of the run, join on the dispatch's number.

    References
    ----------
    ROCm/rocprofiler-sdk, source/lib/output/generateCSV.cpp: "Accumulate counters based on ID".
    """

    label: ClassVar[str] = "AMD rocprofv3 counters"
    family: ClassVar[str] = "rocprofv3"

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of a counter collection."""
        return find_header(head, _HINT, _accepts) is not None

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials, one per dispatch."""
        text = open_text(file)
        header = find_header(text.raw, _HINT, _accepts)
        if header is None:
            raise ReadError(f"{text.name} holds no counters: no line names Counter_Name and Counter_Value.")
        if header.place(*KERNEL) is None:
            raise ReadError(
                f"{text.name} gives kernels by number alone. Import the counter_collection.csv that names them."
            )
        return _read(text, header)


def _accepts(names: Names) -> bool:
    dispatch = {"kernel_name", "kernelname", "dispatch_id"}
    return {"counter_name", "counter_value"} <= names and bool(names & dispatch)


def _read(text: OpenedText, header: Header) -> Import:
    builder, tally, at = Builder(text.name, text.sha256, format="rocprofv3_counters"), Tally(), columns(header)
    rows = read_rows(text, header, tally, at.kernel)
    apart = several_runs(at, rows)
    facts = KernelFacts(builder)
    name_column, value_column = header.names.index("counter_name"), header.names.index("counter_value")
    own = _own_columns(at)
    trials: dict[tuple[str, ...], int] = {}
    counted: dict[tuple[int, str], list[float | None]] = {}
    for row in rows:
        cells = row[1]
        key = tuple([cells[column] for column in own])
        if key not in trials:
            if not at.key(row)[0]:
                tally.add(row[0], "it names no kernel")
                continue
            trials[key] = begin(builder, at, row, apart)
            put_time(builder, at, trials[key], row, tally)
            say_properties(facts, at, trials[key], row, tally)
        if not cells[name_column]:
            tally.add(row[0], "it names no counter")
            continue
        counted.setdefault((trials[key], cells[name_column]), []).append(at.value(row, value_column, tally))
    _put(builder, counted)
    facts.settle()
    _tell_runs(builder, at, rows, apart)
    tally.tell(builder)
    return builder.build(text.warnings)


def _own_columns(at: Columns) -> list[int]:
    """Return the columns that together tell an execution from others in its file."""
    number = at.header.place("correlation_id") if at.dispatch is None else at.dispatch
    places = (at.run, at.gpu, number, at.kernel, at.header.place("grid_size"), at.header.place("workgroup_size"))
    return [column for column in places if column is not None]


def _put(builder: Builder, counted: dict[tuple[int, str], list[float | None]]) -> None:
    """Put the counters down; several instances become one value."""
    several: dict[str, int] = {}
    for (trial, name), values in counted.items():
        known = [value for value in values if value is not None]
        if len(known) > 1:
            several[name] = max(several.get(name, 0), len(known))
        builder.put(trial, name, _of_instances(name)(known) if known else None)
    if several:
        named = ", ".join(f"'{shown(name)}' ({n})" for name, n in list(several.items())[:5])
        more = f" and {len(several) - 5} more" if len(several) > 5 else ""
        builder.warn(
            f"{builder.source} lists counters several times for one dispatch, once per instance; they are added up: "
            f"{named}{more}."
        )


def _of_instances(name: str) -> Callable[[Sequence[float]], float]:
    lower = name.lower()
    return max if lower.endswith("_max") else min if lower.endswith("_min") else sum


def _tell_runs(builder: Builder, at: Columns, rows: Sequence[Row], apart: bool) -> None:
    if apart:
        n = len({at.cell(row, at.run) for row in rows})
        builder.warn(f"{builder.source} holds dispatches of {n} processes: they are kept apart by process.")
