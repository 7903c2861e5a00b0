"""Tables that AMD's profilers write: the header wherever it stands, rows taken whole or left out with a reason."""

import io
import re
from abc import abstractmethod
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import ClassVar

from core.frozen import Frozen
from core.ingest._vocabulary import in_order
from core.ingest.names import MISSING_WORDS, shown
from core.ingest.opening import line_of
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import DECLARED, fit
from core.ingest.readers._text import TextReader, cells_of, lines_with, without_empty_end
from core.trial import Kind

Names = frozenset[str]
Row = tuple[int, list[str]]
"""Line number and cells, one per column."""

_PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_COLUMN = re.compile(r"(?:[^\s`|]+(?: [^\s`|]+)?)?")
_SEPARATORS = (",", ";", "\t")
_MISSING = ": it is missing there"


def canonical(name: str) -> str:
    """Return a column's name as all generations of the tools would write it: `gpu-id`, `GPU_ID` are `gpu_id`."""
    return name.strip().casefold().replace("-", "_")


class Header(Frozen):
    """The row of column names: as written, where it stands, and what separates its cells."""

    cells: tuple[str, ...]
    line: int
    separator: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns' names in their one form."""
        return tuple(canonical(cell) for cell in self.cells)

    @cached_property
    def places(self) -> dict[str, int]:
        """The first column of each name."""
        return {name: column for column, name in reversed(list(enumerate(self.names)))}

    def place(self, *names: str) -> int | None:
        """Return the first column with one of these names; None if there is none."""
        return next((self.places[name] for name in names if name in self.places), None)


class Table:
    """A table on its way into an import.

    Parameters
    ----------
    named_by : what the column is called that may hold commas although it is not quoted

    Raises
    ------
    ReadError
        If there is no row at all.
    """

    def __init__(self, builder: Builder, raw: bytes, header: Header, *named_by: str) -> None:
        self.builder, self.header, self.place = builder, header, header.place
        self.rows = list(_rows(builder, raw, header, header.place(*named_by)))
        if not self.rows:
            raise builder.refused(
                f"has column names (line {header.line}) and no measurements: the profiler saw no kernel."
                f"{builder.first_left_out()} Check its filters, and run the capture again."
            )

    def cell(self, row: Row, *names: str) -> str:
        """Return a row's cell in the first column with one of these names; "" if there is none."""
        column = self.place(*names)
        return row[1][column] if column is not None else ""

    def value(self, row: Row, column: int | None, instead: str = _MISSING) -> float | None:
        """Return a row's number; a cell that holds none is told."""
        if column is None:
            return None
        return number_told(self.builder, row[0], self.header.cells[column], row[1][column], instead)


class AmdReader(TextReader):
    """Reads a table whose header holds a hint; `lacks` says what a file without it has not.

    Its columns fit one of those `wanted`.
    """

    hint: ClassVar[re.Pattern[bytes]]
    lacks: ClassVar[str]
    named_by: ClassVar[tuple[str, ...]] = ()
    wanted: ClassVar[tuple[tuple[str, ...], ...]]

    def sniff(self, head: bytes) -> bool:
        """Whether a line names the columns wanted."""
        return self.header(head) is not None

    def header(self, raw: bytes) -> Header | None:
        """Return the first line that holds the hint and names the columns wanted; messages may stand before it."""
        for start, line in lines_with(raw, self.hint):
            for separator in (s for s in _SEPARATORS if s in line):
                cells = split_line(line, separator) or []
                sentence = not all(map(_COLUMN.fullmatch, cells))  # about such a table
                if len(cells) > 1 and not sentence and self.accepts(frozenset((*cells, *map(canonical, cells)))):
                    return Header(without_empty_end(cells), line_of(raw, start), separator)
        return None

    def accepts(self, names: Names) -> bool:
        """Whether columns with these names, as written and as all generations would write them, are the format's."""
        return any(fit(names, own) for own in self.wanted)

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the rows below the header."""
        if (header := self.header(raw)) is None:
            raise builder.refused(self.without(raw))
        if why := self.no_use(header):
            raise builder.refused(why)
        self.put(Table(builder, raw, header, *self.named_by))

    def without(self, raw: bytes) -> str:
        """Return what is said of a file without the header."""
        return self.lacks

    def no_use(self, header: Header) -> str:
        """Return why a table is of no use although its columns are the format's; "" if it is of use."""
        return ""

    @abstractmethod
    def put(self, table: Table) -> None:
        """Put down the rows of a table."""


def number(cell: str) -> float | None:
    """Return the number in a cell; None if nothing was measured.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if not cell or cell.casefold() in MISSING_WORDS:
        return None
    written = _PLAIN.fullmatch(cell) or _GROUPED.fullmatch(cell)
    if not written or abs(value := float(cell.replace(",", ""))) == float("inf"):
        raise ValueError(cell)
    return value


def number_told(builder: Builder, line: int, name: str, cell: str, instead: str = _MISSING) -> float | None:
    """Return the number in a cell; one that holds none is told, with what becomes of it."""
    try:
        return number(cell)
    except ValueError:
        builder.leave_out(line, f"'{shown(name)}' is '{shown(cell)}', expected a number{instead}")
        return None


def split_line(line: str, separator: str) -> list[str] | None:
    """Return the cells of a line, without white space around them; None if its quotes do not fit."""
    cells = cells_of(line, separator)
    return None if cells is None else [cell.strip() for cell in cells]


def _rows(builder: Builder, raw: bytes, header: Header, name_column: int | None) -> Iterator[Row]:
    lines = io.StringIO(raw.decode(), newline=None).read().split("\n")
    last = next((i for i in range(len(lines) - 1, -1, -1) if lines[i].strip()), 0)
    for i in range(header.line, last + 1):
        if not (line := lines[i]).strip():
            continue
        cells = split_line(line, header.separator)
        fitted = cells and _fitted(cells, len(header.cells), None if '"' in line else name_column)
        if not fitted or len(fitted) != len(header.cells):
            builder.leave_out(i + 1, _why_not(line, fitted, header, i == last))
        elif tuple(fitted) != header.cells:
            yield i + 1, fitted


def _fitted(cells: list[str], n: int, name_column: int | None) -> list[str]:
    """Return the cells without empty ones at the end, and with a name that was split at its commas in one."""
    while len(cells) > n and not cells[-1]:
        cells = cells[:-1]
    if (extra := len(cells) - n) > 0 and name_column is not None:
        end = name_column + extra + 1
        cells = [*cells[:name_column], ", ".join(cells[name_column:end]), *cells[end:]]
    return cells


def _why_not(line: str, cells: list[str] | None, header: Header, last: bool) -> str:
    n = len(header.cells)
    if cells is not None and len(cells) == 1 and n > 2:
        return f"no row of the table but a message: '{shown(line.strip())}'"
    if last and (cells is None or len(cells) < n):
        return "the file breaks off within this row"
    if cells is None:
        return "its quotation marks do not fit together"
    return f"it has {len(cells)} cells and the header {n}"


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
