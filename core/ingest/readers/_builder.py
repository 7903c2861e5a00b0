"""What a profiler's file says, put down value by value, becomes trials with metrics in base units."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, count

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import ReadError, first_few
from core.ingest.names import listed, shown
from core.ingest.readers._base_units import scale_of
from core.trial import Facts, Import, Kind, Metric, Skipped, Trials

TIME = "time_s"
"""The name of the response that every profiler's reader gives where its file has a time."""

_CONSTANT_FROM = 3
_LISTED = 6
Asked = tuple[str, str, Kind]
"""A metric's name, its unit as the file writes it, and its kind."""
_metric = lru_cache(1 << 14)(Metric)
"""Files of one tool have the same metrics, file by file."""


class _Block(Frozen):
    """Metrics of which no two share a name, and how their values come to base units.

    Attributes
    ----------
    written : of the metrics whose unit changes, the name and the unit as it is written
    """

    keys: tuple[tuple[str, str, str], ...]
    names: frozenset[str]
    metrics: tuple[Metric, ...]
    factors: FloatArray
    divisors: FloatArray
    written: tuple[tuple[str, str], ...]


@lru_cache(256)
def _block_of(asked: tuple[Asked, ...]) -> _Block | None:
    """Return metrics as a block, which the many files of one tool share; None where two have one name."""
    names = frozenset(name for name, _, _ in asked)
    if len(names) < len(asked):
        return None
    scales = [scale_of(unit) for _, unit, _ in asked]
    many, parts = ([1.0 if own[1] == own[2] else own[i] for own in scales] for i in (1, 2))
    pairs = [*zip(asked, (base for base, _, _ in scales), strict=True)]
    return _Block(
        tuple((name, base, "") for (name, _, _), base in pairs),
        names,
        tuple(_metric(name, kind, base) for (name, _, kind), base in pairs),
        np.array(many),
        np.array(parts),
        tuple((name, unit) for (name, unit, _), base in pairs if unit != base),
    )


