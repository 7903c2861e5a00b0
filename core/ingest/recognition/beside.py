"""Outcomes beside each other become rows below each other: repeats, or one row for each size of the problem."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby

import numpy as np

from core.codec import FloatArray
from core.ingest.base import SideBySide
from core.trial import Kind, Metric, Trials

_JOINT = " / "


def rows_of(trials: Trials, groups: Sequence[SideBySide]) -> Trials:
    """Return the trials with each row once for each column of the groups.

    Repeats get the label `repeat`, the first of one outcome with the first of another; sizes of the problem become the
    input, and a metric where they are numbers; what was set becomes a parameter, and machines the trials' own.
    """
    names = {m.name for m in trials.metrics}
    there = (group for group in groups if names.issuperset(group.columns))
    for _, alike in groupby(there, key=lambda group: (group.by, group.levels, len(group.columns))):
        trials = _unfolded(trials, [*alike])
    return trials


def _unfolded(trials: Trials, groups: Sequence[SideBySide]) -> Trials:
    """Return the same of groups with the same levels or as many repeats, which go together in a row."""
    group, names = groups[0], [m.name for m in trials.metrics]
    places = [[names.index(name) for name in own.columns] for own in groups]
    n, k = len(trials), len(group.columns)
    others = [i for i in range(len(names)) if i not in {*chain.from_iterable(places)}]
    texts = group.levels or tuple(str(i + 1) for i in range(k))
    sizes = _numbers(group.levels)
    values = [np.repeat(trials.values[:, others], k, axis=0)]
    values += [trials.values[:, own].reshape(n * k, 1) for own in places]
    metrics = [trials.metrics[i] for i in others]
    metrics += [replace(trials.metrics[own[0]], name=one.response) for own, one in zip(places, groups, strict=True)]
    if sizes is not None:
        values.append(np.tile(sizes, n)[:, None])
        metrics.append(Metric(group.by, Kind.PARAMETER if group.setting else Kind.DETERMINISTIC))
    labels = {name: _each(own, k) for name, own in trials.labels.items()}
    sized, machines = bool(group.levels) and not group.setting, group.setting == "machine"
    own_input = tuple(_JOINT.join(filter(None, pair)) for pair in zip(_each(trials.input, k), texts * n, strict=True))
    return replace(
        trials,
        application=_each(trials.application, k),
        input=own_input if sized else _each(trials.input, k),
        machine=texts * n if machines else _each(trials.machine, k),
        metrics=tuple(metrics),
        values=np.hstack(values),
        labels=labels if machines or sizes is not None else {**labels, group.by: texts * n},
        where=_each(trials.where, k),
    )


def _each(texts: Sequence[str], k: int) -> tuple[str, ...]:
    return tuple(chain.from_iterable((text,) * k for text in texts))


def _numbers(levels: Sequence[str]) -> FloatArray | None:
    """Return sizes as numbers; None if there are none, or one is a word."""
    try:
        return np.array([float(level) for level in levels]) if levels else None
    except ValueError:
        return None
