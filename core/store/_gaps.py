"""Metrics with blanks: the few trials that miss them are left out, or the metrics are, whichever keeps more."""

from collections.abc import Iterator, Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.grouped import all_but
from core.texts import coded

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
