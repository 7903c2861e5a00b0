"""What rocprofv3's two kinds of files share: which execution a row is of, its launch, its time."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest._names import shown
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._rocm.kernel import (
    BEGIN,
    DEVICE,
    END,
    KERNEL,
    PROPERTIES,
    KernelFacts,
    Key,
    device,
    elapsed,
    kernel_name,
    launch,
    whole,
)
from core.ingest.readers._rocm.table import Header, Row, Tally, number
from core.trial import Kind

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class Columns:
    """Where a rocprofv3 table has what."""

    header: Header
    kernel: int
    dispatch: int | None
    run: int | None
    gpu: int | None
    begin: int | None
    end: int | None

    def cell(self, row: Row, column: int | None) -> str:
        """Return a row's cell; "" if there is no such column."""
        return row[1][column] if column is not None else ""

    def value(self, row: Row, column: int | None, tally: Tally) -> float | None:
        """Return a row's number; a cell that holds none is told."""
        if column is None:
            return None
        try:
            return number(row[1][column])
        except ValueError:
            name, cell = shown(self.header.cells[column]), shown(row[1][column])
            tally.add(row[0], f"'{name}' is '{cell}', expected a number: it is missing there")
            return None

    def size(self, row: Row, noun: str) -> str:
        """Return a launch's total size in work-items: as the counters' files have it, or the product of its axes."""
        total = self.header.place(f"{noun}_size")
        if total is not None:
            return self.cell(row, total)
        axes = [whole(self.cell(row, self.header.place(f"{noun}_size_{axis}"))) for axis in _AXES]
        known = [int(size) for size in axes if size.isdigit()]
        return str(known[0] * known[1] * known[2]) if len(known) == len(_AXES) else ""

    def key(self, row: Row) -> Key:
        """Return the application and the input of a row."""
        return kernel_name(self.cell(row, self.kernel)), launch(self.size(row, "grid"), self.size(row, "workgroup"))


def columns(header: Header) -> Columns:
    """Return where a table has what; it must have a kernel's name."""
    place = header.place
    kernel = place(*KERNEL)
    assert kernel is not None
    return Columns(
        header, kernel, place("dispatch_id"), place("guid", "process_id", "pid"), place(*DEVICE), place(*BEGIN),
        place(*END),
    )  # fmt: skip


def several_runs(at: Columns, rows: Sequence[Row]) -> bool:
    """Whether a file holds dispatches of several processes, which are counted from 1 in each."""
    return len({at.cell(row, at.run) for row in rows}) > 1


def begin(builder: Builder, at: Columns, row: Row, apart: bool) -> int:
    """Begin the trial of a row; its execution is the dispatch, with the process if there are several."""
    application, input = at.key(row)
    dispatch, run, gpu = whole(at.cell(row, at.dispatch)), at.cell(row, at.run), device(at.cell(row, at.gpu))
    named = f"process {run} dispatch {dispatch}" if apart else f"dispatch {dispatch}"
    return builder.trial(
        application,
        input=input,
        where=f"line {row[0]}",
        execution=named if dispatch else "",
        labels={"gpu": gpu} if gpu else {},
    )


def put_time(builder: Builder, at: Columns, trial: int, row: Row, tally: Tally) -> None:
    """Put the time between a row's stamps down, if the table has them."""
    if at.begin is None or at.end is None:
        return
    value, why = elapsed(at.cell(row, at.begin), at.cell(row, at.end))
    builder.put(trial, TIME, value, "ns", Kind.RESPONSE)
    if why:
        tally.add(row[0], why)


def say_properties(facts: KernelFacts, at: Columns, trial: int, row: Row, tally: Tally) -> None:
    """Say what the launch of a row takes: sizes, registers, memory."""
    key = at.key(row)
    for column, raw in enumerate(at.header.names):
        if raw in PROPERTIES:
            name, unit = PROPERTIES[raw]
            facts.say(trial, key, name, at.value(row, column, tally), unit)
    for noun in ("grid", "workgroup"):
        if at.header.place(f"{noun}_size") is None:
            size = at.size(row, noun)
            facts.say(trial, key, f"{noun}_size", float(size) if size else None, "")
