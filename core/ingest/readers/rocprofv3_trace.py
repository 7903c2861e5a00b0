"""AMD rocprofv3's kernel_trace.csv: one row per dispatch with its time stamps and launch."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import OpenedText, open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import Builder
from core.ingest.readers._rocm.kernel import KernelFacts
from core.ingest.readers._rocm.table import Header, Names, Row, Tally, find_header, read_rows
from core.ingest.readers._rocm.v3 import Columns, begin, columns, put_time, say_properties, several_runs
from core.trial import Import

_HINT = re.compile(rb"_[Tt]imestamp")
_TABLES = (b"Kernel_Name", b"KernelName", b"TotalDurationNs", b"Agent_Type")
_FAILED = re.compile(r"error|fail|fatal|unable|not found|invalid", re.IGNORECASE)
_KERNEL_DISPATCH = "KERNEL_DISPATCH"


class Rocprofv3Trace(Reader):
    """Reads the times of dispatches; all generations, and rocpd's conversion to CSV.

    The input is the launch in totals of work-items, as the counters' files have it, so that both
    join on the dispatch's number; the sizes along x, y and z are metrics. Traces of API calls,
    copies and markers, and program counter samples, name no kernels and are refused.
    """

    label: ClassVar[str] = "AMD rocprofv3 kernel trace"
    family: ClassVar[str] = "rocprofv3"

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns of a trace, of kernels or of something else."""
        header = find_header(head, _HINT, _accepts)
        return header is not None or (b"[rocprofv3]" in head and not any(word in head for word in _TABLES))

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials, one per dispatch."""
        text = open_text(file)
        header = find_header(text.raw, _HINT, _accepts)
        if header is None:
            raise ReadError(_no_table(text))
        what = _other(frozenset(header.names))
        if what:
            raise ReadError(
                f"{text.name} holds {what} and no kernels: no execution can be taken from it. Import the kernel "
                "trace (rocprofv3 --kernel-trace) or the counter collection."
            )
        return _read(text, header)


def _accepts(names: Names) -> bool:
    return _is_kernels(names) or bool(_other(names))


def _is_kernels(names: Names) -> bool:
    if not {"kernel_name", "start_timestamp"} <= names or "counter_name" in names:
        return False
    tells = names & {"kind", "domain", "guid", "grid_size_x", "workgroup_size_x"}
    return bool(names & {"end_timestamp", "stop_timestamp"}) and bool(tells or "dispatch_id" not in names)


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


def _no_table(text: OpenedText) -> str:
    lines = [line.decode(errors="replace").strip() for line in text.raw.splitlines() if line.strip()]
    if not any("[rocprofv3]" in line for line in lines):
        return f"{text.name} holds no trace of kernels: no line names Kernel_Name and Start_Timestamp."
    line = next((line for line in lines if _FAILED.search(line)), lines[-1])
    return f"{text.name} holds only messages of rocprofv3 and no measurements: '{shown(line, 160)}'. Run it again."


def _read(text: OpenedText, header: Header) -> Import:
    builder, tally, at = Builder(text.name, text.sha256, format="rocprofv3_trace"), Tally(), columns(header)
    rows = [row for row in read_rows(text, header, tally, at.kernel) if _is_dispatch(at, row, tally)]
    apart = several_runs(at, rows)
    facts = KernelFacts(builder)
    for row in rows:
        trial = begin(builder, at, row, apart)
        put_time(builder, at, trial, row, tally)
        say_properties(facts, at, trial, row, tally)
    facts.settle()
    tally.tell(builder)
    return builder.build(text.warnings)


def _is_dispatch(at: Columns, row: Row, tally: Tally) -> bool:
    kind = at.cell(row, at.header.place("kind"))
    if kind and kind.upper() != _KERNEL_DISPATCH:
        tally.add(row[0], f"it is a {shown(kind)} and no kernel")
    elif not at.key(row)[0]:
        tally.add(row[0], "it names no kernel")
    else:
        return True
    return False
