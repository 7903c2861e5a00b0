"""nvprof's CSV of metrics and events, over all launches or launch by launch, and of its trace of launches."""

from typing import ClassVar

from core.ingest.readers._nvidia.nvprof import NvprofReader
from core.ingest.readers._nvidia.nvprof_tables import SUMMARY, first_kind


class Nvprof(NvprofReader):
    """Reads metrics, events and traces, and what a failed capture leaves."""

    label: ClassVar[str] = "nvprof, metrics, events or trace (CSV)"
    tells = (b"invocations", b"duration", b"calls", b"context", b"avg size", b"==", b"profiled")

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of nvprof that is no summary, or there are only messages of the tool."""
        return first_kind(head) not in ("", SUMMARY)
