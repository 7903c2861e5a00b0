"""Nsight Systems' CSV (`nsys stats --format csv`): kernels and transfers, launch by launch."""

from typing import ClassVar

from core.ingest.readers._nvidia.nsys import NsysReader
from core.ingest.readers._nvidia.nsys_tables import is_nsys, only_sums


class Nsys(NsysReader):
    """Reads the trace of kernels and transfers, and says which reports hold none."""

    label: ClassVar[str] = "Nsight Systems, kernel trace (CSV)"
    tells = (b"total", b"dur", b"kernel name", b"processing [", b"skipped: ", b"notice: ", b"generating sqlite", b"** ")

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of a report other than a summary, or messages of `nsys stats`."""
        return is_nsys(head) and not only_sums(head)
