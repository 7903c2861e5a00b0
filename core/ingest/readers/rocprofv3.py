"""What rocprofv3's two kinds of files share: which execution a row is of, its launch, its time."""

import re
from collections.abc import Sequence

from core.errors import first_few
from core.ingest.names import shown
from core.ingest.readers._declared import kind_of
from core.ingest.readers._rocm.table import DEVICE, KERNEL, AmdReader, Dispatches, Header, Names, Row, Table, whole

RUN = ("guid", "process_id", "pid")
_OWN = (RUN, DEVICE, ("dispatch_id", "correlation_id"), KERNEL, ("grid_size",), ("workgroup_size",))
"""The columns that together tell an execution from others in its file."""
_TABLES = (b"Kernel_Name", b"KernelName", b"TotalDurationNs", b"Agent_Type")
_TRACED = ("kernel_name", "start_timestamp", "end_timestamp|stop_timestamp", "!counter_name")
_FAILED = re.compile(r"error|fail|fatal|unable|not found|invalid", re.IGNORECASE)


class Executions(Dispatches):
    """Dispatches by their numbers, which are counted from 1 in each of several processes."""

    def __init__(self, table: Table, rows: Sequence[Row]) -> None:
        super().__init__(table)
        self.n_processes = len({self.cell(row, *RUN) for row in rows})

    def put(self, row: Row) -> int | None:
        """Begin the trial of a row, with its time, and say what its launch takes: sizes, registers, memory.

        There is none if the row names no kernel.
        """
        dispatch = whole(self.cell(row, "dispatch_id"))
        process = f"process {self.cell(row, *RUN)} " if self.n_processes > 1 else ""
        if (trial := self.begin(row, f"{process}dispatch {dispatch}" if dispatch else "")) is None:
            return None
        self.put_time(trial, row)
        self.say_properties(trial, row)
        for noun in ("grid", "workgroup"):
            if self.place(f"{noun}_size") is None and (size := self.size(row, noun)):
                self.say(trial, self.key(row), f"{noun}_size", float(size), "")
        return trial


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

    label = "AMD rocprofv3 counters"
    tells = (b"ounter_name",)
    family = "rocprofv3"
    hint = re.compile(rb"ounter_[Nn]ame")
    wanted = (("counter_name", "counter_value", "kernel_name|kernelname|dispatch_id"),)
    named_by = KERNEL
    lacks = "holds no counters: no line names Counter_Name and Counter_Value."

    def no_use(self, header: Header) -> str:
        """Return why a table is of no use whose kernels have no names; "" if they have."""
        told = "gives kernels by number alone. Import the counter_collection.csv that names them."
        return told if header.place(*KERNEL) is None else ""

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
                if (trial := runs.put(row)) is None:
                    continue
                trials[key] = trial
            if name:
                counted.setdefault((trials[key], name), []).append(table.value(row, value_at))
            else:
                table.builder.leave_out(row[0], "it names no counter")
        _put(table, counted)
        runs.settle()
        if runs.n_processes > 1:
            table.builder.tell(f"holds dispatches of {runs.n_processes} processes: they are kept apart by process.")


def _put(table: Table, counted: dict[tuple[int, str], list[float | None]]) -> None:
    """Put the counters down; several instances become one value."""
    several: dict[str, int] = {}
    for (trial, name), values in counted.items():
        known = [value for value in values if value is not None]
        if len(known) > 1:
            several[name] = max(several.get(name, 0), len(known))
        ending = name.lower()[-4:]
        of_instances = max if ending == "_max" else min if ending == "_min" else sum
        table.builder.put(trial, name, of_instances(known) if known else None)
    if several:
        named = first_few([f"'{shown(name)}' ({n})" for name, n in several.items()])
        told = "lists counters several times for one dispatch, once per instance; they are added up"
        table.builder.tell(f"{told}: {named}.")


class Rocprofv3Trace(AmdReader):
    """Reads the times of dispatches; all generations, and rocpd's conversion to CSV.

    The input is the launch in totals of work-items, as the counters' files have it, so that both
    join on the dispatch's number; the sizes along x, y and z are metrics. Traces of API calls,
    copies and markers, and program counter samples, name no kernels and are refused.
    """

    label = "AMD rocprofv3 kernel trace"
    tells = (b"_timestamp", b"[rocprofv3]")
    family = "rocprofv3"
    hint = re.compile(rb"_[Tt]imestamp")
    named_by = KERNEL
    lacks = "holds no trace of kernels: no line names Kernel_Name and Start_Timestamp."
    wanted = (
        (*_TRACED, "kind|domain|guid|grid_size_x|workgroup_size_x"),
        (*_TRACED, "!dispatch_id"),
    )

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of a trace, of kernels or of something else."""
        return super().sniff(head) or (b"[rocprofv3]" in head and not any(word in head for word in _TABLES))

    def accepts(self, names: Names) -> bool:
        """Whether columns are those of a trace."""
        return super().accepts(names) or bool(kind_of("rocprofv3", names))

    def without(self, raw: bytes) -> str:
        """Return what rocprofv3 said first of a failure."""
        lines = [line.decode(errors="replace").strip() for line in raw.splitlines() if line.strip()]
        if not any("[rocprofv3]" in line for line in lines):
            return self.lacks
        line = next((line for line in lines if _FAILED.search(line)), lines[-1])
        return f"holds only messages of rocprofv3 and no measurements: '{shown(line, 160)}'. Run it again."

    def no_use(self, header: Header) -> str:
        """Return why a trace is of no use that is not of kernels; "" if it is."""
        what = kind_of("rocprofv3", header.names)
        remedy = "Import the kernel trace (rocprofv3 --kernel-trace) or the counter collection."
        return what and f"holds {what} and no kernels: no execution can be taken from it. {remedy}"

    def put(self, table: Table) -> None:
        """Put down one trial per dispatch."""
        rows = []
        for row in table.rows:
            kind = table.cell(row, "kind")
            if kind.upper() in ("", "KERNEL_DISPATCH"):
                rows.append(row)
            else:
                table.builder.leave_out(row[0], f"it is a {shown(kind)} and no kernel")
        runs = Executions(table, rows)
        for row in rows:
            runs.put(row)
        runs.settle()
