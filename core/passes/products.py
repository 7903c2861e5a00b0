"""More columns: sums of every two, which are products of metrics in logarithms; and what makes whole numbers round."""

from collections.abc import Sequence
from itertools import combinations

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


MOST_FILLED = 4096
"""Whole numbers up to here are sizes that somebody chose; larger ones are mostly counts."""
HALVINGS = 12
"""Of an odd part: 4096 is 2^12."""
MULTIPLES = (32, 64)
"""Threads that run in step, on GPUs of both kinds."""


def whole_columns(X: FloatArray) -> tuple[int, ...]:
    """Return which columns vary and hold whole numbers alone, from 1 to 4096."""
    whole = (X >= 1) & (X <= MOST_FILLED) & (np.floor(X) == X)
    return tuple(np.flatnonzero(whole.all(axis=0) & (X != X[:1]).any(axis=0)).tolist())


def odd_part(x: FloatArray) -> FloatArray:
    """Return numbers, divided by 2 as often as a whole number comes out, 12 times at most."""
    found = np.array(x, dtype=np.float64)
    for k in range(1, HALVINGS + 1):
        half = x / 2**k
        found[np.floor(half) == half] *= 0.5
    return found


class FittedWhole(FittedPass):
    """Which products of columns have a column of their own.

    Attributes
    ----------
    odd : columns whose odd parts are multiplied
    filled : (one column, another, multiple): the product, filled up to the next multiple, over itself
    """

    width: int
    odd: tuple[tuple[int, ...], ...]
    filled: tuple[tuple[int, int, int], ...]

    def apply(self, X: FloatArray) -> FloatArray:
        """Return the columns, products of odd parts, and how far others are from a multiple."""
        parts = {j: odd_part(X[:, j]) for j in dict.fromkeys(j for own in self.odd for j in own)}
        odd = [np.prod([parts[j] for j in own], axis=0) for own in self.odd]
        with np.errstate(divide="ignore", invalid="ignore"):  # such rows have no logarithm, which is said
            filled = [np.ceil(p / m) * m / p for p, m in ((X[:, i] * X[:, j], m) for i, j, m in self.filled)]
        return np.column_stack([X, *odd, *filled])

    def made_of(self, column: int) -> tuple[int, ...]:
        """Return the columns that a column that comes out is made of."""
        return (*((j,) for j in range(self.width)), *self.odd, *((i, j) for i, j, _ in self.filled))[column]

    def features(self, before: Features) -> Features:
        """Return the columns and what was made of them."""

        def product(own: Sequence[int]) -> str:
            return " · ".join(before.names[j] for j in own)

        odd = [f"odd part of {product(own)}" for own in self.odd]
        filled = [f"{product((i, j))} filled up to {m}" for i, j, m in self.filled]
        return Features((*before.names, *odd, *filled), self.apply(before.X), before.metrics)

    def check(self, width: int) -> int:
        """Hold columns and multiples against the width."""
        columns = [j for own in (*self.odd, *(one[:2] for one in self.filled)) for j in own]
        fits = self.width == width and all(0 <= j < width for j in columns) and all(self.odd)
        fits = fits and all(m >= 1 for *_, m in self.filled)
        hold(fits, f"Whole numbers are of {self.width} columns, but get {width}, or others than these.")
        return width + len(self.odd) + len(self.filled)


class Whole(Pass):
    """Beside the columns, what makes whole numbers round, where it varies.

    A size with an odd part above 1 divides no power of two, so that a kernel needs a test at its edge; a block whose
    threads are no multiple of 32 or 64 leaves some of those idle that run in step.
    """

    def fit(self, before: Features) -> FittedWhole:
        """Find the columns of small whole numbers; take their odd parts, those of pairs, and that of all."""
        X, own = before.X, whole_columns(before.X)
        uneven = [j for j in own if _varies(odd_part(X[:, j]))]
        every = [tuple(uneven)] if len(uneven) > 2 else []
        odd = (*((j,) for j in uneven), *combinations(uneven, 2), *every)
        tried = FittedWhole(X.shape[1], (), tuple((i, j, m) for i, j in combinations(own, 2) for m in MULTIPLES))
        made = tried.apply(X)[:, X.shape[1] :]
        kept = [t for t, c in zip(tried.filled, made.T, strict=True) if _varies(c) and _exceeds(X, *t)]
        return FittedWhole(X.shape[1], odd, tuple(kept))


def _varies(values: FloatArray) -> bool:
    return bool((values != values[0]).any())


def _exceeds(X: FloatArray, i: int, j: int, m: int) -> bool:
    """Whether a product is above a multiple somewhere; else what it lacks says no more than itself."""
    return bool((X[:, i] * X[:, j]).max() > m)
