"""What rocprofv3's two kinds of files share: which execution a row is of, its launch, its time."""

from collections.abc import Sequence

from core.ingest.readers._rocm.dispatches import Dispatches, whole
from core.ingest.readers._rocm.table import Row, Table

RUN = ("guid", "process_id", "pid")


class Executions(Dispatches):
    """Dispatches by their numbers, which are counted from 1 in each of several processes."""

    def __init__(self, table: Table, rows: Sequence[Row]) -> None:
        super().__init__(table)
        self.several = len({self.cell(row, *RUN) for row in rows}) > 1

    def put(self, row: Row) -> int:
        """Begin the trial of a row, with its time, and say what its launch takes: sizes, registers, memory."""
        dispatch = whole(self.cell(row, "dispatch_id"))
        named = f"process {self.cell(row, *RUN)} dispatch {dispatch}" if self.several else f"dispatch {dispatch}"
        trial, key = self.begin(row, named if dispatch else ""), self.key(row)
        self.put_time(trial, row)
        for column, name, unit in self.properties():
            self.say(trial, key, name, self.value(row, column), unit)
        for noun in ("grid", "workgroup"):
            if self.place(f"{noun}_size") is None and (size := self.size(row, noun)):
                self.say(trial, key, f"{noun}_size", float(size), "")
        return trial
