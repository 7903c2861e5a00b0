"""Columns that belong to the machine alone, or to application and input alone: they are constant there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.trial import Facts, Import, Kind, Metric


@dataclass(frozen=True)
class Groups:
    """Trials grouped by machine and by (application, input).

    Attributes
    ----------
    machine, pair : arrays of shape (n_trials,): the first trial with the same name
    by_machine : whether there are two machines, and one has run two different (application, input)
    by_pair : whether one (application, input) was measured on two machines
    """

    machine: IntArray
    pair: IntArray
    by_machine: bool
    by_pair: bool


def moved(imported: Import, staying: set[str]) -> Import:
    """Return the import with counters and labels moved to the machine or the input that they belong to.

    Parameters
    ----------
    staying : labels that stay with the trials, whatever they depend on
    """
    trials = imported.trials
    groups = group(trials.application, trials.input, trials.machine)
    kinds = [kind_of(groups, column) for column in trials.values.T]
    metrics = [replace(m, kind=k) if m.kind is Kind.COUNTER else m for m, k in zip(trials.metrics, kinds, strict=True)]
    labels = {
        name: Kind.COUNTER if name in staying else kind_of(groups, leaders(texts))
        for name, texts in trials.labels.items()
    }

    def facts(kind: Kind, of: IntArray, keys: Sequence[tuple[str, ...]]) -> Facts | None:
        places = [i for i, m in enumerate(metrics) if m.kind is kind]
        texts = {name: trials.labels[name] for name, own in labels.items() if own is kind}
        return facts_of(keys, of, [metrics[i] for i in places], trials.values[:, places], texts)

    kept = [i for i, m in enumerate(metrics) if m.kind not in (Kind.DETERMINISTIC, Kind.MACHINE)]
    return replace(
        imported,
        trials=replace(
            trials,
            metrics=tuple(metrics[i] for i in kept),
            values=np.ascontiguousarray(trials.values[:, kept]),
            labels={name: texts for name, texts in trials.labels.items() if labels[name] is Kind.COUNTER},
        ),
        machines=facts(Kind.MACHINE, groups.machine, [(name,) for name in trials.machine]),
        inputs=facts(Kind.DETERMINISTIC, groups.pair, list(zip(trials.application, trials.input, strict=True))),
    )


def group(application: Sequence[str], input_: Sequence[str], machine: Sequence[str]) -> Groups:
    """Return the groups of trials with these names."""
    machines, pairs = leaders(machine), leaders(list(zip(application, input_, strict=True)))
    together = np.unique(machines * len(machines) + pairs)
    several = len(set(machine)) > 1
    return Groups(
        machine=machines,
        pair=pairs,
        by_machine=several and bool((np.bincount(together // len(machines)) > 1).any()),
        by_pair=several and any(application) and bool((np.bincount(together % len(machines)) > 1).any()),
    )


def leaders(names: Sequence[object]) -> IntArray:
    """Return for each row the first row with the same name."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, row) for row, name in enumerate(names)], dtype=np.int64)


def kind_of(groups: Groups, column: npt.NDArray[np.generic]) -> Kind:
    """Return what a column belongs to: DETERMINISTIC, MACHINE, or COUNTER where neither explains it."""
    if groups.by_pair and not len(differing_rows(groups.pair, column)):
        return Kind.DETERMINISTIC
    if groups.by_machine and not len(differing_rows(groups.machine, column)):
        return Kind.MACHINE
    return Kind.COUNTER


def differing_rows(group: IntArray, column: npt.NDArray[np.generic]) -> IntArray:
    """Return the rows whose value is not their leader's; two missing values are alike.

    Parameters
    ----------
    group : array of shape (n_rows,): each row's leader, as `leaders` gives them
    column : array of shape (n_rows,)
    """
    expected = column[group]
    same = (column == expected) | ((column != column) & (expected != expected))
    return np.flatnonzero(~same)


def first_rows(group: IntArray) -> IntArray:
    """Return the rows that lead a group."""
    return np.flatnonzero(group == np.arange(len(group)))


def facts_of(
    names: Sequence[tuple[str, ...]],
    group: IntArray,
    metrics: Sequence[Metric],
    values: FloatArray,
    labels: Mapping[str, Sequence[str]],
) -> Facts | None:
    """Return the first row of each group as facts about it; None if there are no columns.

    Parameters
    ----------
    names : per row, the key of its group
    values : array of shape (n_rows, n_metrics), constant in each group
    """
    if not metrics and not labels:
        return None
    rows = first_rows(group)
    return Facts(
        keys=tuple(names[row] for row in rows),
        metrics=tuple(metrics),
        values=np.ascontiguousarray(values[rows]),
        labels={name: tuple(texts[row] for row in rows) for name, texts in labels.items()},
    )
