"""Nsight Compute's CSV with one row per launch and metric: `--page details`, with or without rules, and `--metrics`."""

from typing import ClassVar

from core.ingest.readers._nvidia.capture import Capture
from core.ingest.readers._nvidia.ncu import NcuReader
from core.ingest.readers._nvidia.ncu_header import WIDE, first_kind
from core.ingest.readers._nvidia.ncu_printed import find_printed
from core.ingest.readers._nvidia.ncu_tables import Found, find


class NcuDetails(NcuReader):
    """Reads the details page, as CSV or as printed, and says what a failed capture left."""

    label: ClassVar[str] = "Nsight Compute, details page or --metrics (CSV)"
    tells = (b"kernel name", b"demangled name", b"function name", b"source", b"==", b"section:")

    def sniff(self, head: bytes) -> bool:
        """Whether there is a header with metric names in rows, or there are only messages of the tool."""
        return first_kind(head) not in ("", WIDE)

    def found(self, capture: Capture) -> Found:
        """Return the launches of a table, or else of a report as it is printed."""
        found = find(capture)
        return found if found.tables else find_printed(capture)
