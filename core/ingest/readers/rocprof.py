"""AMD rocprof's results.csv, v1 and v2, and the same from Hygon's DTK: one row per dispatch."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._rocm.table import Header, Names, find_header
from core.ingest.readers._rocm.wide import read_wide
from core.trial import Import

_HINT = re.compile(rb"ernel_?[Nn]ame")
_TABLE = re.compile(rb"ernel_?[Nn]ame|TotalDurationNs|Counter_Name")
_MESSAGE = re.compile(rb"^(?:RPL: |ROCP[Rr]ofiler: |ROCProfiler: )", re.MULTILINE)
_FAILED = re.compile(r"error|fail|not found|unable|corrupt|unsupported", re.IGNORECASE)


class Rocprof(Reader):
    """Reads tables of dispatches with their counters and times.

    All column generations are taken: quoted or not, `vgpr` and `fbar` or `arch_vgpr`, `accum_vgpr`
    and `wave_size`, with counters, `--timestamp on` and `--stats`; v2's files begin `Dispatch_ID,GPU_ID`.
    The mark of the kernel's descriptor is left out of its name, so that `f(int) [clone .kd]`, `f(int) (.kd)`
    and `f.kd` are the same application over v1, v2 and v3. The input is the launch: work-items in the
    grid and in a work-group. Sizes, registers and local memory are one metric under one name over all
    generations. Counters have no units in these files.
    """

    label: ClassVar[str] = "AMD rocprof results"
    family: ClassVar[str] = "rocprof"

    def sniff(self, head: bytes) -> bool:
        """Whether a line names rocprof's columns, or there are only its messages."""
        return _find(head) is not None or (_MESSAGE.search(head) is not None and not _TABLE.search(head))

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials, one per dispatch."""
        text = open_text(file)
        header = _find(text.raw)
        if header is None:
            raise ReadError(_no_table(text.name, text.raw))
        return read_wide(text, header, "rocprof")


def _find(raw: bytes) -> Header | None:
    header = find_header(raw, _HINT, _accepts)
    return None if header is None or ("queue-id" in header.cells and "kernelname" not in header.names) else header


def _accepts(names: Names) -> bool:
    if names & {"counter_name", "kind", "domain", "guid"}:
        return False
    first = "kernelname" in names and bool(names & {"index", "gpu_id", "queue_id", "grd", "wgr", "beginns"})
    second = {"dispatch_id", "kernel_name", "queue_id"} <= names and "workgroup_size_x" not in names
    return first or second


def _no_table(name: str, raw: bytes) -> str:
    lines = raw.decode(errors="replace").splitlines()
    said = [(i, line) for i, line in enumerate(lines, start=1) if _FAILED.search(line)]
    if not said:
        return f"{name} holds no table of dispatches. Import the results.csv that rocprof wrote."
    i, line = said[-1]
    return (
        f"{name} holds only messages of rocprof and no measurements: '{shown(line.strip(), 160)}' (line {i}). "
        "Run the capture again."
    )
