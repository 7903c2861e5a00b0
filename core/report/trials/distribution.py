"""How one metric is distributed over trials: counts in bins, on a log axis where it spans decades."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.trial import Metric

MOST_BINS = 60


@dataclass(frozen=True)
class Distribution:
    """Counts of trials in bins.

    Attributes
    ----------
    metric : what was measured, with its unit
    edges : array of shape (n_bins + 1,), in the metric's unit
    counts : array of shape (n_bins,)
    log : whether the bins are equally wide in the logarithm
    low, median, high : of all trials; NaN if there are none
    n_missing : trials without a value
    """

    metric: Metric
    edges: FloatArray
    counts: IntArray
    log: bool
    low: float
    median: float
    high: float
    n_missing: int

    @property
    def n(self) -> int:
        """How many trials have a value."""
        return int(self.counts.sum())


def distribution(values: FloatArray, metric: Metric, log: bool | None = None) -> Distribution:
    """Count values of shape (n_trials,) in about 2·n^(1/3) bins (Rice's rule), at most 60.

    Positive values that span more than a decade are binned by their logarithm; `log` asks for
    it, or for equally wide bins, whatever they span. Values at or below 0 have no logarithm.
    """
    known = values[np.isfinite(values)]
    missing = len(values) - len(known)
    if not len(known):
        nan = float("nan")
        return Distribution(metric, np.array([0.0, 1.0]), np.zeros(1, dtype=np.int64), False, nan, nan, nan, missing)
    low, high = float(known.min()), float(known.max())
    by_log = low > 0 and (high / low > 10 if log is None else log)
    edges = _edges(low, high, min(MOST_BINS, int(np.ceil(2 * len(known) ** (1 / 3)))), by_log)
    counts = np.histogram(known, bins=edges)[0].astype(np.int64)
    return Distribution(metric, edges, counts, by_log, low, float(np.median(known)), high, missing)


def _edges(low: float, high: float, bins: int, log: bool) -> FloatArray:
    if low == high:
        room = abs(low) / 2 or 0.5
        return np.array([low - room, low + room])
    edges = np.geomspace(low, high, bins + 1) if log else np.linspace(low, high, bins + 1)
    edges[0], edges[-1] = low, high
    return edges if (np.diff(edges) > 0).all() else np.array([low, high])
