"""Nsight Compute's CSV with one row per launch and one column per metric: `--page raw`."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.capture import open_capture
from core.ingest.readers._nvidia.ncu import trials_of
from core.ingest.readers._nvidia.ncu_header import WIDE, first_kind
from core.ingest.readers._nvidia.ncu_tables import find
from core.trial import Import


class NcuRaw(Reader):
    """Reads the raw page: a row of names, a row of units, a row per launch."""

    label: ClassVar[str] = "Nsight Compute, raw page (CSV)"
    family: ClassVar[str] = "ncu"

    def sniff(self, head: bytes) -> bool:
        """Whether the first table has a column per metric."""
        return first_kind(head) == WIDE

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per launch; the mapping is applied by the caller."""
        capture = open_capture(file)
        return trials_of(capture, find(capture), "ncu_raw")
