"""Counters of Eiger's that were set before the runs: it knows no parameters, and a dataset has but one value."""

from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.ingest.recognition.evidence import FEW
from core.ingest.recognition.words import is_input
from core.trial import Import, Kind


def with_parameters(imported: Import) -> Import:
    """Return the import with some counters as parameters.

    They are the size of the problem by name, or take the same two or more values in each group of trials of one
    application, input and machine.
    """
    trials = imported.trials
    groups = _numbers(list(zip(trials.application, trials.input, trials.machine, strict=True)))
    n_groups = int(groups.max()) + 1
    grouped = 2 <= n_groups <= len(trials) // 2
    counters = [(i, m) for i, m in enumerate(trials.metrics) if m.kind is Kind.COUNTER]
    swept = {m.name for i, m in counters if grouped and _same_levels(trials.values[:, i], groups, n_groups)}
    found = swept | {m.name for _, m in counters if is_input(m.name)}
    if not found:
        return imported
    metrics = tuple(replace(m, kind=Kind.PARAMETER) if m.name in found else m for m in trials.metrics)
    why = (
        ("they are called like the size of the problem", found - swept),
        ("each application, input and machine has the same", swept),
    )
    told = [
        f"{imported.source}: taken as parameters, for {reason}: {', '.join(map(repr, sorted(names)))}."
        for reason, names in why
        if names
    ]
    return replace(imported, trials=replace(trials, metrics=metrics), warnings=(*imported.warnings, *told))


def _numbers(names: list[tuple[str, ...]]) -> IntArray:
    known: dict[tuple[str, ...], int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _same_levels(column: FloatArray, groups: IntArray, n_groups: int) -> bool:
    """Whether a column is complete, has few values, and each of them in each group."""
    if np.isnan(column).any():
        return False
    values, levels = np.unique(column, return_inverse=True)
    n_pairs = n_groups * len(values)
    if not 2 <= len(values) <= FEW or n_pairs > len(column):
        return False
    return bool(np.bincount(groups * len(values) + levels, minlength=n_pairs).all())
