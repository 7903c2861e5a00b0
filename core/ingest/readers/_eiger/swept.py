"""Counters of Eiger's that were set before the runs: it knows no parameters, and a dataset has but one value.

The rule is that of tables (`_sweep.py`), so that an Eiger database and the table of the same trials agree.
"""

from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.ingest.recognition.evidence import FEW
from core.trial import Import, Kind


def with_parameters(imported: Import) -> Import:
    """Return the import with some counters as parameters.

    They take the same two or more values in each group of trials of one application, input and machine.
    """
    trials = imported.trials
    groups = _numbers(list(zip(trials.application, trials.input, trials.machine, strict=True)))
    n_groups = int(groups.max()) + 1
    if n_groups < 2 or 2 * n_groups > len(trials):
        return imported
    counters = [(i, m) for i, m in enumerate(trials.metrics) if m.kind is Kind.COUNTER]
    found = {m.name for i, m in counters if _same_levels(trials.values[:, i], groups, n_groups)}
    if not found:
        return imported
    metrics = tuple(replace(m, kind=Kind.PARAMETER) if m.name in found else m for m in trials.metrics)
    said = ", ".join(f"'{name}'" for name in sorted(found))
    warning = f"{imported.source}: taken as parameters, for each application, input and machine has the same: {said}."
    return replace(imported, trials=replace(trials, metrics=metrics), warnings=(*imported.warnings, warning))


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
