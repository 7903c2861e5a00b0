"""Sums of every two columns beside the columns: of logarithms, products of metrics."""

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError, hold
from core.passes.base import Features, FittedPass, Pass

MOST = 100
"""Columns that may be paired; they become 5,050."""
_ROUNDED = 1e-12
"""Share of a column's largest size up to which two sums are the same: 2 · 8 and 4 · 4 by logarithms."""


class FittedPairs(FittedPass):
    """How many columns come in, and how many of these, from the first on, are paired: all where nothing is said."""

    width: int
    paired: int | None = None

    @property
    def matrix(self) -> FloatArray:
        """What columns are multiplied by, shape (width, width + paired · (paired - 1) / 2)."""
        one = np.eye(self.width)
        first, second = self._pairs
        return np.hstack([one, one[:, first] + one[:, second]])

    @property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        return np.triu_indices(self.width if self.paired is None else self.paired, 1)

    def made_of(self, column: int) -> tuple[int, ...]:
        """Return the one column, or the two, that a column that comes out is made of."""
        return tuple(np.flatnonzero(self.matrix[:, column]).tolist())

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the columns, and the sums of every two."""
        first, second = self._pairs
        return np.hstack([X, X[:, first] + X[:, second]])

    def features(self, before: Features) -> Features:
        """Return columns and sums, those sums made equal that differ by rounding alone, so that no tree tells them."""
        first, second = (own.tolist() for own in self._pairs)
        sums = [f"{before.names[i]} & {before.names[j]}" for i, j in zip(first, second, strict=True)]
        X = self.apply(before.X)
        for own in X.T[self.width :]:
            own[:] = _without_rounding(own)
        return Features((*before.names, *sums), X, before.metrics)

    def check(self, width: int) -> int:
        """Hold the number against the width."""
        paired = self.width if self.paired is None else self.paired
        hold(self.width == width and 0 <= paired <= width, f"Pairs are of {self.width} columns, but get {width}.")
        return width + paired * (paired - 1) // 2


class Pairs(Pass):
    """Sums of every two columns beside the columns, such as the threads of a block, x times y, where these are logs.

    Columns that passes before it put beside those of the metrics are not paired.
    """

    def fit(self, before: Features) -> FittedPairs:
        """Count the columns.

        Raises
        ------
        FitError
            If they are more than 100.
        """
        width = before.X.shape[1]
        if width > MOST:
            raise FitError(
                f"Products of every two of {width} metrics are too many columns. Choose at most {MOST} metrics."
            )
        beside = len(before.metrics) < width
        return FittedPairs(width, len(before.metrics) if before.metrics and beside else None)


def _without_rounding(values: FloatArray) -> FloatArray:
    """Return values, the least of those that follow each other within rounding in place of each."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    starts = np.r_[True, np.diff(sorted_values) > _ROUNDED * np.abs(values).max(initial=0.0)][: len(values)]
    found = np.empty_like(values)
    found[order] = sorted_values[starts][np.cumsum(starts) - 1]
    return found
