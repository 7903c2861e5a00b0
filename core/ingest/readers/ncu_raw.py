"""Nsight Compute's CSV with one row per launch and one column per metric: `--page raw`."""

from typing import ClassVar

from core.ingest.readers._nvidia.ncu import NcuReader
from core.ingest.readers._nvidia.ncu_header import WIDE, first_kind


class NcuRaw(NcuReader):
    """Reads the raw page: a row of names, a row of units, a row per launch."""

    label: ClassVar[str] = "Nsight Compute, raw page (CSV)"
    tells = (b"kernel name", b"demangled name", b"function name")

    def sniff(self, head: bytes) -> bool:
        """Whether the first table has a column per metric."""
        return first_kind(head) == WIDE
