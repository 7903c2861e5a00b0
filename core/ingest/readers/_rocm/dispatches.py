"""Dispatches as AMD's tables have them: what was launched, how long it ran, what the kernel takes of the machine."""

import re
from decimal import Decimal
from functools import lru_cache

from core.ingest._vocabulary import in_order
from core.ingest.readers._builder import TIME
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._rocm.table import Row, Table
from core.trial import Kind

KERNEL = ("kernel_name", "kernelname")
DISPATCH = ("dispatch_id", "index")
GRID = ("grid_size", "grd")
WORKGROUP = ("workgroup_size", "wgr")
BEGIN = ("start_timestamp", "beginns")
END = ("end_timestamp", "endns", "stop_timestamp")
DEVICE = ("gpu_id", "agent_id")
_KNOWN = DECLARED["rocm"]
PROPERTIES = {column: (name, unit) for name, unit, columns in _KNOWN["same"] for column in columns.split()}
"""Columns that describe a kernel and its launch: one name and unit over all generations of the tools."""
IDENTIFIERS = frozenset((*KERNEL, *DISPATCH, *BEGIN, *END, *DEVICE, *in_order(_KNOWN["naming"]), "unnamed: 0", ""))
"""Columns that are no metrics: numbers that name things, addresses, time stamps."""
OF_THE_MACHINE = frozenset(("arch_vgpr", "accum_vgpr", "sgpr", "wave_size"))
"""What a compiler chooses per GPU: alike on all inputs, but different on another machine."""
_SUFFIX = re.compile(r"\s*(?:\[clone \.kd\]|\(\.kd\)|\.kd)\s*$")
_AGENT = re.compile(r"^(?:agent|gpu)[\s-]*", re.IGNORECASE)
_STAMP = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,3})?")
_CLOCK_START, _LONG = 10**6, 10**10
_FEW = 10
_STEPS = 1000
"""A time must be this many times larger than what its stamps are rounded to."""
Key = tuple[str, str]
"""Application and input."""


class Dispatches(Table):
    """A table of dispatches.

    Properties of kernels and launches are facts of the application and input where they are constant there.
    Registers and the wave's size belong to the trials, as another GPU has others for the same kernel.
    """

    def __init__(self, table: Table) -> None:
        self.builder, self.header, self.place, self.rows = table.builder, table.header, table.place, table.rows
        own = [name for name in dict.fromkeys(self.header.names) if name in PROPERTIES]
        self._properties = [(self.header.places[name], *PROPERTIES[name]) for name in own]
        self._seen: dict[tuple[str, str], dict[Key, dict[float, list[int]]]] = {}

    def size(self, row: Row, noun: str) -> str:
        """Return a launch's total size in work-items: as the counters' files have it, or the product of its axes."""
        if (total := self.place(*(GRID if noun == "grid" else WORKGROUP))) is not None:
            return row[1][total]
        axes = [whole(self.cell(row, f"{noun}_size_{axis}")) for axis in "xyz"]
        x, y, z = (int(size) if size.isdigit() else -1 for size in axes)
        return str(x * y * z) if min(x, y, z) >= 0 else ""

    def key(self, row: Row) -> Key:
        """Return the application and the input of a row."""
        input = launch(self.size(row, "grid"), self.size(row, "workgroup"))
        return kernel_name(self.cell(row, *KERNEL)), input

    def begin(self, row: Row, execution: str) -> int | None:
        """Begin the trial of a row; None if it names no kernel, which is told."""
        application, input = self.key(row)
        if not application:
            self.builder.leave_out(row[0], "it names no kernel")
            return None
        labels = {"gpu": device(self.cell(row, *DEVICE))}
        where = f"line {row[0]}"
        return self.builder.trial(application, input=input, where=where, execution=execution, labels=labels)

    def put_time(self, trial: int, row: Row) -> None:
        """Put the time of a row down, if the table has times."""
        if self.place("durationns") is None and None in (self.place(*BEGIN), self.place(*END)):
            return
        value, why = duration(self.cell(row, *BEGIN), self.cell(row, *END), self.cell(row, "durationns"))
        self.builder.put(trial, TIME, value, "ns", Kind.RESPONSE)
        if why:
            self.builder.leave_out(row[0], why)

    def say(self, trial: int, key: Key, name: str, value: float | None, unit: str) -> None:
        """Say a property that one trial showed."""
        if value is not None:
            self._seen.setdefault((name, unit), {}).setdefault(key, {}).setdefault(value, []).append(trial)

    def say_properties(self, trial: int, row: Row) -> None:
        """Say what a row has of its kernel and launch."""
        key = self.key(row)
        for column, name, unit in self._properties:
            self.say(trial, key, name, self.value(row, column), unit)

    def settle(self) -> None:
        """Hand the properties to the import; one that differs between alike launches belongs to its trials."""
        for (name, unit), by_key in self._seen.items():
            constant = all(len(values) == 1 for values in by_key.values())
            if constant and name not in OF_THE_MACHINE:
                for (application, input), values in by_key.items():
                    self.builder.of_input(application, input, name, next(iter(values)), unit)
                continue
            if not constant:
                self.builder.warn(f"'{name}' differs between launches of one kernel and size: it is kept per trial.")
            for value, trials in (pair for values in by_key.values() for pair in values.items()):
                for trial in trials:
                    self.builder.put(trial, name, value, unit, Kind.DETERMINISTIC)


