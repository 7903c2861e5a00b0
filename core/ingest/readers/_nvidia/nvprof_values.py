"""Cells of nvprof's tables as values of trials: units, kilobytes of 1,024 bytes, averages over launches."""

import re
from collections import Counter
from collections.abc import Sequence

from core.ingest.names import shown
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, Row, Table
from core.ingest.readers._nvidia.nvprof_tables import EVENTS, METRICS, NvprofTable
from core.ingest.readers._nvidia.printed import is_missing, put_time, with_unit
from core.trial import Kind

_BYTES = re.compile(r"([KMGT])(B(?:/s)?)")
_WHOLE = ("Size", "Static SMem", "Dynamic SMem")
_TELLING = 0.2
"""How much of a byte a print may leave open and still show whether the number of bytes is whole."""
_DEVICE = re.compile(r"(.*\S)\s*\((\d+)\)")


def device_of(text: str) -> tuple[str, str]:
    """Return (name, number) of a device such as `Tesla K40c (0)`."""
    found = _DEVICE.fullmatch(text.strip())
    return (found.group(1), found.group(2)) if found else (text.strip(), "")


def kilo_of(tables: Sequence[Table], mark: str) -> int:
    """Return how many bytes a KB of a file has.

    nvprof counts 1,024 of them, and its first versions (CUDA 5) counted 1,000; sizes of transfers and of
    shared memory are whole bytes, and so show which.
    """
    fits: dict[int, set[str]] = {1000: set(), 1024: set()}
    for table in tables:
        for i in [i for i, column in enumerate(table.columns) if column in _WHOLE]:
            for text, unit in {(row.cells[i].strip(), table.units[i] if table.units else "") for row in table.rows}:
                for kilo in fits:
                    fits[kilo] |= {f"{text}{unit}"} if _whole(text, unit, mark, kilo) else set()
    return 1000 if fits[1000] - fits[1024] and not fits[1024] - fits[1000] else 1024


def _whole(text: str, unit: str, mark: str, kilo: int) -> bool:
    """Whether a printed size is a whole number of bytes, as exactly as it is printed."""
    value, own = with_unit(text, mark)
    found = _BYTES.fullmatch(own or unit)
    if value is None or not found:
        return False
    scale = kilo ** ("KMGT".index(found.group(1)) + 1)
    decimals = len(re.sub(r"\D*$", "", text).partition(mark)[2])
    exact = 0.51 * 10.0**-decimals * scale
    return bool(exact < _TELLING and abs(value * scale - round(value * scale)) <= exact)


class Putting:
    """Puts cells into a builder and remembers what the file as a whole must be told of."""

    def __init__(self, builder: Builder, mark: str, kilo: int) -> None:
        self.builder, self.mark, self.kilo = builder, mark, kilo
        self.missing: Counter[str] = Counter()
        if mark == ",":
            builder.tell("writes numbers with a decimal comma; they were read so.")

    def put(self, trial: int, name: str, table: Table, row: Row, column: str, kind: Kind = Kind.COUNTER) -> None:
        """Give a trial the value in a column; the unit is in the cell, or else in the row of units."""
        if column in table.columns:
            self.put_text(trial, name, table.cell(row, column), table.unit(column), kind)

    def put_time(self, trial: int, table: Table, row: Row, column: str) -> None:
        """Give a trial the time in a column."""
        value, own = with_unit(table.cell(row, column), self.mark)
        if value is not None:
            put_time(self.builder, trial, column, value, own or table.unit(column))

    def put_text(self, trial: int, name: str, text: str, unit: str = "", kind: Kind = Kind.COUNTER) -> None:
        """Give a trial the value that a cell shows."""
        value, own = with_unit(text, self.mark)
        if value is None:
            if is_missing(text):
                self.missing[name] += bool(text.strip())
            else:
                self.builder.label(trial, name, text.strip())
            return
        self.builder.put(trial, name, value, self._true(own or unit), kind)

    def _true(self, unit: str) -> str:
        """Return a unit by its true name: where KB are 1,024 bytes, they are KiB."""
        found = _BYTES.fullmatch(unit) if self.kilo == 1024 else None
        return f"{found.group(1)}i{found.group(2)}" if found else unit

    def amount(self, text: str, unit: str) -> float | None:
        """Return a number of bytes, to the byte."""
        value, own = with_unit(text, self.mark)
        found = _BYTES.fullmatch(own or unit)
        power = "KMGT".index(found.group(1)) + 1 if found else 0
        return None if value is None else float(round(value * self.kilo**power))