@dataclass
class _Columns:
    """Metrics in the order they came, and the cells that are known, by row: of trials, machines or inputs."""

    keys: dict[tuple[str, ...], int] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    places: dict[tuple[str, str, str], int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    cells: dict[int, dict[int, float]] = field(default_factory=dict)
    blocks: list[tuple[int, Sequence[int], FloatArray]] = field(default_factory=list)
    labels: dict[str, dict[int, str]] = field(default_factory=dict)

    def row(self, *key: str) -> int:
        """Return the row of a key."""
        return self.keys.setdefault(key, len(self.keys))

    def place(self, name: str, base: str, kind: Kind, qualifier: str = "") -> int:
        """Return the column of a metric; another unit, or a qualifier, makes another column."""
        key = (name, base, qualifier)
        if key not in self.places:
            own = f"{name} [{qualifier}]" if qualifier else name
            own = f"{own} [{base or 'no unit'}]" if own in self.names else own
            self.names.add(own)
            self.places[key] = len(self.metrics)
            self.metrics.append(_metric(own, kind, base))
        return self.places[key]

    def of(self, place: int) -> dict[int, float]:
        """Return the cells of a column, to be added to."""
        if place not in self.cells:
            self.cells[place] = {
                row: value
                for first, rows, values in self.blocks
                if first <= place < first + values.shape[1]
                for row, value in zip(rows, values[:, place - first].tolist(), strict=True)
                if value == value
            }
        return self.cells[place]

    def known(self, n_rows: int) -> tuple[list[int], tuple[Metric, ...], FloatArray]:
        """Return the columns that have a cell at all, with their metrics and cells.

        The cells are an array of shape (n_rows, n_columns), NaN where there is none.
        """
        values = np.full((n_rows, len(self.metrics)), np.nan)
        for first, rows, block in self.blocks:
            values[rows, first : first + block.shape[1]] = block
        columns = np.repeat(np.array([*self.cells], np.int64), [*map(len, self.cells.values())])
        at = np.fromiter(chain.from_iterable(self.cells.values()), np.int64, len(columns))
        cells = chain.from_iterable(own.values() for own in self.cells.values())
        values[at, columns] = np.fromiter(cells, np.float64, len(columns))
        places = np.flatnonzero(~np.isnan(values).all(axis=0))
        return places.tolist(), tuple(self.metrics[i] for i in places.tolist()), values.take(places, axis=1)

    def add(self, block: _Block, rows: Sequence[int], values: FloatArray) -> bool:
        """Take a block's values in base units, array of shape (n_rows, n_metrics); false if a name is taken."""
        if free := self.names.isdisjoint(block.names):
            first = len(self.metrics)
            self.names |= block.names
            self.places.update(zip(block.keys, count(first)))
            self.metrics += block.metrics
            self.blocks.append((first, rows, values))
        return free

    def texts(self, n_rows: int) -> dict[str, tuple[str, ...]]:
        """Return the labels, one text per row, "" where there is none."""
        return {name: tuple(cells.get(i, "") for i in range(n_rows)) for name, cells in self.labels.items()}


class Builder:
    """Collects the trials of one file.

    Parameters
    ----------
    source, sha256 : of the file
    format : the reader's name
    simulated : whether times come from a simulator, which gives equal launches equal times

    Attributes
    ----------
    as_written : whether numbers stay in the units that the file names
    """

    def __init__(self, source: str, sha256: str, format: str, simulated: bool = False) -> None:
        self.source, self.sha256, self.format, self.simulated = source, sha256, format, simulated
        self.as_written = False
        self._begun: list[tuple[str, str, str, str, str]] = []
        self._trials, self._machines, self._inputs = _Columns(), _Columns(), _Columns()
        self._parameters: list[str] = []
        self._original: dict[str, str] = {}
        self.skipped: list[Skipped] = []
        self._left_out: dict[str, list[int]] = {}
        self._warnings: list[str] = []

    def __len__(self) -> int:
        return len(self._begun)

    def trial(
        self,
        application: str,
        *,
        input: str = "",
        machine: str = "",
        where: str = "",
        execution: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> int:
        """Begin a trial and return its row number."""
        self._begun.append((application, input, machine, where, execution))
        for name, text in (labels or {}).items():
            self.label(len(self) - 1, name, text)
        return len(self) - 1

    def put(
        self, trial: int, name: str, value: float | None, unit: str = "", kind: Kind = Kind.COUNTER, qualifier: str = ""
    ) -> None:
        """Give a trial the value of a metric; None and NaN are missing values.

        Parameters
        ----------
        unit : as the file writes it; the value is converted to the base unit
        qualifier : what tells two values of the same metric and unit apart, such as a section

        Raises
        ------
        ReadError
            If the trial has another value of this metric, and no qualifier tells them apart.
        """
        self._put(self._trials, trial, name, value, unit, kind, qualifier)

    def put_columns(self, trials: Sequence[int], asked: tuple[Asked, ...], values: FloatArray) -> None:
        """Give trials their values of several metrics, as `put` does one by one.

        Parameters
        ----------
        values : array of shape (n_trials, n_metrics), NaN where there is none
        """
        if block := None if self.as_written else _block_of(asked):
            told = values * block.factors / block.divisors
            if not np.isinf(told).any() and self._trials.add(block, trials, told):
                for name, unit in block.written:
                    self._original.setdefault(name, unit)
                return
        for (name, unit, kind), column in zip(asked, values.T.tolist(), strict=True):
            for trial, value in zip(trials, column, strict=True):
                self.put(trial, name, value, unit, kind)

    def label(self, trial: int, name: str, text: str, *, parameter: bool = False) -> None:
        """Give a trial a text; a parameter is one that was set before the run."""
        if text:
            self._trials.labels.setdefault(name, {})[trial] = text
        if parameter and name not in self._parameters:
            self._parameters.append(name)

    def of_machine(self, machine: str, name: str, value: float | None, unit: str = "") -> None:
        """Say a metric of a machine."""
        self._put(self._machines, self._machines.row(machine), name, value, unit, Kind.MACHINE)

    def of_input(self, application: str, input: str, name: str, value: float | None, unit: str = "") -> None:
        """Say a deterministic metric of an application on an input."""
        self._put(self._inputs, self._inputs.row(application, input), name, value, unit, Kind.DETERMINISTIC)

    def knows_input(self, application: str, input: str) -> bool:
        """Whether a metric of an application on an input was said."""
        return (application, input) in self._inputs.keys

    def machine_label(self, machine: str, name: str, text: str) -> None:
        """Say a text of a machine."""
        row = self._machines.row(machine)
        if text:
            self._machines.labels.setdefault(name, {})[row] = text

    def skip(self, where: str, why: str) -> None:
        """Say that a place of the file was not taken over, and why."""
        self.skipped.append(Skipped(where, why))

    def leave_out(self, line: int, why: str) -> None:
        """Say that something on a line was left out; each reason is told once, with all of its lines."""
        self._left_out.setdefault(why, []).append(line)

    def first_left_out(self) -> str:
        """Return the first such reason with its place, as a sentence; "" if there is none."""
        return next((f" Left out {_lines(lines)}: {why}." for why, lines in self._left_out.items()), "")

    def warn(self, sentence: str) -> None:
        """Say what was noticed; a sentence said before is not said again."""
        if sentence not in self._warnings:
            self._warnings.append(sentence)

    def tell(self, said: str) -> None:
        """Say what the file does, as the end of a sentence that begins with its name."""
        self.warn(f"{self.source} {said}")

    def note(self, said: str, line: int = 0) -> None:
        """Say what was noticed in the file, on a line of it if one is given."""
        self.warn(f"{self.source}{f' line {line}' if line else ''}: {said}")

    def note_names(self, said: str, names: Sequence[str], most: int = 5, quote: str = "'") -> None:
        """Say what was noticed of some names, if there are any."""
        if names:
            self.note(f"{said}: {listed(names, most, quote)}.")

    def refused(self, said: str) -> ReadError:
        """Return the refusal of the file, whose sentence begins with its name."""
        return ReadError(f"{self.source} {said}")

    def build(self, first: Sequence[str] = ()) -> Import:
        """Return the import, with some warnings before all others.

        Raises
        ------
        ReadError
            If there is neither a trial nor a machine metric, or a value is infinite.
        """
        machines, inputs = self._facts(self._machines), self._facts(self._inputs)
        self.skipped += [Skipped(_lines(lines), why) for why, lines in self._left_out.items()]
        if not len(self) and machines is None:
            raise self.refused(f"holds no measurements. {self._why_none()}")
        trials = self._built_trials()
        self._judge_times(trials)
        return Import(
            source=self.source,
            sha256=self.sha256,
            format=self.format,
            trials=trials,
            machines=machines,
            inputs=inputs,
            skipped=tuple(self.skipped),
            warnings=tuple(dict.fromkeys((*first, *self._warnings))),
            original_units={name: unit for name, unit in self._original.items() if unit},
        )

    def _put(
        self, columns: _Columns, row: int, name: str, value: float | None, unit: str, kind: Kind, qualifier: str = ""
    ) -> None:
        base, factor, divisor = (unit, 1.0, 1.0) if self.as_written else scale_of(unit)
        if value is None or value != value:
            columns.place(name, base, kind)
            return
        told = value if factor == divisor else value * factor / divisor
        if math.isinf(told):
            raise ReadError(f"{self.source}: '{shown(name)}' is infinite, expected a finite number. Correct the file.")
        for own in ("", qualifier):  # a second value of one metric needs a column of its own
            place = columns.place(name, base, kind, own)
            if (before := columns.of(place).setdefault(row, told)) == told:
                if unit != base:
                    self._original.setdefault(columns.metrics[place].name, unit)
                return
        where = f"{self.source} {self._begun[row][3] if columns is self._trials else ''}".strip()
        raise ReadError(
            f"{where}: '{shown(name)}' is {told:.17g} here and {before:.17g} elsewhere "
            "in the file. Write the file again; it may be two captures in one."
        )

    def _facts(self, columns: _Columns) -> Facts | None:
        n = len(columns.keys)
        _, metrics, values = columns.known(n)
        labels = columns.texts(n)
        return Facts(tuple(columns.keys), metrics, values, labels) if metrics or labels else None

    def _built_trials(self) -> Trials:
        n = len(self)
        application, input, machine, where, execution = zip(*self._begun, strict=True) if n else ((),) * 5
        places, metrics, values = self._trials.known(n)
        there = set(places)
        empty = [m.name for i, m in enumerate(self._trials.metrics) if i not in there and n]
        self.note_names("without a value in any trial, and left out", empty)
        names = {metric.name for metric in metrics}  # an option may be a number in one run, a text in another
        self._trials.labels = {f"{own} [text]" if own in names else own: x for own, x in self._trials.labels.items()}
        self._parameters = [f"{own} [text]" if own in names else own for own in self._parameters]
        return Trials(
            application=application,
            input=input,
            machine=machine,
            metrics=metrics,
            values=values,
            labels=self._trials.texts(n),
            where=where,
            parameters=tuple(name for name in self._parameters if name in self._trials.labels),
            execution=execution if any(execution) else (),
        )

    def _judge_times(self, trials: Trials) -> None:
        """Warn of times that cannot have been measured."""
        names = [m.name for m in trials.metrics]
        if TIME not in names:
            return
        times = trials.values[:, names.index(TIME)]
        known = times[~np.isnan(times)]
        if (known == 0).all():
            self.note(
                "every duration is 0. The time stamps were rounded, perhaps by a spreadsheet; "
                "use the file as the profiler wrote it."
            )
        elif (known == 0).any():
            self.note(f"{int((known == 0).sum())} of {len(known)} durations are 0.")
        elif len(known) >= _CONSTANT_FROM and (known == known[0]).all() and not self.simulated:
            self.note(f"all {len(known)} durations are {known[0]:.6g} s alike, which no measurement gives.")

    def _why_none(self) -> str:
        if not self.skipped:
            return "Run the capture again."
        first = self.skipped[0]
        more = f" (and {len(self.skipped) - 1} more)" if len(self.skipped) > 1 else ""
        return f"Skipped {first.where}: {first.why}{more}."


def _lines(lines: list[int]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {first_few([*map(str, lines)], _LISTED)}"
