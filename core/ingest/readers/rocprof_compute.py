"""AMD rocprof-compute's (Omniperf's) pmc_perf.csv, and the timestamps.csv and SQ_*.csv beside it."""

import re
from typing import ClassVar

from core.errors import ReadError
from core.ingest.readers._rocm.table import Header, Names
from core.ingest.readers._rocm.wide import WideReader, is_identifier

_OTHERS = {"counter_name", "kind", "domain", "guid", "workgroup_size_x", "grid_size_x"}


class RocprofCompute(WideReader):
    """Reads the tables of a workload folder: one row per dispatch, up to thousands of counters.

    The tables hold columns of rocprof v1 or v2 under common names; `obj_7` and its like are copies
    that the join of passes left. Counters of single channels (`TCC_HIT[3]`) are metrics of their own.
    Dispatches are counted from 0, also where a file counts them from 1, so that the files of a
    folder join. The time is End - Start.
    """

    label: ClassVar[str] = "AMD rocprof-compute (Omniperf)"
    tells = (b"kernel_name",)
    hint = re.compile(rb"[Kk]ernel_[Nn]ame")
    lacks = "holds no table of dispatches. Import pmc_perf.csv of the workload's folder."

    def header(self, raw: bytes) -> Header | None:
        """Return the header of a table that is not rocprof v2's."""
        header = super().header(raw)
        return None if header and "queue_id" in header.names and "queue-id" not in header.cells else header

    @staticmethod
    def accepts(names: Names) -> bool:
        """Whether columns are rocprof-compute's, or v2's, which name the queue otherwise."""
        return {"dispatch_id", "kernel_name"} <= names and not names & _OTHERS

    def refuse(self, name: str, header: Header) -> None:
        """Raise ReadError if a table lists dispatches and measures nothing."""
        timed = {"start_timestamp", "end_timestamp"} <= set(header.names)
        if not timed and all(is_identifier(column) for column in header.names):
            told = "lists dispatches and measures nothing of them. Import pmc_perf.csv of the same folder."
            raise ReadError(f"{name} {told}")
