"""Repeats of configurations: their spread, and one row in place of several."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import OptionError, count
from core.grouped import Groups, group
from core.registry import nearest
from core.trial import ROLES, Frame, Kind, Metric

AGGREGATES = ("each", "mean", "median", "minimum")
_TUNERS = {"kernel_tuner", "kernel_tuner_t4"}
"""Formats whose programs repeat a run in order to average it."""
LEAST_REPEATS = 5
"""Of fewer repeats none is left out of a mean, as in the MAD test."""


def usual_repeats(formats: Iterable[str]) -> str:
    """Return how repeats count where nobody says, by the formats of a dataset's files: tuners' are averaged."""
    found = set(formats)
    return "mean" if found and found <= _TUNERS else "each"


class _Sorted(Frozen):
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
    places = np.flatnonzero(groups.values == np.minimum.reduceat(groups.values, groups.first)[groups.of])
    return places[np.unique(groups.of[places], return_index=True)[1]]


def _median(whole: _Sorted, values: FloatArray) -> FloatArray:
    """Return the median of each configuration; NaN, as of a mean, where a repeat has no value."""
    gaps = np.logical_or.reduceat(np.isnan(values), whole.groups.first)
    return np.where(gaps, np.nan, whole.groups.with_values(values).median())


def _mean(whole: _Sorted, values: FloatArray) -> FloatArray:
    """Return means of the inliers: of distances from the smallest, so that equal values keep their mean exactly."""
    base = np.minimum.reduceat(values, whole.groups.first)
    above = np.where(whole.inside, values - base[whole.groups.of], 0.0)
    n = np.add.reduceat(whole.inside.astype(np.float64), whole.groups.first)
    return base + np.add.reduceat(above, whole.groups.first) / n


def _spread(groups: Groups) -> FloatArray:
    middle = np.abs(groups.median())
    there = (groups.size > 1) & (middle > 0)
    return np.asarray(np.divide(groups.mad(), middle, out=np.full(len(middle), np.nan), where=there))


def _agreed(texts: tuple[str, ...], groups: Groups) -> tuple[str, ...]:
    """Return the text of each group where all its trials have the same one, else ""."""
    _, codes = np.unique(np.array(texts), return_inverse=True)
    same = np.minimum.reduceat(codes, groups.first) == np.maximum.reduceat(codes, groups.first)
    return tuple(texts[i] if one else "" for i, one in zip(groups.first.tolist(), same.tolist(), strict=True))


def _note(whole: _Sorted, how: str) -> str:
    n, rows, out = len(whole.frame), len(whole.groups.size), int((~whole.inside).sum())
    what = {"mean": "the mean of its inliers", "median": "the median of its repeats", "minimum": "its smallest repeat"}
    left = f" ({count(out, 'outlier')} left out of the means)" if out else ""
    return f"{count(n, 'trial')} make {count(rows, 'row')}: each configuration is {what[how]}{left}"


def choose_response(metrics: Sequence[Metric], wanted: str, dataset: str) -> str:
    """Return the response asked for, or the only one there is.

    Raises
    ------
    OptionError
        If there is no such metric; or none was asked for, and there is not just one response.
    """
    names = [m.name for m in metrics]
    responses = [m.name for m in metrics if m.kind == Kind.RESPONSE]
    if wanted in names:
        return wanted
    if wanted:
        raise OptionError(
            f"There is no metric '{wanted}' in dataset '{dataset}'; responses: {', '.join(responses) or 'none'}."
            f"{nearest(wanted, responses)}"
        )
    if len(responses) == 1:
        return responses[0]
    if responses:
        raise OptionError(
            f"Dataset '{dataset}' has {len(responses)} responses: {', '.join(responses)}. Name one with --response."
        )
    raise OptionError(f"Dataset '{dataset}' has no response. Name the metric to judge by with --response.")


class Spread(Frozen):
    """Run-to-run spread over configurations: standard deviation / |mean| of the repeats, in percent.

    It is not robust on purpose: what outliers do to a mean, it shows.

    Attributes
    ----------
    median, p90 : over configurations with repeats; None where there are none
    n_configurations : configurations with two counted trials or more, and a mean other than 0
    """

    median: float | None
    p90: float | None
    n_configurations: int


def run_to_run(y: FloatArray, configuration: IntArray, counted: BoolArray) -> Spread:
    """Return the spread of the response over the trials that count.

    Parameters
    ----------
    y : array of shape (n_trials,), NaN where missing
    configuration : array of shape (n_trials,)
    counted : array of shape (n_trials,)
    """
    found = 100 * variation(y, configuration, counted)[1]
    if not len(found):
        return Spread(None, None, 0)
    return Spread(float(np.median(found)), float(np.quantile(found, 0.9)), len(found))


def variation(y: FloatArray, configuration: IntArray, counted: BoolArray) -> tuple[IntArray, FloatArray]:
    """Return configurations that have repeats, ascending, and standard deviation / |mean| of each."""
    rows = np.flatnonzero(counted & np.isfinite(y))
    if not len(rows):
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    groups = group(y[rows], configuration[rows])
    mean = np.add.reduceat(groups.ascending, groups.first) / groups.size
    squares = np.add.reduceat((groups.ascending - np.repeat(mean, groups.size)) ** 2, groups.first)
    known = (groups.size > 1) & (mean != 0)
    sd = np.sqrt(squares[known] / (groups.size[known] - 1))
    return np.unique(configuration[rows])[known].astype(np.int64), sd / np.abs(mean[known])
