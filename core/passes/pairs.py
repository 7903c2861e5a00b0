"""Sums of every two columns beside the columns: of logarithms, products of metrics."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import FitError, ModelFileError
from core.passes.base import Features, FittedPass, Pass
from core.progress import Progress, silent

MOST = 100
"""Columns that may be paired; they become 5,050."""
_ROUNDED = 1e-12
"""Share of a column's largest size up to which two sums are the same: 2 · 8 and 4 · 4 by logarithms."""


@dataclass(frozen=True)
class FittedPairs(FittedPass):
    """How many columns come in."""

    width: int

    @property
    def matrix(self) -> FloatArray:
        """What columns are multiplied by, shape (width, width · (width + 1) / 2)."""
        one = np.eye(self.width)
        first, second = np.triu_indices(self.width, 1)
        return np.hstack([one, one[:, first] + one[:, second]])

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the columns, and the sums of every two."""
        first, second = np.triu_indices(self.width, 1)
        return np.hstack([X, X[:, first] + X[:, second]])

    def features(self, before: Features) -> Features:
        """Return columns and sums, those sums made equal that differ by rounding alone, so that no tree tells them."""
        first, second = (own.tolist() for own in np.triu_indices(self.width, 1))
        sums = [f"{before.names[i]} & {before.names[j]}" for i, j in zip(first, second, strict=True)]
        X = self.apply(before.X)
        for own in X.T[self.width :]:
            own[:] = _without_rounding(own)
        return Features((*before.names, *sums), X, before.metrics)

    def check(self, width: int) -> int:
        """Hold the number against the width."""
        if self.width != width:
            raise ModelFileError(f"Pairs are of {self.width} columns, but get {width}.")
        return width * (width + 1) // 2


@dataclass(frozen=True)
class Pairs(Pass):
    """Sums of every two columns beside the columns, such as the threads of a block, x times y, where these are logs."""

    label: ClassVar[str] = "Products of pairs"

    def fit(self, before: Features, progress: Progress = silent) -> FittedPairs:
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
        return FittedPairs(width)


def _without_rounding(values: FloatArray) -> FloatArray:
    """Return values, the least of those that follow each other within rounding in place of each."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    starts = np.r_[True, np.diff(sorted_values) > _ROUNDED * np.abs(values).max(initial=0.0)][: len(values)]
    found = np.empty_like(values)
    found[order] = sorted_values[starts][np.cumsum(starts) - 1]
    return found
