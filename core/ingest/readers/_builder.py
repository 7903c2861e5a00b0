"""What a profiler's file says, put down value by value, becomes trials with metrics in base units."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.ingest.names import listed, shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._columns import Columns, scales_of
from core.registry import first_few
from core.trial import Facts, Import, Kind, Skipped, Trials

TIME = "time_s"
"""The name of the response that every profiler's reader gives where its file has a time."""

_CONSTANT_FROM = 3
_LISTED = 6


class Builder:
    """Collects the trials of one file.

    Parameters
    ----------
    source, sha256 : of the file
    format : the reader's name
    simulated : whether times come from a simulator, which gives equal launches equal times
    """

    def __init__(self, source: str, sha256: str, format: str, simulated: bool = False) -> None:
        self.source, self.sha256, self.format, self.simulated = source, sha256, format, simulated
        self._begun: list[tuple[str, str, str, str, str]] = []
        self._trials, self._machines, self._inputs = Columns(), Columns(), Columns()
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

    def put_block(self, trials: Sequence[int], columns: Sequence[tuple[str, str, Kind]], values: FloatArray) -> None:
        """Give several trials the values of several metrics, as `put` does one by one.

        Parameters
        ----------
        columns : name, unit and kind of each metric
        values : array of shape (n_trials, n_columns), NaN where nothing was measured
        """
        self._put_block(self._trials, trials, tuple(columns), values)

    def label(self, trial: int, name: str, text: str, *, parameter: bool = False) -> None:
        """Give a trial a text; a parameter is one that was set before the run."""
        if text:
            self._trials.labels.setdefault(name, {})[trial] = text
        if parameter and name not in self._parameters:
            self._parameters.append(name)

    def of_machine(self, machine: str, name: str, value: float | None, unit: str = "") -> None:
        """Say a metric of a machine."""
        self._put(self._machines, self._machines.row(machine), name, value, unit, Kind.MACHINE, "")

    def machine_block(self, machine: str, columns: Sequence[tuple[str, str]], values: Sequence[float]) -> None:
        """Say metrics of a machine, by name and unit."""
        row, kinds = self._machines.row(machine), [(name, unit, Kind.MACHINE) for name, unit in columns]
        self._put_block(self._machines, [row], tuple(kinds), np.array([values], dtype=np.float64))

    def of_input(self, application: str, input: str, name: str, value: float | None, unit: str = "") -> None:
        """Say a deterministic metric of an application on an input."""
        row = self._inputs.row(application, input)
        self._put(self._inputs, row, name, value, unit, Kind.DETERMINISTIC, "")

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
            raise ReadError(f"{self.source} holds no measurements. {self._why_none()}")
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
        self, columns: Columns, row: int, name: str, value: float | None, unit: str, kind: Kind, qualifier: str
    ) -> None:
        base, factor, divisor = scale_of(unit)
        place = columns.place(name, base, kind)
        if value is None or math.isnan(value):
            return
        converted = self._finite(name, value) * factor / divisor
        if columns.spread(place).get(row, converted) != converted:
            place = self._second(columns, row, name, base, kind, qualifier, converted)
        columns.spread(place)[row] = converted
        if unit != base:
            self._original.setdefault(columns.metrics[place].name, unit)

    def _put_block(
        self, columns: Columns, rows: Sequence[int], asked: tuple[tuple[str, str, Kind], ...], values: FloatArray
    ) -> None:
        factors, divisors, converted = scales_of(asked)
        wide = values * factors / divisors
        for j in np.flatnonzero(np.isinf(wide).any(axis=0)).tolist():
            self._finite(asked[j][0], math.inf)
        places = columns.block_of(asked)
        taken = np.array(places, dtype=np.int64)
        for j in np.flatnonzero(taken < 0).tolist():
            name, unit, kind = asked[j]
            for row, value in zip(rows, values[:, j].tolist(), strict=True):
                self._put(columns, row, name, value, unit, kind, "")
        kept = np.flatnonzero(taken >= 0)
        columns.blocks.append((np.array(rows), taken[kept], wide[:, kept]))
        for j in converted:
            if places[j] >= 0:
                self._original.setdefault(columns.metrics[places[j]].name, asked[j][1])

    def _second(
        self, columns: Columns, row: int, name: str, base: str, kind: Kind, qualifier: str, value: float
    ) -> int:
        """Return the column of a second value of one metric."""
        place = columns.place(name, base, kind, qualifier)
        known = columns.spread(place).get(row, value)
        if known != value:
            where = f"{self.source} {self._begun[row][3] if columns is self._trials else ''}".strip()
            raise ReadError(
                f"{where}: '{shown(name)}' is {value:.17g} here and {known:.17g} elsewhere "
                "in the file. Write the file again; it may be two captures in one."
            )
        return place

    def _finite(self, name: str, value: float) -> float:
        if math.isinf(value):
            raise ReadError(f"{self.source}: '{shown(name)}' is infinite, expected a finite number. Correct the file.")
        return float(value)

    def _facts(self, columns: Columns) -> Facts | None:
        n = len(columns.keys)
        _, metrics, values = columns.known(n)
        labels = columns.texts(n)
        return Facts(tuple(columns.keys), metrics, values, labels) if metrics or labels else None

    def _built_trials(self) -> Trials:
        n = len(self)
        application, input, machine, where, execution = zip(*self._begun, strict=True) if n else ((),) * 5
        places, metrics, values = self._trials.known(n)
        there = set(places)
        empty = [m.name for i, m in enumerate(self._trials.metrics) if i not in there]
        if empty and n:
            self.note(f"without a value in any trial, and left out: {listed(empty)}.")
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
