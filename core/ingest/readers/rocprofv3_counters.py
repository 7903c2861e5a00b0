"""AMD rocprofv3's counter_collection.csv: one row per dispatch and counter."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.readers._rocm.dispatches import DEVICE, KERNEL
from core.ingest.readers._rocm.table import AmdReader, Header, Names, Table
from core.ingest.readers._rocm.v3 import RUN, Executions

_OWN = (RUN, DEVICE, ("dispatch_id", "correlation_id"), KERNEL, ("grid_size",), ("workgroup_size",))
"""The columns that together tell an execution from others in its file."""


class Rocprofv3Counters(AmdReader):
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
    tells = (b"ounter_name",)
    family: ClassVar[str] = "rocprofv3"
    hint = re.compile(rb"ounter_[Nn]ame")
    named_by = KERNEL
    lacks = "holds no counters: no line names Counter_Name and Counter_Value."

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are those of a counter collection."""
        dispatch = {"kernel_name", "kernelname", "dispatch_id"}
        return {"counter_name", "counter_value"} <= names and bool(names & dispatch)

    def refuse(self, name: str, header: Header) -> None:
        """Raise ReadError if kernels have no names."""
        if header.place(*KERNEL) is None:
            told = "gives kernels by number alone. Import the counter_collection.csv that names them."
            raise ReadError(f"{name} {told}")

    def put(self, table: Table) -> None:
        """Put down one trial per dispatch."""
        runs = Executions(table, table.rows)
        name_at, value_at = table.header.names.index("counter_name"), table.header.names.index("counter_value")
        own = [column for names in _OWN if (column := table.place(*names)) is not None]
        trials: dict[tuple[str, ...], int] = {}
        counted: dict[tuple[int, str], list[float | None]] = {}
        for row in table.rows:
            key, name = tuple([row[1][column] for column in own]), row[1][name_at]
            if key not in trials:
                if not runs.key(row)[0]:
                    table.builder.leave_out(row[0], "it names no kernel")
                    continue
                trials[key] = runs.put(row)
            if name:
                counted.setdefault((trials[key], name), []).append(table.value(row, value_at))
            else:
                table.builder.leave_out(row[0], "it names no counter")
        _put(table, counted)
        runs.settle()
        if runs.several:
            n = len({table.cell(row, *RUN) for row in table.rows})
            told = f"holds dispatches of {n} processes: they are kept apart by process."
            table.builder.warn(f"{table.builder.source} {told}")


def _put(table: Table, counted: dict[tuple[int, str], list[float | None]]) -> None:
    """Put the counters down; several instances become one value."""
    several: dict[str, int] = {}
    for (trial, name), values in counted.items():
        known = [value for value in values if value is not None]
        if len(known) > 1:
            several[name] = max(several.get(name, 0), len(known))
        table.builder.put(trial, name, _of_instances(name)(known) if known else None)
    if several:
        named = ", ".join(f"'{shown(name)}' ({n})" for name, n in list(several.items())[:5])
        more = f" and {len(several) - 5} more" if len(several) > 5 else ""
        told = "lists counters several times for one dispatch, once per instance; they are added up"
        table.builder.warn(f"{table.builder.source} {told}: {named}{more}.")


def _of_instances(name: str) -> Callable[[Sequence[float]], float]:
    lower = name.lower()
    return max if lower.endswith("_max") else min if lower.endswith("_min") else sum
