"""How each training metric was spread, as deciles with the shares below them: what new trials are held against."""

from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray

LEVELS = np.arange(11) / 10


@dataclass(frozen=True)
class Marginals:
    """Deciles of the training metrics.

    Attributes
    ----------
    edges : array of shape (n_metrics, 11), from the smallest to the largest value
    shares : array of shape (n_metrics, 11), the share of training trials at or below each edge
    n_trials : behind them; 0 where they were not learnt
    """

    edges: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    shares: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    n_trials: int = 0


def learn_marginals(X: FloatArray) -> Marginals:
    """Return the deciles of training rows of shape (n_trials, n_metrics)."""
    edges = np.quantile(X, LEVELS, axis=0, method="inverted_cdf").T
    shares = np.stack([share_below(x, e) for x, e in zip(X.T, edges, strict=True)])
    return Marginals(np.ascontiguousarray(edges), shares, len(X))


def share_below(x: FloatArray, edges: FloatArray) -> FloatArray:
    """Return the share of values that are at or below each edge."""
    return np.searchsorted(np.sort(x), edges, side="right") / len(x)