@lru_cache(maxsize=4096)
def kernel_name(text: str) -> str:
    """Return a kernel's name without the mark of its descriptor, which each generation writes another way.

    `f(int) [clone .kd]` (rocprof v1), `f(int) (.kd)` (v2), `f.kd` and `f(int)` (v3) are one kernel.
    """
    return _SUFFIX.sub("", text).strip()


def device(text: str) -> str:
    """Return the number of a device: `Agent 4` is "4"."""
    return _AGENT.sub("", text).strip()


def whole(text: str) -> str:
    """Return a whole number as text, however a spreadsheet may have written it; any other text as it is."""
    value = _stamp(text)
    return str(int(value)) if value is not None and value == value.to_integral_value() else text


@lru_cache(maxsize=4096)
def launch(grid: str, workgroup: str) -> str:
    """Return the input text of a launch; both sizes are totals of work-items, as all generations have them."""
    parts = (("grid", whole(grid)), ("workgroup", whole(workgroup)))
    return ", ".join(f"{name} {size}" for name, size in parts if size)


def elapsed(begin: str, end: str) -> tuple[float | None, str]:
    """Return (nanoseconds between two time stamps, why there are none).

    Stamps are subtracted exactly: as float64 they would lose the last digits.
    """
    start, stop = _stamp(begin), _stamp(end)
    if start is None or stop is None:
        wrong = begin if start is None else end
        return None, f"time missing: a time stamp is '{wrong[:40]}'" if wrong else "time missing: no time stamps"
    if start == stop == 0:
        return None, "time missing: both time stamps are 0"
    if stop < start:
        return None, f"time missing: it ends ({end}) before it begins ({begin})"
    if start < _CLOCK_START and stop - start > _LONG:
        return None, f"time missing: the stamps {begin} and {end} are not of one clock"
    if (step := min(_rounded_to(start), _rounded_to(stop))) and stop - start < _STEPS * step:
        return None, f"time missing: the time stamps are rounded to {step:.0e} ns, perhaps by a spreadsheet"
    return float(stop - start), ""


def duration(begin: str, end: str, given: str) -> tuple[float | None, str]:
    """Return (nanoseconds, what is wrong) of a row that may also state its duration.

    Stamps written in full are believed before the stated duration; rounded ones are not.
    """
    between, why = elapsed(begin, end)
    if (stated := _stamp(given)) is None or stated < 0:
        return between, why
    if between is None or not (begin.isdigit() and end.isdigit()):
        return float(stated), ""
    told = "" if between == float(stated) else f"DurationNs is {given}, but the time stamps are {between:.0f} ns apart"
    return between, told


def _rounded_to(value: Decimal) -> Decimal:
    """Return what a spreadsheet that writes few digits (`8.1097E+14`) has rounded a stamp to; 0 if it has not."""
    _, digits, exponent = value.as_tuple()
    few = isinstance(exponent, int) and exponent > 0 and len(digits) <= _FEW
    return Decimal((0, (1,), int(exponent))) if few else Decimal(0)


def _stamp(text: str) -> Decimal | None:
    value = Decimal(text) if _STAMP.fullmatch(text) else None
    return value if value is not None and abs(value) < 10**30 else None
