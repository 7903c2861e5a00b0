"""Repeats of a configuration made one row: the mean of the inliers, the median, or the smallest."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.curate.base import BoolArray, some
from core.errors import OptionError
from core.grouped import Groups, group
from core.trial import ROLES, Frame

AGGREGATES = ("each", "mean", "median", "minimum")
_TUNERS = {"kernel_tuner", "kernel_tuner_t4"}
"""Formats whose programs repeat a run in order to average it."""
LEAST_REPEATS = 5
"""Of fewer repeats none is left out of a mean, as in the MAD test."""


def usual_repeats(formats: Iterable[str]) -> str:
    """Return how repeats count where nobody says, by the formats of a dataset's files: tuners' are averaged."""
    found = set(formats)
    return "mean" if found and found <= _TUNERS else "each"


@dataclass(frozen=True)
class _Sorted:
    """A frame whose rows are sorted by configuration, then by contents, as `make_frame` sorts them.

    Attributes
    ----------
    groups : the response, in configurations
    inside : array of shape (n_trials,), whether a trial takes part in the aggregate
    """

    frame: Frame
    groups: Groups
    inside: BoolArray


def aggregate(frame: Frame, how: str, threshold: float = 7.0) -> Frame:
    """Return one row per configuration; response and metrics come from the same trials.

    Parameters
    ----------
    how : `each` leaves the frame as it is; `mean` is the mean of the inliers, which are within
        `threshold` MAD of the median (HALWPE, section 5); `median` is that of the response and of
        each metric; `minimum` is the trial with the smallest response
    threshold : of `mean`, in MAD with R's constant; configurations of fewer than 5 repeats, or with
        a MAD of 0, lose none

    Returns
    -------
    Frame
        With `n_repeats` and `spread`; ids are those of the first trial in canonical order, for
        `minimum` that of the trial taken. Labels that differ among the trials become "".

    Raises
    ------
    OptionError
        If there is no such way to aggregate.
    """
    if how not in AGGREGATES:
        raise OptionError(f"Repeats are taken as one of {', '.join(AGGREGATES)}; got '{how}'.")
    if how == "each" or not len(frame):
        return frame
    whole = _sorted(frame, how, threshold)
    first = whole.groups.first
    if how == "minimum":
        made = whole.frame.take(_smallest(whole.groups))
    else:
        middle = _mean if how == "mean" else _median
        X = np.column_stack([middle(whole, x) for x in whole.frame.X.T]) if frame.metrics else frame.X[: len(first)]
        labels = {
            k: _agreed(v, whole.groups) if k not in ROLES else tuple(v[i] for i in first)
            for k, v in whole.frame.labels.items()
        }
        made = replace(whole.frame.take(first), y=middle(whole, whole.frame.y), X=X, labels=labels)
    return replace(
        made, n_repeats=whole.groups.size, spread=_spread(whole.groups), notes=(*frame.notes, _note(whole, how))
    )


def _sorted(frame: Frame, how: str, threshold: float) -> _Sorted:
    ordered = frame.take(_canonical(frame))
    groups = group(ordered.y, ordered.configuration)
    inside = np.ones(len(ordered), dtype=np.bool_)
    if how == "mean":
        width = groups.mad()[groups.of]
        judged = (groups.size[groups.of] >= LEAST_REPEATS) & (width > 0)
        inside = ~judged | (groups.distance() <= threshold * width)
    return _Sorted(ordered, groups, inside)


def _canonical(frame: Frame) -> IntArray:
    """Return the order that `make_frame` gives rows, with alike rows by their ids."""
    labels = [np.array(frame.labels[name]) for name in sorted(frame.labels) if name not in ROLES]
    keys = (np.array(frame.ids), frame.y, *frame.X.T[::-1], *labels, frame.configuration)
    return np.lexsort(keys).astype(np.int64)


def _smallest(groups: Groups) -> IntArray:
    """Return the first place of each group's smallest value."""
    least = np.minimum.reduceat(groups.values, groups.first)
    places = np.flatnonzero(groups.values == least[groups.of])
    return places[np.unique(groups.of[places], return_index=True)[1]]


def _median(whole: _Sorted, values: FloatArray) -> FloatArray:
    return whole.groups.with_values(values).median()


def _mean(whole: _Sorted, values: FloatArray) -> FloatArray:
    """Return means of the inliers: of distances from the smallest, so that equal values keep their mean exactly."""
    base = np.minimum.reduceat(values, whole.groups.first)
    above = np.where(whole.inside, values - base[whole.groups.of], 0.0)
    n = np.add.reduceat(whole.inside.astype(np.float64), whole.groups.first)
    mean: FloatArray = base + np.add.reduceat(above, whole.groups.first) / n
    return mean


def _spread(groups: Groups) -> FloatArray:
    middle = np.abs(groups.median())
    there = (groups.size > 1) & (middle > 0)
    relative: FloatArray = np.divide(groups.mad(), middle, out=np.full(len(middle), np.nan), where=there)
    return relative


def _agreed(texts: tuple[str, ...], groups: Groups) -> tuple[str, ...]:
    """Return the text of each group where all its trials have the same one, else ""."""
    _, codes = np.unique(np.array(texts), return_inverse=True)
    same = np.minimum.reduceat(codes, groups.first) == np.maximum.reduceat(codes, groups.first)
    return tuple(texts[i] if one else "" for i, one in zip(groups.first.tolist(), same.tolist(), strict=True))


def _note(whole: _Sorted, how: str) -> str:
    n, rows, out = len(whole.frame), len(whole.groups.size), int((~whole.inside).sum())
    what = {"mean": "the mean of its inliers", "median": "the median of its repeats", "minimum": "its smallest repeat"}
    left = f" ({some(out, 'outlier')} left out of the means)" if out else ""
    return f"{some(n, 'trial')} make {some(rows, 'row')}: each configuration is {what[how]}{left}"
