"""What tuners' files have in common: a list of results, parameters of configurations, and times measured of each."""

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, ClassVar

from core.errors import ReadError
from core.frozen import Frozen
from core.ingest.names import shown
from core.ingest.readers._base_units import scale_of
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._declared import Role
from core.ingest.readers._text import TextReader, entries, finite, load_cut, number, plain
from core.trial import Kind

Values = list[float | None]
_PLURAL = re.compile(r"s(?=_|$)")
_TIME_UNITS = {"seconds": "s", "milliseconds": "ms", "miliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}


class TunerReader(TextReader):
    """Reads a JSON object with a member of results, which a tuner adds to while it runs.

    Attributes
    ----------
    member, opening : the member's key and what it begins with, `{` or `[`
    lacks : what is said of an object without it
    costs : as what the costs of tuning are left out
    """

    member: ClassVar[str]
    opening = "["
    lacks: ClassVar[str]
    costs = "as costs of tuning and not of the kernel"

    def fill(self, builder: Builder, raw: bytes) -> None:
        """Put down the results that count, and say which do not, and where the file breaks off."""
        document, cut = load_cut(builder.source, raw, self.member, self.opening)
        results = document.get(self.member) if isinstance(document, dict) else None
        if isinstance(results, list) and self.opening == "[":
            placed = [(f"result {at}", result) for at, result in enumerate(results, start=1)]
        elif isinstance(results, dict) and self.opening == "{":
            placed = [(f"configuration '{shown(key)}'", result) for key, result in results.items()]
        else:
            raise builder.refused(self.lacks)
        tuning = self.tuning(builder, document)
        whys = [self.failure(tuning, result) if isinstance(result, dict) else "no object" for _, result in placed]
        good = [result for (_, result), why in zip(placed, whys, strict=True) if not why]
        tuning.numbers.update(numeric(self.configuration(tuning, result) for result in good))
        for (where, result), why in zip(placed, whys, strict=True):
            if lacks := why or self.put(tuning, where, result):
                builder.skip(where, lacks)
        for names, left in ((tuning.left, self.costs), (tuning.odd, "as neither one number nor one for each run")):
            builder.note_names(f"left out, {left}", list(names), 12, "")
        if cut:
            builder.skip(cut, "the file breaks off; tuning was stopped or still ran")

    @abstractmethod
    def tuning(self, builder: Builder, document: Mapping[str, Any]) -> "Tuning":
        """Return what holds for all results, without the parameters."""

    @abstractmethod
    def failure(self, tuning: "Tuning", result: Mapping[str, Any]) -> str:
        """Return why a result does not count; "" if it does."""

    @abstractmethod
    def configuration(self, tuning: "Tuning", result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters of a result."""

    @abstractmethod
    def put(self, tuning: "Tuning", where: str, result: Mapping[str, Any]) -> str:
        """Put down the trials of a result; return why there is none."""


class Tuning(Frozen):
    """What holds for all results of one file.

    Attributes
    ----------
    numbers : the parameters, and whether each is a number
    left, odd : what was met of the costs of tuning, and of values that are neither one nor one for each run
    """

    builder: Builder
    document: Mapping[str, Any]
    application: str
    input: str
    machine: str
    unit: str
    numbers: dict[str, bool] = field(default_factory=dict)
    left: dict[str, None] = field(default_factory=dict)
    odd: dict[str, None] = field(default_factory=dict)

    def put(
        self,
        where: str,
        times: tuple[Any, Any],
        settings: Mapping[str, Any],
        measured: Mapping[str, Any],
        role: Callable[[str], Role],
    ) -> str:
        """Put down each run of a configuration; return what is said if no time was measured.

        Parameters
        ----------
        times : of single runs, and their mean, which is the trial where the others were not kept
        measured : by name, one value for all runs, or one for each
        role : of what was measured, by its name
        """
        single = measured_times(times[0])
        if (runs := single or measured_times([times[1]])) and not single:
            self.builder.note("where single times are not kept, their mean is the trial.")
        values = {name: per_run(value, len(runs)) for name, value in one_quantity(measured, len(runs)).items()}
        known = [(role(name), own) for name, own in values.items() if own is not None]
        self.odd.update(dict.fromkeys(name for name, own in values.items() if own is None) if runs else {})
        for run, time in enumerate(runs):
            place = f"{where} run {run + 1}"
            if time is None:
                self.builder.skip(place, "its time is no number")
                continue
            trial = self.builder.trial(self.application, input=self.input, machine=self.machine, where=place)
            self.builder.put(trial, TIME, time, self.unit, Kind.RESPONSE)
            put_parameters(self.builder, trial, settings, self.numbers)
            for (name, unit, kind), own in known:
                self.builder.put(trial, name, own[run], unit, kind)
        return "" if runs else "no time was measured"


def setting(value: Any) -> float | None:
    """Return a parameter's value as a number, true as 1 and false as 0; None for a text."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and value in ("true", "false"):
        return float(value == "true")
    return finite(value)


def numeric(configurations: Iterable[Mapping[str, Any]]) -> dict[str, bool]:
    """Return the parameters in the order they come, and whether all values of each are numbers."""
    found: dict[str, bool] = {}
    for configuration in configurations:
        for name, value in configuration.items():
            found[name] = found.get(name, True) and (value is None or setting(value) is not None)
    return found


def put_parameters(builder: Builder, trial: int, configuration: Mapping[str, Any], numbers: Mapping[str, bool]) -> None:
    """Give a trial its parameters: numbers as metrics, texts as labels."""
    for name, value in configuration.items():
        if numbers[name]:
            builder.put(trial, name, setting(value), kind=Kind.PARAMETER)
        else:
            builder.label(trial, name, plain(value), parameter=True)


def measured_times(value: Any) -> Values:
    """Return the times of single executions, None for one that is no time; no times if there is no list of them."""
    if not isinstance(value, list):
        return []
    times = [*map(finite, value)]
    return times if any(time is not None for time in times) else []


def per_run(value: Any, n_runs: int) -> Values | None:
    """Return a measurement for each run: one number for all, or one of a list for each; None if it is neither."""
    if isinstance(value, list) and len(value) == n_runs > 0:
        numbers = [number(v) for v in value]
        return numbers if all(v is not None and not math.isinf(v) for v in numbers) else None
    single = number(value)
    return None if single is None or math.isinf(single) else [single] * n_runs


def one_quantity(values: Mapping[str, Any], n_runs: int) -> dict[str, Any]:
    """Return the measurements with `core_freqs`, one number a run, in the place of `core_freq`, its mean.

    Kernel Tuner's observers write both; they are one quantity, called as the mean is.
    """
    found = dict(values)
    for name, value in values.items():
        single = _PLURAL.sub("", name)
        if single != name and isinstance(value, list) and len(value) == n_runs:
            twins = [other for other in values if other != name and _PLURAL.sub("", other) == single]
            for twin in twins[:1]:
                found[twin] = found.pop(name)
    return found


def member(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return an object's member that is an object; an empty one if it is not."""
    return entries(value.get(key))


def objects(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the objects in an object's member that is a list."""
    found = value.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def time_unit(source: str, said: str) -> str:
    """Return the unit of a tuner's times.

    Raises
    ------
    ReadError
        If it is none.
    """
    if (found := _TIME_UNITS.get(said.lower()) or (said if scale_of(said)[0] == "s" else None)) is None:
        expected = "nanoseconds, microseconds, milliseconds or seconds"
        raise ReadError(f"{source}: the time unit is '{shown(said)}', expected {expected}. Correct the file.")
    return found


def size_text(value: Any) -> str:
    """Return a problem size as people write it: 4096x4096; "" if the file does not say it."""
    if isinstance(value, list):
        return "x".join(plain(v) for v in value)
    return "" if value == "callable" else plain(value)


def counter_unit(name: str, kind: str = "") -> str:
    """Return the unit of a counter, where its type or its name says that it is a percentage."""
    return "%" if kind == "Percent" or re.search(r"\.pct(?:_of_peak_\w+)?$", name) else ""
