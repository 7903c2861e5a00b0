"""AMD rocprofv3's kernel_trace.csv: one row per dispatch with its time stamps and launch."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest.names import shown
from core.ingest.opening import OpenedText
from core.ingest.readers._rocm.dispatches import KERNEL, kernel_name
from core.ingest.readers._rocm.table import AmdReader, Header, Names, Row, Table
from core.ingest.readers._rocm.v3 import Executions

_TABLES = (b"Kernel_Name", b"KernelName", b"TotalDurationNs", b"Agent_Type")
_FAILED = re.compile(r"error|fail|fatal|unable|not found|invalid", re.IGNORECASE)


class Rocprofv3Trace(AmdReader):
    """Reads the times of dispatches; all generations, and rocpd's conversion to CSV.

    The input is the launch in totals of work-items, as the counters' files have it, so that both
    join on the dispatch's number; the sizes along x, y and z are metrics. Traces of API calls,
    copies and markers, and program counter samples, name no kernels and are refused.
    """

    label: ClassVar[str] = "AMD rocprofv3 kernel trace"
    tells = (b"_timestamp", b"[rocprofv3]")
    family: ClassVar[str] = "rocprofv3"
    hint = re.compile(rb"_[Tt]imestamp")
    named_by = KERNEL
    lacks = "holds no trace of kernels: no line names Kernel_Name and Start_Timestamp."

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of a trace, of kernels or of something else."""
        return super().sniff(head) or (b"[rocprofv3]" in head and not any(word in head for word in _TABLES))

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are those of a trace."""
        if _other(names):
            return True
        if not {"kernel_name", "start_timestamp"} <= names or "counter_name" in names:
            return False
        tells = names & {"kind", "domain", "guid", "grid_size_x", "workgroup_size_x"}
        return bool(names & {"end_timestamp", "stop_timestamp"}) and bool(tells or "dispatch_id" not in names)

    def without(self, text: OpenedText) -> str:
        """Return what rocprofv3 said first of a failure."""
        lines = [line.decode(errors="replace").strip() for line in text.raw.splitlines() if line.strip()]
        if not any("[rocprofv3]" in line for line in lines):
            return self.lacks
        line = next((line for line in lines if _FAILED.search(line)), lines[-1])
        return f"holds only messages of rocprofv3 and no measurements: '{shown(line, 160)}'. Run it again."

    def refuse(self, name: str, header: Header) -> None:
        """Raise ReadError if the trace is not of kernels."""
        if what := _other(frozenset(header.names)):
            raise ReadError(
                f"{name} holds {what} and no kernels: no execution can be taken from it. Import the kernel "
                "trace (rocprofv3 --kernel-trace) or the counter collection."
            )

    def put(self, table: Table) -> None:
        """Put down one trial per dispatch."""
        rows = [row for row in table.rows if _is_dispatch(table, row)]
        runs = Executions(table, rows)
        for row in rows:
            runs.put(row)
        runs.settle()


def _other(names: Names) -> str:
    """Return what a rocprofv3 file without kernels holds; "" if it has kernels or is none of its files."""
    if "sample_timestamp" in names and names & {"exec_mask", "instruction", "instruction_index"}:
        return "samples of the program counter"
    if "start_timestamp" not in names or ("kernel_name" in names and "function" not in names):
        return ""
    if {"kind", "direction"} <= names:
        return "memory copies"
    if {"kind", "operation"} <= names or {"domain", "operation"} <= names:
        return "memory allocations or copies"
    return "API calls or markers" if {"domain", "function"} <= names else ""


def _is_dispatch(table: Table, row: Row) -> bool:
    kind = table.cell(row, "kind")
    if kind and kind.upper() != "KERNEL_DISPATCH":
        table.builder.leave_out(row[0], f"it is a {shown(kind)} and no kernel")
    elif not kernel_name(table.cell(row, *KERNEL)):
        table.builder.leave_out(row[0], "it names no kernel")
    else:
        return True
    return False
