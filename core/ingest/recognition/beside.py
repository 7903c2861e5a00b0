"""Outcomes beside each other become rows below each other: repeats, or one row for each size of the problem."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from core.codec import FloatArray
from core.ingest.base import SideBySide
from core.trial import Kind, Metric, Trials

_JOINT = " / "


def rows_of(trials: Trials, groups: Sequence[SideBySide]) -> Trials:
    """Return the trials with each row once for each column of the groups.

    Repeats get the label `repeat`; sizes of the problem become the input, and a metric where they are numbers; what was
    set becomes a parameter.
    """
    for group in groups:
        names = [m.name for m in trials.metrics]
        if all(name in names for name in group.columns):
            trials = _unfolded(trials, group, [names.index(name) for name in group.columns])
    return trials


def _unfolded(trials: Trials, group: SideBySide, places: Sequence[int]) -> Trials:
    n, k = len(trials), len(places)
    others = [i for i in range(len(trials.metrics)) if i not in places]
    texts = group.levels or tuple(str(i + 1) for i in range(k))
    sizes = _numbers(group.levels)
    values = [np.repeat(trials.values[:, others], k, axis=0), trials.values[:, places].reshape(n * k, 1)]
    metrics = [*(trials.metrics[i] for i in others), replace(trials.metrics[places[0]], name=group.response)]
    if sizes is not None:
        values.append(np.tile(sizes, n)[:, None])
        metrics.append(Metric(group.by, Kind.PARAMETER if group.setting else Kind.DETERMINISTIC))
    labels = {name: _each(own, k) for name, own in trials.labels.items()}
    sized = bool(group.levels) and not group.setting
    own_input = tuple(_JOINT.join(filter(None, pair)) for pair in zip(_each(trials.input, k), texts * n, strict=True))
    return replace(
        trials,
        application=_each(trials.application, k),
        input=own_input if sized else _each(trials.input, k),
        machine=_each(trials.machine, k),
        metrics=tuple(metrics),
        values=np.hstack(values),
        labels=labels if sizes is not None else {**labels, group.by: texts * n},
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
