"""Extra-P's measurements, in whatever form: values of a metric at a point of the parameters, by call path."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.ingest.names import shown, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import number
from core.trial import Kind

UNNAMED = "<default>"
"""What Extra-P itself calls a metric that its file does not name."""

_ELAPSED = re.compile(r"(?:(?:wall|wall[ _-]?clock|run|elapsed|execution)[ _-]?)?time|duration", re.IGNORECASE)
_SOME_TIME = re.compile(r"(?:.*[\W_])?(?:time|runtime|duration)", re.IGNORECASE)

Point = tuple[float, ...]


@dataclass
class Measurements:
    """Values by call path and point, then by metric: the k-th of each metric are one execution.

    Attributes
    ----------
    parameters : their names, in the order of a point's coordinates
    where : where the first value of a call path and point stands
    """

    parameters: tuple[str, ...] = ()
    values: dict[tuple[str, Point], dict[str, list[float]]] = field(default_factory=dict)
    where: dict[tuple[str, Point], str] = field(default_factory=dict)

    def add(self, callpath: str, point: Point, metric: str, values: Sequence[float], where: str) -> None:
        """Add repeated values of a metric at a point."""
        key = (callpath, point)
        self.values.setdefault(key, {}).setdefault(metric, []).extend(values)
        self.where.setdefault(key, where)

    def fill(self, builder: Builder) -> None:
        """Add a trial for each call path, point and repeat; a count that is written once holds for all of them."""
        metrics = list(dict.fromkeys(name for by_metric in self.values.values() for name in by_metric))
        time = next((name for name in metrics if _ELAPSED.fullmatch(name)), "")
        kinds = {name: _kind(name, bool(time)) for name in metrics}
        if time:
            builder.note(f"'{shown(time)}' is read in seconds, as Extra-P and Score-P count time.")
        if UNNAMED in metrics:
            builder.warn(f"{builder.source} does not name its metric; it is called '{UNNAMED}', as Extra-P does.")
        for key, by_metric in self.values.items():
            n_repeats = max(len(values) for values in by_metric.values())
            for repeat in range(n_repeats):
                told = f", repeat {repeat + 1}" if n_repeats > 1 else ""
                trial = builder.trial(key[0] or stem(builder.source), where=self.where[key] + told)
                for parameter, value in zip(self.parameters, key[1], strict=True):
                    builder.put(trial, parameter, value, kind=Kind.PARAMETER)
                for name, values in by_metric.items():
                    kind, unit = kinds[name]
                    once = len(values) == 1 and kind is Kind.COUNTER
                    known = values[0] if once else values[repeat] if repeat < len(values) else None
                    builder.put(trial, TIME if name == time else name, known, unit, kind)


def _kind(name: str, timed: bool) -> tuple[Kind, str]:
    """Return kind and unit of a metric; without a time, each metric is what Extra-P models over the parameters."""
    if _SOME_TIME.fullmatch(name):
        return Kind.RESPONSE, "s"
    return Kind.COUNTER if timed else Kind.RESPONSE, ""


def numbers(value: Any) -> list[float] | None:
    """Return a number, or a list of numbers or of their texts, as finite numbers; None if one of them is none."""
    values = value if isinstance(value, list) else [value]
    found = [number(one) for one in values]
    known = [one for one in found if one is not None and math.isfinite(one)]
    return known if len(known) == len(values) else None
