"""Nsight Compute's CSV with one row per launch and metric: `--page details`, with or without rules, and `--metrics`."""

from typing import ClassVar

from core.ingest._mapping import Mapping
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._nvidia.capture import open_capture
from core.ingest.readers._nvidia.ncu import trials_of
from core.ingest.readers._nvidia.ncu_header import WIDE, first_kind
from core.ingest.readers._nvidia.ncu_printed import find_printed
from core.ingest.readers._nvidia.ncu_tables import find
from core.trial import Import


class NcuDetails(Reader):
    """Reads the details page, as CSV or as printed, and says what a failed capture left."""

    label: ClassVar[str] = "Nsight Compute, details page or --metrics (CSV)"
    family: ClassVar[str] = "ncu"

    def sniff(self, head: bytes) -> bool:
        """Whether there is a header with metric names in rows, or there are only messages of the tool."""
        return first_kind(head) not in ("", WIDE)

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return one trial per launch; the mapping is applied by the caller."""
        capture = open_capture(file)
        found = find(capture)
        return trials_of(capture, found if found.tables else find_printed(capture), "ncu_details")
