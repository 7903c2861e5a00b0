"""The best few entries added up, by weights that are not negative."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import nnls

from core.blend import SUM, Mixture
from core.codec import FloatArray
from core.race.result import Run

MOST_MEMBERS = 5
LEAST_WEIGHT = 1e-6


def stacked(y: FloatArray, runs: Sequence[Run]) -> Mixture:
    """Return the weighted sum of the best few runs of different entries that learnt from the same trials.

    The weights minimise the relative squared error Σ (1 - Σ wᵢ pᵢ / y)² of the inner out-of-fold predictions p
    (the squared error where a response is not positive), over trials that every one of them predicts.

    References
    ----------
    Breiman 1996, Stacked regressions, section 3 (weights that are not negative).
    """
    best = sorted((r for r in runs if np.isfinite(r.inner_error)), key=lambda r: r.inner_error)[:MOST_MEMBERS]
    columns = np.column_stack([r.inner for r in best])
    rows = np.isfinite(columns).all(axis=1)
    log = bool(y.min() > 0)
    if not rows.any():
        return Mixture({best[0].entry: 1.0}, SUM, log)
    size = y[rows] if log else np.full(int(rows.sum()), float(np.abs(y).max()) or 1.0)
    found, _ = nnls(columns[rows] / size[:, None], y[rows] / size)
    kept = {r.entry: float(w) for r, w in zip(best, found, strict=True) if w > LEAST_WEIGHT}
    return Mixture(kept or {best[0].entry: 1.0}, SUM, log)
