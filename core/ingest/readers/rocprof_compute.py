"""AMD rocprof-compute's (Omniperf's) pmc_perf.csv, and the timestamps.csv and SQ_*.csv beside it."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._rocm.table import Header, Names, find_header
from core.ingest.readers._rocm.wide import is_identifier, read_wide
from core.trial import Import

_HINT = re.compile(rb"[Kk]ernel_[Nn]ame")


class RocprofCompute(Reader):
    """Reads the tables of a workload folder: one row per dispatch, up to thousands of counters.

    The tables hold columns of rocprof v1 or v2 under common names; `obj_7` and its like are copies
    that the join of passes left. Counters of single channels (`TCC_HIT[3]`) are metrics of their own.
    Dispatches are counted from 0, also where a file counts them from 1, so that the files of a
    folder join. The time is End - Start.
    """

    label: ClassVar[str] = "AMD rocprof-compute (Omniperf)"
    family: ClassVar[str] = "rocprof"

    def sniff(self, head: bytes) -> bool:
        """Whether a line names rocprof-compute's columns."""
        return _find(head) is not None

    def read(self, file: SourceFile, mapping: Mapping | None = None) -> Import:
        """Return the trials, one per dispatch."""
        text = open_text(file)
        header = _find(text.raw)
        if header is None:
            raise ReadError(f"{text.name} holds no table of dispatches. Import pmc_perf.csv of the workload's folder.")
        timed = {"start_timestamp", "end_timestamp"} <= set(header.names)
        if not timed and all(is_identifier(name) for name in header.names):
            raise ReadError(
                f"{text.name} lists dispatches and measures nothing of them. Import pmc_perf.csv of the same folder."
            )
        return read_wide(text, header, "rocprof_compute")


def _find(raw: bytes) -> Header | None:
    header = find_header(raw, _HINT, _accepts)
    return None if header is None or ("queue_id" in header.names and "queue-id" not in header.cells) else header


def _accepts(names: Names) -> bool:
    others = {"counter_name", "kind", "domain", "guid", "workgroup_size_x", "grid_size_x"}
    return {"dispatch_id", "kernel_name"} <= names and not names & others
