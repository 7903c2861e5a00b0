"""nvprof's summary: calls and times of each kernel, with a row of units or units in the cells."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.capture import open_capture
from core.ingest.readers._nvidia.nvprof import trials_of
from core.ingest.readers._nvidia.nvprof_tables import SUMMARY, find, first_kind
from core.trial import Import


class NvprofSummary(Reader):
    """Reads the table that nvprof prints by default, as CSV."""

    label: ClassVar[str] = "nvprof, summary (CSV)"
    family: ClassVar[str] = "nvprof"

    def sniff(self, head: bytes) -> bool:
        """Whether all tables are summaries."""
        return first_kind(head) == SUMMARY

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per kernel, its time the average of its calls; the mapping is applied by the caller."""
        capture = open_capture(file)
        return trials_of(capture, find(capture), "nvprof_summary")
