"""Candidates as a selection wants them: in which order, in which rows, centred and measured, written out or not."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Self

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray

BLOCK = 1 << 19
"""Numbers that are centred at a time, so that they stay in the cache between the passes."""
CACHED, MOST, EACH = 1 << 22, 24, 16
"""Numbers beyond which candidates are read from memory in each pass; vectors that are then taken at once, and
candidates for each of them: a vector costs the more of a pass, the fewer there are."""
SMALLEST = 1e-290
"""Length under which a column is nothing but zeros and rounding."""


class Candidates(Frozen, ABC):
    """What a selection asks of its candidates.

    Attributes
    ----------
    means, norms : arrays of shape (n_candidates,): candidate = mean + z, z of length norm
    peaks : array of shape (n_candidates,), the largest |z|, or more where that is less than norm / √2
    """

    means: FloatArray
    norms: FloatArray
    peaks: FloatArray

    @property
    @abstractmethod
    def n_trials(self) -> int:
        """How long a candidate is."""

    @property
    @abstractmethod
    def loss(self) -> FloatArray | float:
        """How many times the rounding of a product of z itself `times` has, per candidate or for all."""

    @property
    @abstractmethod
    def together(self) -> int:
        """How many vectors `times` takes at once, for hardly more than the time of one."""

    @abstractmethod
    def times(self, v: FloatArray) -> FloatArray:
        """Return z · v of every candidate, array of shape (n_candidates,); of `together` vectors, one row for each."""

    @abstractmethod
    def some(self, numbers: Sequence[int]) -> FloatArray:
        """Return z of some candidates, array of shape (len(numbers), n_trials), of its own."""

    def row(self, j: int) -> FloatArray:
        """Return z of one candidate, array of shape (n_trials,), of its own."""
        return np.asarray(self.some([j])[0])

    @abstractmethod
    def only(self, usable: BoolArray) -> Self:
        """Return the candidates with products of 0 where they are not usable."""

    @property
    def varies(self) -> BoolArray:
        """Which candidates are not constant beyond rounding."""
        size = np.sqrt(self.n_trials) * np.abs(self.means)
        return np.asarray(self.bounded & (self.norms > 1e-12 * size) & (self.norms > SMALLEST))

    @property
    def bounded(self) -> BoolArray:
        """Which candidates are finite, and far enough from infinity to be added up."""
        return self.norms < 1 / SMALLEST

    def leverage(self) -> FloatArray:
        """Return per candidate the largest share of its squared length that one trial has."""
        with np.errstate(all="ignore"):
            return np.asarray((self.peaks / self.norms) ** 2)


class Columns(Candidates):
    """Candidates written out, one per row.

    Attributes
    ----------
    Z : array of shape (n_candidates, n_trials)
    """

    Z: FloatArray

    @property
    def n_trials(self) -> int:
        """How long a candidate is."""
        return int(self.Z.shape[1])

    loss = 1.0
    """None."""

    @property
    def together(self) -> int:
        """Several where the candidates are read from memory."""
        return together(self.Z.size, len(self.Z))

    def times(self, v: FloatArray) -> FloatArray:
        """Return z · v of every candidate: one pass over them."""
        return np.asarray((self.Z @ v.T).T)

    def some(self, numbers: Sequence[int]) -> FloatArray:
        """Return z of some candidates."""
        return np.asarray(self.Z[list(numbers)])

    def only(self, usable: BoolArray) -> Self:
        """Return the candidates themselves, with zeros written over those that are not usable."""
        self.Z[~usable] = 0.0
        return self


def together(size: int, width: int) -> int:
    """Return how many vectors are multiplied at once by so many numbers, of so many columns."""
    return max(min(MOST, width // EACH), 1) if size > CACHED else 1


def columns(candidates: FloatArray, *, intercept: bool = True) -> Columns:
    """Centre candidates in place (where there is an intercept) and measure them.

    Parameters
    ----------
    candidates : array of shape (n_candidates, n_trials), used up; may hold numbers that are not
        finite
    """
    n_candidates, n = candidates.shape
    means, norms, peaks = np.zeros(n_candidates), np.empty(n_candidates), np.empty(n_candidates)
    average = np.full(n, 1 / n)
    rows = max(1, BLOCK // n)
    with np.errstate(all="ignore"):
        for start in range(0, n_candidates, rows):
            part = slice(start, start + rows)
            Z = candidates[part]
            if intercept:
                means[part] = Z @ average
                Z -= means[part, None]
            norms[part] = np.sqrt(np.vecdot(Z, Z))
            peaks[part] = np.maximum(Z.max(axis=1), -Z.min(axis=1))
        odd = np.flatnonzero(((norms > 1e140) | (norms < 1e-140)) & (peaks > 0))
        scaled = candidates[odd] / peaks[odd, None]
        norms[odd] = peaks[odd] * np.sqrt(np.vecdot(scaled, scaled))  # squares of these leave the range
    return Columns(means, norms, peaks, candidates)


PRODUCT = "product"
IDENTITY = "identity"


class Layout(Frozen):
    """Candidates by number: what each is, and where each function's stand.

    Attributes
    ----------
    function, first, second : arrays of shape (n_candidates,): which element of the pool, of which
        columns; -1 where there is none
    single : per element that is a function of one column, its rows, one per column in order
    crossed : array of shape (n_crossed,), the columns that have products, in order
    products : per column a, the first column b of its products a·b, a·(b+1), …, and their rows; columns are places in
        `crossed`
    constant : row of the constant 1, or -1
    """

    function: IntArray
    first: IntArray
    second: IntArray
    single: tuple[tuple[str, slice | IntArray], ...]
    crossed: IntArray
    products: tuple[tuple[int, int, slice], ...]
    constant: int


@lru_cache(maxsize=16)
def lay_out(elements: tuple[str, ...], n: int, some: tuple[int, ...] | None = None) -> Layout:
    """Return the order of candidates that pool elements and n columns give; products are of `some` columns alone.

    With the constant in the pool it is the original program's order: the constant, then per
    column its functions and its products from itself on. Without, it is element by element,
    and products are of different columns.
    """
    crossed = np.arange(n) if some is None else np.array(some, dtype=np.int64)
    table = _original_order(elements, n) if IDENTITY in elements else _plain_order(elements, n, crossed)
    function, first, second = (np.ascontiguousarray(column) for column in table.T)
    for array in (function, first, second, crossed):
        array.flags.writeable = False
    single = tuple(
        (e, _as_slice(np.flatnonzero(function == i))) for i, e in enumerate(elements) if e not in (PRODUCT, IDENTITY)
    )
    rows = np.flatnonzero(second >= 0)
    products = _products(rows, *(np.searchsorted(crossed, column[rows]) for column in (first, second)))
    return Layout(function, first, second, single, crossed, products, 0 if IDENTITY in elements else -1)


def _plain_order(elements: tuple[str, ...], n: int, crossed: IntArray) -> IntArray:
    alone = np.column_stack([np.arange(n), np.full(n, -1)])
    pairs = crossed[np.column_stack(np.triu_indices(len(crossed), 1))]
    columns = [pairs if element == PRODUCT else alone for element in elements]
    return np.column_stack([np.repeat(np.arange(len(elements)), [len(c) for c in columns]), np.concatenate(columns)])


def _original_order(elements: tuple[str, ...], n: int) -> IntArray:
    rows = [(elements.index(IDENTITY), -1, -1)]
    for a in range(n):
        rows += [(i, a, -1) for i, e in enumerate(elements) if e not in (IDENTITY, PRODUCT)]
        rows += [(elements.index(PRODUCT), a, b) for b in range(a, n)] if PRODUCT in elements else []
    return np.array(rows, dtype=np.int64)


def _products(rows: IntArray, first: IntArray, second: IntArray) -> tuple[tuple[int, int, slice], ...]:
    """Return the products of each column with the later ones: they stand one after another."""
    starts = np.flatnonzero(np.diff(first, prepend=-1) > 0)
    sizes = np.unique(first, return_counts=True)[1].tolist()
    blocks = [slice(r, r + m) for r, m in zip(rows[starts].tolist(), sizes, strict=True)]
    return tuple(zip(first[starts].tolist(), second[starts].tolist(), blocks, strict=True))


def _as_slice(rows: IntArray) -> slice | IntArray:
    """Return rows that follow each other as a slice, which is filled without a copy."""
    whole = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
