"""Metrics with blanks, or numbers in place of a failed run's: trials or metrics are left out, whichever keeps more."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.grouped import all_but
from core.texts import coded
from core.trial import TIMES

GAPS = ("most", "metrics", "trials")
"""What is left out where a metric of the default choice misses values: what keeps most, the metric, or the trials."""

_MOST_TRIALS = 0.1
"""Of the trials, how many are left out at most so that metrics stay."""
_LISTED = 12


def kept(X: FloatArray, gaps: str, apart: Sequence[Sequence[str]]) -> tuple[IntArray, IntArray]:
    """Return the rows and columns without a gap.

    By `most` the columns with most gaps go, as many as keeps most values: rows times columns is largest, no
    more than a tenth of the rows goes, and no application or machine is lost; where each column has a gap, however
    many go. By `trials` only those without any value go.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    apart : texts per trial, none of which may vanish
    """
    n, missing = len(X), np.array([int(np.isnan(column).sum()) for column in X.T], dtype=np.int64)
    order = np.argsort(-missing, kind="stable")[: int((missing > 0).sum())]
    if gaps == "metrics" or not len(order):
        return np.arange(n), np.flatnonzero(missing == 0)
    if gaps == "trials":
        stay = np.flatnonzero(missing < n)
        return np.flatnonzero(~np.isnan(X[:, stay]).any(axis=1)), stay
    sizes = sorted((-(n - lost) * (X.shape[1] - k), -k, lost) for k, lost in _lost(X, order))
    whole = bool((missing == 0).any())
    for _, k, lost in sizes:
        rows = np.flatnonzero(~np.isnan(X[:, order[-k:]]).any(axis=1))
        told = (len(np.unique(own.codes[rows])) == len(own.texts) for own in map(coded, apart))
        if not whole or (lost <= _MOST_TRIALS * n and all(told)):
            return rows, all_but(X.shape[1], order[:-k])
    return np.arange(n), np.flatnonzero(missing == 0)


def where_not_set(X: FloatArray, columns: Sequence[int], texts: Sequence[str]) -> dict[int, list[str]]:
    """Return the columns that miss all values with some texts and none with the others, and these texts.

    A zero is as good as no value beside several others that are all above it: 0 threads on a GPU.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    columns : those that are looked at
    texts : per trial
    """
    if not columns:
        return {}
    own = np.array(texts, dtype=object)
    unset = {j: is_unset(X[:, j]) for j in columns}
    missing = {j: sorted({*own[out]}) for j, out in unset.items() if out.any()}
    found = {j: names for j, names in missing.items() if unset[j][np.isin(own, names)].all()}
    return {j: names for j, names in found.items() if len(names) < len(set(texts))}


def is_unset(values: FloatArray) -> BoolArray:
    """Return which values are none, or a zero beside several others that are all above it."""
    gaps, others = np.isnan(values), np.unique(values[values != 0])
    several = (np.isfinite(others).sum() > 1) and not (others < 0).any()
    return gaps | (values == 0) if several else gaps


def named(names: Sequence[str]) -> str:
    """Return names for a note, the first few of many."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _lost(X: FloatArray, order: IntArray) -> Iterator[tuple[int, int]]:
    """Yield (columns left out, rows lost): without the first k columns of an order, how many rows have a gap."""
    incomplete = np.zeros(len(X), dtype=np.bool_)
    yield len(order), 0
    for k in range(len(order) - 1, -1, -1):
        incomplete |= np.isnan(X[:, order[k]])
        yield k, int(incomplete.sum())


_LEAST, _MOST = 8, 0.5
"""Results that show what a result is, and the share of marks among all up to which they are none of them."""
_AGAIN, _BEYOND = 3, 100
"""How often a mark comes that may be a result, and by which factor it is above all of these."""
_FINE, _ABOVE, _FEW = 10, 0.5, 0.25
"""Where 0 is a mark, how many of a clock's steps all times last, at least, which share of their median, and in which
share of all trials 0 is at most: times that come near 0 may be 0."""
_SIGNED = ("", "%", "°C")
"""Units of what may be below 0: shares and changes, temperatures, and what nobody knows."""
_WRITTEN = re.compile(r"10*|9+")
_LIMITS = (2.0**31 - 1, 2.0**32 - 1, 2.0**63, 2.0**64, float(np.finfo(np.float32).max), float(np.finfo(np.float64).max))


def marks_of_failure(y: FloatArray, unit: str) -> BoolArray:
    """Return which values stand for runs that failed, all of them one number; none if no number surely does.

    It is -1 where all else is above 0 and has a unit, 0 where a clock would have told smaller times than all others
    are, or a power of ten, nines or the largest number of a type, again and again, far beyond all others, which differ.

    Parameters
    ----------
    unit : of the values; times are above 0, and so is what is counted or measured in most other units
    """
    known = y[~np.isnan(y)]
    none: BoolArray = np.zeros(len(y), dtype=np.bool_)
    if not len(known):
        return none
    for mark in (float(known.min()), float(known.max())):
        others = known[known != mark]
        n = len(known) - len(others)
        if len(others) < _LEAST or n > _MOST * len(known) or others.min() <= 0:
            continue
        instant = mark == 0 and unit in TIMES and _AGAIN <= n <= _FEW * len(known) and _far_from_zero(others)
        if (
            (mark == -1 and unit not in _SIGNED)
            or instant
            or (n >= _AGAIN and mark >= _BEYOND * others.max() and _written(mark) and _differ(others))
        ):
            found: BoolArray = y == mark
            return found
    return none


def _far_from_zero(values: FloatArray) -> bool:
    """Whether times are none near 0, and told in steps that are small beside all of them."""
    least, steps = float(values.min()), np.diff(np.unique(values))
    return _differ(values) and bool(least >= _ABOVE * np.median(values) and least >= _FINE * steps.min())


def _differ(values: FloatArray) -> bool:
    return 2 * len(np.unique(values)) > len(values)


def _written(mark: float) -> bool:
    """Whether somebody wrote a number and no clock did."""
    return mark in _LIMITS or _WRITTEN.fullmatch(f"{mark:.0f}") is not None
