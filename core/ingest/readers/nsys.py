"""Nsight Systems' CSV (`nsys stats --format csv`): kernels and transfers, launch by launch."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.nsys import trials_of
from core.ingest.readers._nvidia.nsys_tables import is_nsys, only_sums
from core.trial import Import


class Nsys(Reader):
    """Reads the trace of kernels and transfers, and says which reports hold none."""

    label: ClassVar[str] = "Nsight Systems, kernel trace (CSV)"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of a report other than a summary, or messages of `nsys stats`."""
        return is_nsys(head) and not only_sums(head)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per launch; the mapping is applied by the caller."""
        return trials_of(file, "nsys")
