"""nvprof's summary: calls and times of each kernel, with a row of units or units in the cells."""

from typing import ClassVar

from core.ingest.readers._nvidia.nvprof import NvprofReader
from core.ingest.readers._nvidia.nvprof_tables import SUMMARY, first_kind


class NvprofSummary(NvprofReader):
    """Reads the table that nvprof prints by default, as CSV."""

    label: ClassVar[str] = "nvprof, summary (CSV)"
    tells = (b"calls",)

    def sniff(self, head: bytes) -> bool:
        """Whether all tables are summaries."""
        return first_kind(head) == SUMMARY
