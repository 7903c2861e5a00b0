"""Nsight Systems' CSV (`nsys stats --format csv`): kernels and transfers, summed up by name."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.nsys import trials_of
from core.ingest.readers._nvidia.nsys_tables import is_nsys, only_sums
from core.trial import Import


class NsysSummary(Reader):
    """Reads the summaries of kernels and transfers; a file that has the trace too is the trace's reader's."""

    label: ClassVar[str] = "Nsight Systems, kernel summary (CSV)"
    summary: ClassVar[bool] = True
    sums_up: ClassVar[str] = "nsys"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a summary, and no trace."""
        return is_nsys(head) and only_sums(head)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per kernel or transfer; the mapping is applied by the caller."""
        return trials_of(file, "nsys_summary")
