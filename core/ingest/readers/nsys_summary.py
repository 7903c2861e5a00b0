"""Nsight Systems' CSV (`nsys stats --format csv`): kernels and transfers, summed up by name."""

from typing import ClassVar

from core.ingest.readers._nvidia.nsys import NsysReader
from core.ingest.readers._nvidia.nsys_tables import is_nsys, only_sums


class NsysSummary(NsysReader):
    """Reads the summaries of kernels and transfers; a file that has the trace too is the trace's reader's."""

    label: ClassVar[str] = "Nsight Systems, kernel summary (CSV)"
    tells = (b"total",)
    summary: ClassVar[bool] = True
    sums_up: ClassVar[str] = "nsys"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a summary, and no trace."""
        return is_nsys(head) and only_sums(head)
