"""nvprof's CSV of metrics and events, over all launches or launch by launch, and of its trace of launches."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.capture import open_capture
from core.ingest.readers._nvidia.nvprof import trials_of
from core.ingest.readers._nvidia.nvprof_tables import SUMMARY, find, first_kind
from core.trial import Import


class Nvprof(Reader):
    """Reads metrics, events and traces, and what a failed capture leaves."""

    label: ClassVar[str] = "nvprof, metrics, events or trace (CSV)"
    family: ClassVar[str] = "nvprof"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a table of nvprof that is no summary, or there are only messages of the tool."""
        return first_kind(head) not in ("", SUMMARY)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per kernel and device, or per launch; the mapping is applied by the caller."""
        capture = open_capture(file)
        return trials_of(capture, find(capture), "nvprof")
