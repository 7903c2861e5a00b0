"""AMD tables with one row per dispatch and one column per counter: rocprof v1 and v2, rocprof-compute."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.ingest._names import shown
from core.ingest._open import OpenedText
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._rocm.kernel import (
    BEGIN,
    DEVICE,
    DISPATCH,
    END,
    GRID,
    IDENTIFIERS,
    KERNEL,
    PROPERTIES,
    WORKGROUP,
    KernelFacts,
    Key,
    device,
    duration,
    kernel_name,
    launch,
    whole,
)
from core.ingest.readers._rocm.table import Header, Row, Tally, number, read_rows
from core.trial import Import, Kind

_COPY = re.compile(r"(.+?)_(?:[0-9]+|x|y)")
_CHANNEL = re.compile(r"(.+)\[([0-9]+)\]")
_ACCUMULATED = "SQ_ACCUM_PREV_HIRES"


def read_wide(text: OpenedText, header: Header, format: str) -> Import:
    """Return the trials of a table of dispatches.

    Columns that name things, addresses and time stamps are no metrics; the join of passes leaves
    copies of such columns (`wave_size_7`), which are none either.
    """
    tally = Tally()
    rows = read_rows(text, header, tally, header.place(*KERNEL))
    table = _Wide(Builder(text.name, text.sha256, format=format), header, tally)
    table.dispatch(rows)
    table.put_properties()
    table.put_times()
    table.put_counters()
    tally.tell(table.builder)
    built = table.builder.build(text.warnings)
    if built.trials.metrics:
        return built
    told = f"{text.name} holds launches without times or counters. Capture with --timestamp on, --stats or counters."
    return replace(built, warnings=(*built.warnings, told))


def is_identifier(name: str) -> bool:
    """Whether a column (by its canonical name), or the one that it is a copy of, is no metric.

    Only columns known to name something have copies: `SQC_DCACHE_REQ_READ_16` is a counter of its own.
    """
    copy = _COPY.fullmatch(name)
    names = (name, copy.group(1)) if copy else (name,)
    return any(n in IDENTIFIERS or n in PROPERTIES for n in names)


@dataclass(frozen=True)
class _Dispatch:
    """One execution: its rows, which are several where each die of a package (XCC) is counted apart."""

    trial: int
    key: Key
    rows: tuple[Row, ...]


class _Wide:
    """A table being put down, column by column."""

    def __init__(self, builder: Builder, header: Header, tally: Tally) -> None:
        self.builder, self.header, self.tally = builder, header, tally
        self.dispatches: list[_Dispatch] = []

    def dispatch(self, rows: Sequence[Row]) -> None:
        """Begin a trial for each dispatch."""
        place = self.header.place
        kernel, index, gpu = place(*KERNEL), place(*DISPATCH), place(*DEVICE)
        grid, workgroup = place(*GRID), place(*WORKGROUP)
        base = _base(rows, index)
        for group in _grouped(self.header, rows):
            line, cells = group[0]
            name = kernel_name(_cell(cells, kernel))
            if not name:
                self.tally.add(line, "it names no kernel")
                continue
            input, gpu_text = launch(_cell(cells, grid), _cell(cells, workgroup)), device(_cell(cells, gpu))
            execution = _execution(_cell(cells, index), base)
            labels = {"gpu": gpu_text} if gpu_text else {}
            trial = self.builder.trial(name, input=input, where=f"line {line}", execution=execution, labels=labels)
            self.dispatches.append(_Dispatch(trial, (name, input), tuple(group)))

    def put_properties(self) -> None:
        """Say what each launch takes: sizes, registers, memory."""
        facts = KernelFacts(self.builder)
        for column, raw in enumerate(self.header.names):
            if raw in PROPERTIES and self.header.names.index(raw) == column:
                name, unit = PROPERTIES[raw]
                for d in self.dispatches:
                    facts.say(d.trial, d.key, name, self._value(d.rows[0], column), unit)
        facts.settle()

    def put_times(self) -> None:
        """Put the time of each dispatch down, where the table has one."""
        begin, end, stated = self.header.place(*BEGIN), self.header.place(*END), self.header.place("durationns")
        if stated is None and (begin is None or end is None):
            return
        for d in self.dispatches:
            line, cells = d.rows[0]
            value, why = duration(_cell(cells, begin), _cell(cells, end), _cell(cells, stated))
            self.builder.put(d.trial, TIME, value, "ns", Kind.RESPONSE)
            if why:
                self.tally.add(line, why)

    def put_counters(self) -> None:
        """Put every other column down: numbers as counters, words as labels."""
        apart = any(len(d.rows) > 1 for d in self.dispatches)
        summed = []
        for column, name in enumerate(self.header.cells):
            if is_identifier(self.header.names[column]):
                continue
            if self._is_text(column):
                for d in self.dispatches:
                    self.builder.label(d.trial, name, d.rows[0][1][column])
            elif apart and (channel := _CHANNEL.fullmatch(name)):
                self._put_channels(column, channel.group(1), int(channel.group(2)))
            else:
                self._put_sums(column, name)
                summed.append(name)
        if apart and summed:
            named = ", ".join(f"'{shown(name)}'" for name in summed[:3])
            self.builder.warn(f"{self.builder.source} has a row for each die (XCC): {named} and others are summed.")

    def _put_sums(self, column: int, name: str) -> None:
        if name == _ACCUMULATED and column:  # it accumulates the counter before it, another one in each pass
            name = f"{name} [{self.header.cells[column - 1]}]"
        qualifier = f"column {column + 1}" if self.header.cells.count(name) > 1 else ""
        for d in self.dispatches:
            known = [v for row in d.rows if (v := self._value(row, column)) is not None]
            self.builder.put(d.trial, name, sum(known) if known else None, qualifier=qualifier)

    def _put_channels(self, column: int, base: str, channel: int) -> None:
        """Number each die's channels after those of the dies before it, as rocprof-compute does."""
        found = (_CHANNEL.fullmatch(cell) for cell in self.header.cells)
        per_die = 1 + max(int(m.group(2)) for m in found if m and m.group(1) == base)
        xcc = self.header.place("xcc_index")
        for d in self.dispatches:
            for row in d.rows:
                die = whole(_cell(row[1], xcc))
                own = channel + per_die * (int(die) if die.isdigit() else 0)
                self.builder.put(d.trial, f"{base}[{own}]", self._value(row, column))

    def _is_text(self, column: int) -> bool:
        """Whether a column holds words and no number."""
        words = False
        for d in self.dispatches:
            for _, cells in d.rows:
                try:
                    if number(cells[column]) is not None:
                        return False
                except ValueError:
                    words = True
        return words

    def _value(self, row: Row, column: int) -> float | None:
        line, cells = row
        try:
            return number(cells[column])
        except ValueError:
            name, cell = shown(self.header.cells[column]), shown(cells[column])
            self.tally.add(line, f"'{name}' is '{cell}', expected a number: it is missing there")
            return None