_Key = tuple[int, str, str]
"""Capture, device and kernel."""
_Averages = dict[tuple[_Key, str, str], tuple[NvprofTable, Row]]
"""The rows by what they are of, their table's kind, and the name of the metric or event."""


def put_averages(putting: Putting, tables: list[NvprofTable], capture: Capture) -> dict[tuple[str, str], list[int]]:
    """Put one trial per capture, device and kernel; return the trials by kernel and command.

    Events and metrics of one capture stand in two tables; where an event and a metric of the same
    name differ, the event says that it is one.
    """
    rows = _rows(tables, capture)
    averages = {key: table.cell(row, "Avg") for key, (table, row) in rows.items()}
    both = [(key, average, averages.get((key[0], METRICS, key[2]), average)) for key, average in averages.items()]
    differing = {name for (_, kind, name), average, metric in both if kind == EVENTS and average != metric}
    trials: dict[_Key, int] = {}
    found: dict[tuple[str, str], list[int]] = {}
    for (key, kind, name), (table, row) in rows.items():
        if key not in trials:
            machine, device = device_of(key[1])
            trials[key] = putting.builder.trial(
                key[2],
                input=table.command,
                machine=machine,
                where=f"line {row.line}",
                execution="all launches",
                labels={"device": device, "invocations": table.cell(row, "Invocations")},
            )
            found.setdefault((key[2], table.command), []).append(trials[key])
        own = f"{name} (event)" if kind == EVENTS and name in differing else name
        putting.put_text(trials[key], own, table.cell(row, "Avg"))
    _tell_spread(putting, rows, tables)
    return found


def _rows(tables: list[NvprofTable], capture: Capture) -> _Averages:
    """Return the rows of all tables; a second table of a kind begins another capture.

    Rows that say a metric of a kernel a second time are left out.
    """
    n_before, kinds = 0, set[str]()
    found: _Averages = {}
    for table in tables:
        if table.kind in kinds:
            n_before, kinds = n_before + 1, set()
        kinds.add(table.kind)
        for row in table.rows:
            key = (n_before, table.cell(row, "Device"), table.cell(row, "Kernel"))
            name, average = table.cell(row, "Event Name", "Metric Name"), table.cell(row, "Avg")
            first, before = found.setdefault((key, table.kind, name), (table, row))
            if first.cell(before, "Avg") != average:
                again = f"{average}, after {first.cell(before, 'Avg')}"
                capture.broken.append((row.line, f"'{shown(name)}' a second time for this kernel: {again}"))
    return found


def _tell_spread(putting: Putting, rows: _Averages, tables: list[NvprofTable]) -> None:
    """Say that averages were taken, and of which metric the launches differ most."""
    spread: dict[str, float] = {}
    for (_, _, name), (table, row) in rows.items():
        printed = (with_unit(table.cell(row, column), putting.mark) for column in ("Min", "Max", "Avg"))
        (low, *unit), (high, *other), (average, *last) = printed
        if low is not None and high is not None and average and low != high and unit == other == last:
            spread[name] = max(spread.get(name, 0.0), (high - low) / abs(average))
    if tables:
        lines = ", ".join(str(table.line) for table in tables)
        total = ", 'Total'" if any("Total" in table.columns for table in tables) else ""
        putting.builder.skip(
            f"below line {lines}", f"columns 'Min', 'Max'{total}: the average over the launches is taken"
        )
    if spread:
        worst = max(spread, key=lambda name: spread[name])
        putting.builder.note(
            f"averages over several launches, which differ in {len(spread)} metrics, most in "
            f"'{shown(worst)}' by {100 * spread[worst]:.3g} % of the average. Use --print-gpu-trace for each launch."
        )
