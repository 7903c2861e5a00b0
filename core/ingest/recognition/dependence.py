"""Columns that belong to the machine alone, or to application and input alone: they are constant there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.frozen import Frozen
from core.mapped import release
from core.texts import STEP, Codes, coded, combined, first_of_each
from core.trial import Facts, Import, Kind, Metric, Trials


class Groups(Frozen):
    """Trials grouped by machine and by (application, input).

    Attributes
    ----------
    machine : array of shape (n_trials,): the first trial with the same name; empty unless there are two machines,
        and one has run two different (application, input)
    pair : the same of (application, input); empty unless one was measured on two machines
    """

    machine: IntArray
    pair: IntArray


def moved(
    imported: Import,
    staying: set[str],
    of_inputs: frozenset[str] = frozenset(),
    chosen: Callable[[FloatArray, Sequence[int]], FloatArray] | None = None,
) -> Import:
    """Return the import with counters and labels moved to the machine or the input that they belong to.

    Parameters
    ----------
    staying : labels that stay with the trials, whatever they depend on
    of_inputs : labels that belong to the input, whose name they are a part of
    chosen : gives some columns of the trials' values
    """
    trials = imported.trials
    groups = group(trials.application, trials.input, trials.machine)
    kinds = [_kind_in(trials, groups, m, column) for m, column in zip(trials.metrics, trials.values.T, strict=True)]
    metrics = [replace(m, kind=kind) for m, kind in zip(trials.metrics, kinds, strict=True)]
    said = dict.fromkeys(of_inputs, Kind.DETERMINISTIC) | dict.fromkeys(staying, Kind.COUNTER)
    labels = {name: said.get(name) or kind_of_texts(groups, texts) for name, texts in trials.labels.items()}

    def facts(kind: Kind, *names: Sequence[str]) -> Facts | None:
        places = [i for i, m in enumerate(metrics) if m.kind is kind]
        texts = {name: trials.labels[name] for name, own in labels.items() if own is kind}
        if not places and not texts:
            return None
        own = [metrics[i] for i in places]
        return facts_of(lambda row: tuple(x[row] for x in names), _leaders_of(names), own, trials.values, texts, places)

    kept = [i for i, m in enumerate(metrics) if m.kind not in (Kind.DETERMINISTIC, Kind.MACHINE)]
    return replace(
        imported,
        trials=replace(
            trials,
            metrics=tuple(metrics[i] for i in kept),
            values=chosen(trials.values, kept) if chosen else np.ascontiguousarray(trials.values[:, kept]),
            labels={name: texts for name, texts in trials.labels.items() if labels[name] is Kind.COUNTER},
        ),
        machines=facts(Kind.MACHINE, trials.machine),
        inputs=facts(Kind.DETERMINISTIC, trials.application, trials.input),
    )


def _kind_in(trials: Trials, groups: Groups, metric: Metric, column: npt.NDArray[np.generic]) -> Kind:
    """Return what a metric belongs to; one that was called a fact and differs where it should not is a counter."""
    names = {Kind.MACHINE: (trials.machine,), Kind.DETERMINISTIC: (trials.application, trials.input)}
    if metric.kind in names:
        return metric.kind if _constant(_leaders_of(names[metric.kind]), column) else Kind.COUNTER
    return kind_of(groups, column) if metric.kind is Kind.COUNTER else metric.kind


def _leaders_of(names: Sequence[Sequence[str]]) -> IntArray:
    """Return for each row the first row with the same names."""
    codes = [coded(own).codes for own in names]
    return _leaders(codes[0] if len(codes) == 1 else combined(*codes))


def group(application: Sequence[str], input_: Sequence[str], machine: Sequence[str]) -> Groups:
    """Return the groups of trials with these names."""
    machines, applications = coded(machine), coded(application)
    pairs = combined(applications.codes, coded(input_).codes)
    one = first_of_each(combined(pairs, machines.codes))
    several = len(machines.texts) > 1
    by_machine = several and bool((np.bincount(machines.codes[one]) > 1).any())
    by_pair = several and any(applications.texts) and bool((np.bincount(pairs[one]) > 1).any())
    nothing = np.zeros(0, dtype=np.int64)
    return Groups(_leaders(machines.codes) if by_machine else nothing, _leaders(pairs) if by_pair else nothing)


def leaders(names: Sequence[object]) -> IntArray:
    """Return for each row the first row with the same name."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, row) for row, name in enumerate(names)], dtype=np.int64)


def _leaders(codes: IntArray | Codes) -> IntArray:
    return first_of_each(codes)[codes]


def kind_of(groups: Groups, column: npt.NDArray[np.generic]) -> Kind:
    """Return what a column belongs to: DETERMINISTIC, MACHINE, or COUNTER where neither explains it."""
    return _kind(groups, lambda group: _constant(group, column))


def kind_of_texts(groups: Groups, texts: Sequence[str]) -> Kind:
    """Return the same of a column of texts."""
    return _kind(groups, lambda group: _constant_texts(group, texts))


def _kind(groups: Groups, constant: Callable[[IntArray], bool]) -> Kind:
    if len(groups.pair) and constant(groups.pair):
        return Kind.DETERMINISTIC
    return Kind.MACHINE if len(groups.machine) and constant(groups.machine) else Kind.COUNTER


def _constant(group: IntArray, column: npt.NDArray[np.generic]) -> bool:
    """Whether a column is the same in each group; looks no further than the first rows that differ."""
    try:
        return not any(len(_differing(column[a:b], column[group[a:b]])) for a, b in _steps(len(group)))
    finally:
        release(column)


def _constant_texts(group: IntArray, texts: Sequence[str]) -> bool:
    expected = np.empty(len(group), dtype=object)
    for a, b in _steps(len(group)):
        own = np.array(texts[a:b], dtype=object)
        leading = group[a:b] == np.arange(a, b)
        expected[a:b][leading] = own[leading]
        if (own != expected[group[a:b]]).any():
            return False
    return True


def _steps(n: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + STEP, n)) for start in range(0, n, STEP))


def differing_rows(group: IntArray, column: npt.NDArray[np.generic]) -> IntArray:
    """Return the rows whose value is not their leader's; two missing values are alike.

    Parameters
    ----------
    group : array of shape (n_rows,): each row's leader, as `leaders` gives them
    column : array of shape (n_rows,)
    """
    return _differing(column, column[group])


def _differing(column: npt.NDArray[np.generic], expected: npt.NDArray[np.generic]) -> IntArray:
    return np.flatnonzero(~((column == expected) | ((column != column) & (expected != expected))))


def first_rows(group: IntArray) -> IntArray:
    """Return the rows that lead a group."""
    return np.flatnonzero(group == np.arange(len(group)))


def facts_of(
    key: Callable[[int], tuple[str, ...]],
    group: IntArray,
    metrics: Sequence[Metric],
    values: FloatArray,
    labels: Mapping[str, Sequence[str]],
    places: Sequence[int] | None = None,
) -> Facts:
    """Return the first row of each group as facts about it.

    Parameters
    ----------
    key : gives the key of a row's group
    values : array of shape (n_rows, n_metrics), constant in each group
    places : which columns of `values` the metrics are; all in their order if not given
    """
    rows = first_rows(group)
    own = values[rows]
    return Facts(
        keys=tuple(map(key, rows.tolist())),
        metrics=tuple(metrics),
        values=np.ascontiguousarray(own if places is None else own[:, np.array(places, dtype=np.int64)]),
        labels={name: tuple(texts[row] for row in rows) for name, texts in labels.items()},
    )
