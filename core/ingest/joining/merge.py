"""Facts from a second file into an import: each metric has one place, and no two files contradict each other."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ReadError
from core.ingest.joining.located import united
from core.trial import Facts, Import, Kind, Trials

Key = tuple[str, ...]


def merged(imported: Import, facts: Facts, source: str) -> tuple[Import, list[str]]:
    """Return the import with the facts, and notes on columns that both files had alike.

    Raises
    ------
    ReadError
        If the import has a metric or label of the same name with other values.
    """
    notes: list[str] = []
    values = spread(facts, imported.trials)
    for place, metric in enumerate(facts.metrics):
        old = _metric_values(imported, metric.name, source)
        if old is not None:
            _refuse_other(imported, metric.name, source, _numbers(old), _numbers(values[:, place]))
            imported = imported.without({metric.name})
            notes.append(f"'{metric.name}' is in {imported.source} and in {source} alike: taken from {source}.")
    for name in facts.labels:
        old_texts = _label_texts(imported, name, source)
        if old_texts is not None:
            _refuse_other(imported, name, source, old_texts, spread_texts(facts, imported.trials, name))
            imported = imported.without({name})
            notes.append(f"'{name}' is in {imported.source} and in {source} alike: taken from {source}.")
    if len(facts.keys[0]) == 1:
        return replace(imported, machines=united([imported.machines, facts], [])), notes
    return replace(imported, inputs=united([imported.inputs, facts], [])), notes


def spread(facts: Facts, trials: Trials) -> FloatArray:
    """Return the facts' values per trial, of shape (n_trials, n_metrics); NaN where there is no row."""
    rows = _rows(facts, trials)
    padded = np.vstack([facts.values, np.full((1, len(facts.metrics)), np.nan)])
    return np.asarray(padded[rows], dtype=np.float64)


def _rows(facts: Facts, trials: Trials) -> IntArray:
    """Return the facts' row of each trial; -1 if there is none."""
    places = {key: row for row, key in enumerate(facts.keys)}
    keys: Sequence[Key] = (
        [(name,) for name in trials.machine]
        if len(facts.keys[0]) == 1
        else list(zip(trials.application, trials.input, strict=True))
    )
    return np.array([places.get(key, -1) for key in keys], dtype=np.int64)


def spread_texts(facts: Facts, trials: Trials, name: str) -> tuple[str, ...]:
    """Return a label's texts per trial; "" where there is no row."""
    texts = (*facts.labels[name], "")
    return tuple(texts[row] for row in _rows(facts, trials))


def _metric_values(imported: Import, name: str, source: str) -> FloatArray | None:
    """Return what the import has per trial under the name of a new metric; None if nothing."""
    if any(name in part.labels for part in imported.parts):
        raise ReadError(f"{source}: '{name}' holds numbers, but words in {imported.source}. Rename one of them.")
    trials = imported.trials
    for place, metric in enumerate(trials.metrics):
        if metric.name == name:
            if metric.kind in (Kind.RESPONSE, Kind.PARAMETER):
                raise ReadError(f"{source}: '{name}' is a {metric.kind} of {imported.source}. Rename one of them.")
            return trials.values[:, place]
    for facts in (imported.machines, imported.inputs):
        names = [m.name for m in facts.metrics] if facts else []
        if facts and name in names:
            return spread(facts, trials)[:, names.index(name)]
    return None


def _label_texts(imported: Import, name: str, source: str) -> Sequence[str] | None:
    if any(metric.name == name for metric in imported.metrics):
        raise ReadError(f"{source}: '{name}' holds words, but numbers in {imported.source}. Rename one of them.")
    if name in imported.trials.labels:
        return imported.trials.labels[name]
    for facts in (imported.machines, imported.inputs):
        if facts and name in facts.labels:
            return spread_texts(facts, imported.trials, name)
    return None


def _numbers(values: FloatArray) -> tuple[str, ...]:
    """Return numbers as texts, a missing one as the empty text."""
    return tuple("" if value != value else repr(value) for value in values.tolist())


def _refuse_other(imported: Import, name: str, source: str, old: Sequence[str], new: Sequence[str]) -> None:
    for row, (before, after) in enumerate(zip(old, new, strict=True)):
        if before != after:
            where = imported.trials.where[row] if imported.trials.where else f"trial {row + 1}"
            raise ReadError(
                f"{source}: '{name}' is {_or_missing(after)} for the trial on {where} of {imported.source}, "
                f"which has {_or_missing(before)}. Correct one of the files, or ignore '{name}' in {imported.source}."
            )


def _or_missing(text: str) -> str:
    return f"'{text.removesuffix('.0')}'" if text else "missing"
