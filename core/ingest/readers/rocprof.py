"""AMD rocprof's results.csv, v1 and v2, and the same from Hygon's DTK: one row per dispatch."""

import re

from core.errors import ReadError
from core.ingest.opening import OpenedText
from core.ingest.readers._rocm.table import Header, Names
from core.ingest.readers._rocm.wide import WideReader, is_identifier
from core.ingest.readers._text import only_messages

_OTHERS = {"counter_name", "kind", "domain", "guid", "workgroup_size_x", "grid_size_x"}
_TABLE = re.compile(rb"ernel_?[Nn]ame|TotalDurationNs|Counter_Name")
_MESSAGE = re.compile(rb"^(?:RPL: |ROCP[Rr]ofiler: |ROCProfiler: )", re.MULTILINE)
_FAILED = re.compile(r"error|fail|not found|unable|corrupt|unsupported", re.IGNORECASE)


class Rocprof(WideReader):
    """Reads tables of dispatches with their counters and times.

    All column generations are taken: quoted or not, `vgpr` and `fbar` or `arch_vgpr`, `accum_vgpr`
    and `wave_size`, with counters, `--timestamp on` and `--stats`; v2's files begin `Dispatch_ID,GPU_ID`.
    The mark of the kernel's descriptor is left out of its name, so that `f(int) [clone .kd]`, `f(int) (.kd)`
    and `f.kd` are the same application over v1, v2 and v3. The input is the launch: work-items in the
    grid and in a work-group. Sizes, registers and local memory are one metric under one name over all
    generations. Counters have no units in these files.
    """

    label = "AMD rocprof results"
    tells = (b"ernelname", b"ernel_name", b"rpl: ", b"rocprofiler: ")
    hint = re.compile(rb"ernel_?[Nn]ame")
    lacks = "holds no table of dispatches. Import the results.csv that rocprof wrote."

    def sniff(self, head: bytes) -> bool:
        """Whether a line names rocprof's columns, or there are only its messages."""
        return super().sniff(head) or (_MESSAGE.search(head) is not None and not _TABLE.search(head))

    def header(self, raw: bytes) -> Header | None:
        """Return the header of a table that is not rocprof-compute's."""
        header = super().header(raw)
        return None if header and "queue-id" in header.cells and "kernelname" not in header.names else header

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are those of v1 or v2."""
        if names & {"counter_name", "kind", "domain", "guid"}:
            return False
        first = "kernelname" in names and bool(names & {"index", "gpu_id", "queue_id", "grd", "wgr", "beginns"})
        second = {"dispatch_id", "kernel_name", "queue_id"} <= names and "workgroup_size_x" not in names
        return first or second

    def without(self, text: OpenedText) -> str:
        """Return what rocprof said last of a failure."""
        lines = text.raw.decode(errors="replace").splitlines()
        said = [(i, line) for i, line in enumerate(lines, start=1) if _FAILED.search(line)]
        return only_messages("rocprof", *said[-1]) if said else self.lacks


class RocprofCompute(WideReader):
    """Reads the tables of a workload folder: one row per dispatch, up to thousands of counters.

    The tables hold columns of rocprof v1 or v2 under common names; `obj_7` and its like are copies
    that the join of passes left. Counters of single channels (`TCC_HIT[3]`) are metrics of their own.
    Dispatches are counted from 0, also where a file counts them from 1, so that the files of a
    folder join. The time is End - Start.
    """

    label = "AMD rocprof-compute (Omniperf)"
    tells = (b"kernel_name",)
    hint = re.compile(rb"[Kk]ernel_[Nn]ame")
    lacks = "holds no table of dispatches. Import pmc_perf.csv of the workload's folder."

    def header(self, raw: bytes) -> Header | None:
        """Return the header of a table that is not rocprof v2's."""
        header = super().header(raw)
        return None if header and "queue_id" in header.names and "queue-id" not in header.cells else header

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are rocprof-compute's, or v2's, which name the queue otherwise."""
        return {"dispatch_id", "kernel_name"} <= names and not names & _OTHERS

    def refuse(self, name: str, header: Header) -> None:
        """Raise ReadError if a table lists dispatches and measures nothing."""
        timed = {"start_timestamp", "end_timestamp"} <= set(header.names)
        if not timed and all(is_identifier(column) for column in header.names):
            told = "lists dispatches and measures nothing of them. Import pmc_perf.csv of the same folder."
            raise ReadError(f"{name} {told}")
