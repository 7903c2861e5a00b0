"""Trials as curation sees them, made in tests."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from core.ingest.joining.merge import per_trial
from core.trial import Import, Kind, Measured, Metric

TIME = Metric("time_s", Kind.RESPONSE, "s")


def measured(
    columns: Mapping[Metric, Sequence[float]],
    configuration: Sequence[int] | None = None,
    *,
    application: Sequence[str] | None = None,
    machine: Sequence[str] | None = None,
    labels: Mapping[str, Sequence[str]] | None = None,
    excluded: Mapping[str, Sequence[str]] | None = None,
) -> Measured:
    """Make trials t0, t1, …; each is a configuration of its own unless said otherwise."""
    values = np.column_stack([np.asarray(v, dtype=np.float64) for v in columns.values()])
    n = len(values)
    keys = np.arange(n) if configuration is None else np.asarray(configuration, dtype=np.int64)
    return Measured(
        ids=tuple(f"t{i}" for i in range(n)),
        application=tuple(application or [f"app{k}" for k in keys]),
        input=("",) * n,
        machine=tuple(machine or ["gpu"] * n),
        configuration=keys.astype(np.int64),
        run=run_numbers(keys),
        metrics=tuple(columns),
        values=values,
        labels={k: tuple(v) for k, v in (labels or {}).items()},
        excluded={k: frozenset(v) for k, v in (excluded or {}).items()},
    )


def times(y: Sequence[float], configuration: Sequence[int] | None = None, **more: object) -> Measured:
    """Make trials with a response and nothing else."""
    return measured({TIME: y}, configuration, **more)


def run_numbers(configuration: np.ndarray) -> np.ndarray:
    """Number the repeats of each configuration in the order they stand."""
    seen: dict[int, int] = {}
    out = np.empty(len(configuration), dtype=np.int64)
    for i, key in enumerate(configuration.tolist()):
        out[i] = seen[key] = seen.get(key, 0) + 1
    return out


def permuted(m: Measured, order: np.ndarray) -> Measured:
    """Return the same trials in another order of rows; run numbers stay with their trials."""
    rows = order.tolist()
    return replace(
        m,
        ids=tuple(m.ids[i] for i in rows),
        application=tuple(m.application[i] for i in rows),
        input=tuple(m.input[i] for i in rows),
        machine=tuple(m.machine[i] for i in rows),
        configuration=m.configuration[order],
        run=m.run[order],
        values=m.values[order],
        labels={k: tuple(v[i] for i in rows) for k, v in m.labels.items()},
    )


def of_import(found: Import) -> Measured:
    """Return the trials of one import; parameters tell configurations apart."""
    trials, columns = found.trials, per_trial(found)
    n = len(trials)
    settings = [columns[name][1] for name in columns if columns[name][0].kind == Kind.PARAMETER]
    texts = [trials.labels[name] for name in trials.parameters]
    keys = [
        (trials.application[i], trials.input[i], trials.machine[i], *(s[i] for s in settings), *(t[i] for t in texts))
        for i in range(n)
    ]
    numbers = {key: i for i, key in enumerate(sorted(set(keys)))}
    configuration = np.array([numbers[key] for key in keys], dtype=np.int64)
    return Measured(
        ids=tuple(f"t{i}" for i in range(n)),
        application=trials.application,
        input=trials.input,
        machine=trials.machine,
        configuration=configuration,
        run=run_numbers(configuration),
        metrics=tuple(m for m, _ in columns.values()),
        values=np.column_stack([v for _, v in columns.values()]),
        labels=trials.labels,
        settings=trials.parameters,
    )
