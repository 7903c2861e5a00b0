"""The best few entries together: added up by weights that are not negative, or their geometric mean."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import nnls

from core.codec import FloatArray
from core.race.result import Run

MOST_MEMBERS = 5
LEAST_WEIGHT = 1e-6
NEAR = 1.5
"""How many times the smallest inner error a member of a committee may have."""


def weights(y: FloatArray, runs: Sequence[Run]) -> Mapping[str, float]:
    """Return weights of the best few runs of different entries that learnt from the same trials.

    They minimise the relative squared error Σ (1 - Σ wᵢ pᵢ / y)² of the inner out-of-fold predictions p
    (the squared error where a response is not positive), over trials that every one of them predicts.

    References
    ----------
    Breiman 1996, Stacked regressions, section 3 (weights that are not negative).
    """
    best = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: r.inner_error)[:MOST_MEMBERS]
    if not best:
        return {}
    columns = np.column_stack([r.inner for r in best])
    rows = np.isfinite(columns).all(axis=1)
    if not rows.any():
        return {best[0].entry: 1.0}
    size = y[rows] if y.min() > 0 else np.full(int(rows.sum()), float(np.abs(y).max()) or 1.0)
    found, _ = nnls(columns[rows] / size[:, None], y[rows] / size)
    kept = {r.entry: float(w) for r, w in zip(best, found, strict=True) if w > LEAST_WEIGHT}
    return kept or {best[0].entry: 1.0}


def members(runs: Sequence[Run], kinds: Mapping[str, str]) -> tuple[str, ...]:
    """Return the committee: the best run of each kind, at most five, none much worse than the best of all.

    Parameters
    ----------
    kinds : by entry; entries of one kind are much alike
    """
    best = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: r.inner_error)
    first: dict[str, Run] = {}
    for run in best:
        first.setdefault(kinds.get(run.entry) or run.entry, run)
    near = [r for r in first.values() if r.inner_error <= NEAR * best[0].inner_error]
    return tuple(run.entry for run in near[:MOST_MEMBERS])


def middle(predictions: Mapping[str, FloatArray], names: Sequence[str]) -> FloatArray:
    """Return the geometric mean of those that are given, the plain mean where one of them is not positive."""
    columns = np.column_stack([predictions[name] for name in names])
    known = np.isfinite(columns)
    n = np.maximum(known.sum(axis=1), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(known, np.log(np.where(columns > 0, columns, 1.0)), 0.0).sum(axis=1) / n
        plain = np.where(known, columns, 0.0).sum(axis=1) / n
    found = np.where((columns > 0).sum(axis=1) == known.sum(axis=1), np.exp(logs), plain)
    return np.where(known.any(axis=1), found, np.nan)


def combined(predictions: Mapping[str, FloatArray], weights: Mapping[str, float]) -> FloatArray:
    """Return Σ weight · prediction; where a member refuses, the others speak for it in proportion."""
    columns = np.column_stack([predictions[name] for name in weights])
    w = np.array(list(weights.values()))
    known = np.isfinite(columns)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(known, columns, 0.0) @ w * (w.sum() / (known @ w))
    return np.where(known.any(axis=1), found, np.nan)