def _grouped(header: Header, rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the rows of each dispatch: one, or one for each die where the dies were counted apart."""
    xcc, index, kernel = header.place("xcc_index"), header.place(*DISPATCH), header.place(*KERNEL)
    keys = [column for column in (index, kernel) if column is not None]
    group: list[Row] = []
    for row in rows:
        if group and (xcc is None or index is None or not _same(group, row, keys, xcc)):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _same(group: Sequence[Row], row: Row, keys: Sequence[int], xcc: int) -> bool:
    """Whether a row is of the group's dispatch, and of a die that has no row there yet."""
    cells = row[1]
    alike = all(cells[key] == group[0][1][key] for key in keys)
    return alike and cells[xcc] not in {before[xcc] for _, before in group}


def _base(rows: Sequence[Row], index: int | None) -> int:
    """Return 1 if the file counts its dispatches from 1, as v2 does; other files of a run may count from 0."""
    texts = [whole(cells[index]) for _, cells in rows] if index is not None else []
    return int(min((int(text) for text in texts if text.isdigit()), default=0) == 1)


def _execution(text: str, base: int) -> str:
    known = whole(text)
    if known.isdigit():
        return f"dispatch {int(known) - base}"
    return f"dispatch {known}" if known else ""


def _cell(cells: Sequence[str], column: int | None) -> str:
    return cells[column] if column is not None else ""
