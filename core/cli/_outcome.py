"""The output of a run as trials that know their design point."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

import numpy as np

from core.codec import FloatArray
from core.errors import ReadError
from core.ingest import Mapping as ColumnMapping
from core.ingest import SourceFile, drop, parts_of
from core.space.design_space import Level
from core.space.plan import RUN, shown
from core.trial import Import, Kind, Metric, Trials


def read_outcome(
    file: SourceFile,
    reader: str | None,
    mapping: ColumnMapping,
    run: str,
    point: Mapping[str, Level],
    units: Mapping[str, str],
) -> tuple[Import, ...]:
    """Return the trials in a run's output with its design point added.

    Numbers of the point become metrics of the kind parameter, texts parameter labels, and the run a
    label. The same output of another run counts as another file.

    Parameters
    ----------
    reader : its name; found by content if None
    units : of parameters, where they are known

    Raises
    ------
    ReadError
        If nothing can be read, or the output says another value of a parameter.
    """
    found = drop(parts_of([file], mapping, reader)).gathered().imports
    return tuple(_with_point(one, run, point, units) for one in found)


def _with_point(imported: Import, run: str, point: Mapping[str, Level], units: Mapping[str, str]) -> Import:
    trials = imported.trials
    n = len(trials)
    if not n:
        raise ReadError(f"{imported.source} holds no measurement.")
    said = "\n".join([imported.sha256, run, *(f"{name}={shown(level)}" for name, level in point.items())])
    numbers = {name: float(v) for name, v in point.items() if not isinstance(v, str)}
    texts = {name: v for name, v in point.items() if isinstance(v, str)}
    trials = _with_numbers(trials, numbers, units, imported.source)
    labels = {**trials.labels, RUN: (run,) * n, **{name: (text,) * n for name, text in texts.items()}}
    parameters = tuple(dict.fromkeys([*trials.parameters, *texts]))
    trials = replace(trials, labels=labels, parameters=parameters)
    return replace(imported, sha256=sha256(said.encode()).hexdigest(), trials=trials)


def _with_numbers(trials: Trials, numbers: Mapping[str, float], units: Mapping[str, str], source: str) -> Trials:
    """Return trials with parameters as metrics; one that the output has too must agree."""
    metrics, columns = list(trials.metrics), list(trials.values.T)
    for name, value in numbers.items():
        metric = Metric(name, Kind.PARAMETER, units.get(name, ""))
        places = [j for j, m in enumerate(metrics) if m.name == name]
        if places:
            _agree(columns[places[0]], value, name, source)
            metrics[places[0]] = replace(metrics[places[0]], kind=Kind.PARAMETER)
            columns[places[0]] = np.full(len(trials), value)
        else:
            metrics.append(metric)
            columns.append(np.full(len(trials), value))
    return replace(trials, metrics=tuple(metrics), values=np.column_stack(columns))


def _agree(column: FloatArray, value: float, name: str, source: str) -> None:
    other = column[np.isfinite(column) & ~np.isclose(column, value, rtol=1e-9, atol=0.0)]
    if len(other):
        raise ReadError(
            f"{source}: '{name}' is {other[0]:.6g}, but the plan says {value:.6g}. "
            "Correct the command, or call the parameter otherwise."
        )
