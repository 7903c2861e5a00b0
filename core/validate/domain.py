"""The trained domain: inside or outside, by which metric, and how far."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray


@dataclass(frozen=True)
class Domain:
    """Smallest and largest value of each metric among the training trials.

    Attributes
    ----------
    low, high : arrays of shape (n_metrics,), in each metric's unit
    """

    low: FloatArray
    high: FloatArray

    def outside(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return, per row that leaves the trained range, which metrics do and how far.

        Parameters
        ----------
        X : array of shape (n, n_metrics)
        """
        room = 1e-9 * (self.high - self.low)
        out = (X < self.low - room) | (X > self.high + room)
        return {int(i): self._sentence(X[i], out[i], names) for i in np.flatnonzero(out.any(axis=1))}

    def _sentence(self, row: FloatArray, out: FloatArray, names: Sequence[str]) -> str:
        columns = np.flatnonzero(out)
        span = np.where(self.high > self.low, self.high - self.low, 1.0)
        how_far = np.maximum(self.low - row, row - self.high) / span
        worst = columns[np.argsort(-how_far[columns], kind="stable")][:2]
        parts = [
            f"{names[c]} = {row[c]:.6g} is outside the trained {self.low[c]:.6g} to {self.high[c]:.6g}" for c in worst
        ]
        more = len(columns) - len(worst)
        return "; ".join(parts) + (f"; and {more} more" if more else "")


def learn_domain(X: FloatArray) -> Domain:
    """Return the domain of training rows of shape (n_trials, n_metrics)."""
    columns = np.ascontiguousarray(X.T)  # several times faster than along the rows
    return Domain(columns.min(axis=1), columns.max(axis=1))
