"""Dispatches as AMD's tables have them: what was launched, how long it ran, what the kernel takes of the machine."""

from collections.abc import Iterable

from core.ingest.readers._builder import TIME
from core.ingest.readers._rocm import kernel as said
from core.ingest.readers._rocm.table import Row, Table
from core.trial import Kind

Key = tuple[str, str]
"""Application and input."""


class Dispatches(Table):
    """A table of dispatches.

    Properties of kernels and launches are facts of the application and input where they are constant there.
    Registers and the wave's size belong to the trials, as another GPU has others for the same kernel.
    """

    def __init__(self, table: Table) -> None:
        self.builder, self.header, self.place, self.rows = table.builder, table.header, table.place, table.rows
        self._seen: dict[tuple[str, str], dict[Key, dict[float, list[int]]]] = {}

    def size(self, row: Row, noun: str) -> str:
        """Return a launch's total size in work-items: as the counters' files have it, or the product of its axes."""
        total = self.place(*(said.GRID if noun == "grid" else said.WORKGROUP))
        if total is not None:
            return row[1][total]
        axes = [said.whole(self.cell(row, f"{noun}_size_{axis}")) for axis in "xyz"]
        x, y, z = (int(size) if size.isdigit() else -1 for size in axes)
        return str(x * y * z) if min(x, y, z) >= 0 else ""

    def key(self, row: Row) -> Key:
        """Return the application and the input of a row."""
        input = said.launch(self.size(row, "grid"), self.size(row, "workgroup"))
        return said.kernel_name(self.cell(row, *said.KERNEL)), input

    def begin(self, row: Row, execution: str) -> int:
        """Begin the trial of a row."""
        application, input = self.key(row)
        labels = {"gpu": said.device(self.cell(row, *said.DEVICE))}
        where = f"line {row[0]}"
        return self.builder.trial(application, input=input, where=where, execution=execution, labels=labels)

    def put_time(self, trial: int, row: Row) -> None:
        """Put the time of a row down, if the table has times."""
        if self.place("durationns") is None and None in (self.place(*said.BEGIN), self.place(*said.END)):
            return
        value, why = said.duration(self.cell(row, *said.BEGIN), self.cell(row, *said.END), self.cell(row, "durationns"))
        self.builder.put(trial, TIME, value, "ns", Kind.RESPONSE)
        if why:
            self.builder.leave_out(row[0], why)

    def say(self, trial: int, key: Key, name: str, value: float | None, unit: str) -> None:
        """Say a property that one trial showed."""
        if value is not None:
            self._seen.setdefault((name, unit), {}).setdefault(key, {}).setdefault(value, []).append(trial)

    def properties(self) -> Iterable[tuple[int, str, str]]:
        """Yield (column, name, unit) of what a table says of kernels and launches."""
        for column, raw in enumerate(self.header.names):
            if raw in said.PROPERTIES and self.header.places[raw] == column:
                yield column, *said.PROPERTIES[raw]

    def settle(self) -> None:
        """Hand the properties to the import; one that differs between alike launches belongs to its trials."""
        for (name, unit), by_key in self._seen.items():
            constant = all(len(values) == 1 for values in by_key.values())
            if constant and name not in said.OF_THE_MACHINE:
                for (application, input), values in by_key.items():
                    self.builder.of_input(application, input, name, next(iter(values)), unit)
                continue
            if not constant:
                self.builder.warn(f"'{name}' differs between launches of one kernel and size: it is kept per trial.")
            for value, trials in (pair for values in by_key.values() for pair in values.items()):
                for trial in trials:
                    self.builder.put(trial, name, value, unit, Kind.DETERMINISTIC)
