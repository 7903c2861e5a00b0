"""Candidates that are not written out: columns, their squares and products, from the columns alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from core.blocks import row_blocks
from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.models.parts.columns import Candidates, Columns, together

LOSS = 1e3
"""Digits that may be lost against a candidate that is written out; those that would lose more are."""
_FAR = 30.0
"""Means of so many standard deviations call for columns about their means."""
_RANGE = 1e60
_CACHED = 1 << 16
"""Numbers of products that are looked at together."""
_LOST = 1e-200
"""Sums of fourth powers of numbers up to 1, under which they have lost digits."""


class Base(Frozen):
    """The columns that candidates are made of: column = shift + B.

    Attributes
    ----------
    B : array of shape (n_trials, n_columns): the columns as they came, or a copy of them about their means
    shift : array of shape (n_columns,), zeros where B is the columns themselves
    low, high, mean, square : arrays of shape (n_columns,), of B: range, mean, sum of squares
    """

    B: FloatArray
    shift: FloatArray
    low: FloatArray
    high: FloatArray
    mean: FloatArray
    square: FloatArray

    @property
    def in_range(self) -> bool:
        """Whether fourth powers and their sums are finite numbers with all their digits."""
        largest = np.maximum(self.high, -self.low)
        return bool(((largest < _RANGE) & ((largest > 1 / _RANGE) | (largest == 0))).all())

    def of(self, columns: IntArray) -> "Base":
        """Return some of the columns; they themselves where these are all."""
        if len(columns) == len(self.shift):
            return self
        kept = (v[columns] for v in (self.shift, self.low, self.high, self.mean, self.square))
        return Base(np.ascontiguousarray(self.B[:, columns]), *kept)

    def product(self, a: IntArray, b: IntArray, columns: FloatArray | None = None) -> FloatArray:
        """Return column a times column b less shift · shift, shape (len(a), n_trials); b of -1 stands for 1.

        Parameters
        ----------
        columns : B', one column after another, where many are asked for
        """
        S, alone = self.B.T if columns is None else columns, b < 0
        if alone.all():
            return S[a]
        A, B = S[a], S[b]
        B[alone] = 1.0
        found: FloatArray = A * B
        if self.shift.any():
            found += np.where(alone, 0.0, self.shift[a])[:, None] * B + np.where(alone, 0.0, self.shift[b])[:, None] * A
        return found


@np.errstate(over="ignore", invalid="ignore")  # beyond the range, which is asked for
def base_of(X: FloatArray) -> Base:
    """Return the columns of X, shape (n_trials, n_columns), copied about their means where one is far from 0."""
    found = _measured(X, np.zeros(X.shape[1]))
    n = len(X)
    about = np.maximum(found.square - n * found.mean**2, 0.0)
    far = (found.mean**2 * n > _FAR**2 * about) & (found.high > found.low)
    return _measured(X - found.mean, found.mean) if far.any() else found


def _measured(B: FloatArray, shift: FloatArray) -> Base:
    n, p = B.shape
    total, square, low, high = np.zeros(p), np.zeros(p), np.full(p, np.inf), np.full(p, -np.inf)
    for part in (B[rows] for rows in row_blocks(n, 8 * p, 16)):  # four times read: it stays in the nearer cache
        total += np.ones(len(part)) @ part
        square += np.einsum("ij,ij->j", part, part)
        np.minimum(low, part.min(axis=0), out=low)
        np.maximum(high, part.max(axis=0), out=high)
    return Base(B, shift, low, high, total / n, square)


class Unwritten(Candidates):
    """Columns and products of two, and beside them candidates that are written out.

    Attributes
    ----------
    base : the columns
    crossed, few : numbers of those that have products, in order, and these columns
    rows : numbers of the candidates that are not written out
    first, second : arrays like `rows`, columns; second is -1 of one by itself
    pairs : array like `rows`, the column of one by itself, and behind all of them place · n_crossed + place of a
        product, as they stand in `crossed`
    offset : array like `rows`, the mean of what `Base.product` returns
    written : numbers of candidates, and these
    lost : array of shape (n_candidates,), see `loss`
    """

    base: Base
    crossed: IntArray
    few: Base
    rows: IntArray
    first: IntArray
    second: IntArray
    pairs: IntArray
    offset: FloatArray
    written: tuple[tuple[IntArray, Columns], ...]
    lost: FloatArray

    @property
    def n_trials(self) -> int:
        """How long a candidate is."""
        return len(self.base.B)

    @property
    def loss(self) -> FloatArray:
        """How many times the rounding of a product of z itself `times` has, per candidate."""
        return self.lost

    @property
    def together(self) -> int:
        """Several where columns alone are read from memory."""
        return 1 if self._products else together(self.base.B.size, self.base.B.shape[1])

    @cached_property
    def _products(self) -> bool:
        return bool((self.second >= 0).any())

    def times(self, v: FloatArray) -> FloatArray:
        """Return z · v of every candidate; all products of columns as B' diag(v) B."""
        found, along = np.empty((*v.shape[:-1], len(self.norms))), v @ self.base.B
        sums, p, m = along, along.shape[-1], len(self.crossed)
        if self._products:
            sums = np.zeros(p + m * m)
            sums[:p], W = along, sums[p:].reshape(m, m)
            _add_weighed(W, self.few.B, v)
            shift, along = self.few.shift, along[self.crossed]
            if shift.any():
                W += shift[:, None] * along + along[:, None] * shift
        found[..., self.rows] = sums.take(self.pairs, axis=-1) - v.sum(axis=-1)[..., None] * self.offset
        for places, columns in self.written:
            found[..., places] = columns.times(v)
        return found

    def some(self, numbers: Sequence[int]) -> FloatArray:
        """Return z of some candidates."""
        found = np.empty((len(numbers), self.n_trials))
        for own, j in zip(found, numbers, strict=True):
            own[:] = self.row(j)
        return found

    def row(self, j: int) -> FloatArray:
        """Return z of one candidate."""
        for places, columns in self.written:
            at = int(places.searchsorted(j))
            if at < len(places) and places[at] == j:
                return columns.row(at)
        here = slice(at := int(self.rows.searchsorted(j)), at + 1)
        z: FloatArray = self.base.product(self.first[here], self.second[here])[0]
        z -= z.mean()
        return z

    def only(self, usable: BoolArray) -> Self:
        """Return the candidates, with zeros written over those written out that are not usable."""
        return replace(self, written=tuple((places, c.only(usable[places])) for places, c in self.written))


def _add_weighed(found: FloatArray, B: FloatArray, v: FloatArray) -> None:
    """Add B' diag(v) B, from the diagonal on: P'P of the trials with v > 0, less that of the others."""
    from scipy.linalg.blas import dsyrk

    for block in row_blocks(len(B), B.shape[1] // 2):  # about half of a block's trials have one sign
        part, own = B[block], v[block]
        for sign, rows in ((1.0, own > 0), (-1.0, own < 0)):
            scaled = part[rows]
            scaled *= np.sqrt(sign * own[rows])[:, None]
            dsyrk(sign, scaled.T, beta=1.0, c=found.T, lower=True, overwrite_c=True)


@np.errstate(invalid="ignore", divide="ignore")  # of what varies by rounding alone: it is written out
def measure(base: Base, few: Base, place: IntArray, first: IntArray, second: IntArray) -> FloatArray:
    """Return what columns (second is -1) and products of two are, without writing them out, shape (4, n).

    Products are of `few` columns, each of which has its place there.
    Its rows are offsets, norms and peaks as in `Unwritten` and `Candidates`, and losses: the length of what is added up
    over that of the candidate.
    """
    n, alone = len(base.B), second < 0
    offset, total = base.mean[first], base.square[first]
    if not alone.all():
        offset[~alone], total[~alone] = _moments(few, place[first[~alone]], place[second[~alone]])
    norms = np.sqrt(total - n * offset**2)
    largest = np.maximum(base.high, -base.low)
    reach = np.maximum(base.high - base.mean, base.mean - base.low)[first]
    two = largest[first] * largest[second] + np.abs(base.shift)[first] * largest[second]
    peaks = np.where(alone, reach, two + np.abs(base.shift)[second] * largest[first] + np.abs(offset))
    near = np.flatnonzero(~alone & ~(peaks**2 <= norms**2 / 2))
    if len(near) > len(few.shift):  # then one product of all columns costs less than to write these out
        a, b = first[near], second[near]
        bent = np.abs(base.shift)[a] * largest[b] + np.abs(base.shift)[b] * largest[a]
        reached = _reached(few)[place[a], place[b]] + bent + np.abs(offset[near])
        peaks[near] = np.minimum(peaks[near], reached)
        near = near[~(peaks[near] ** 2 <= norms[near] ** 2 / 2)]
    step = max(1, _CACHED // n)
    columns = np.ascontiguousarray(base.B.T) if len(near) * n > base.B.size else None
    for places in (near[i : i + step] for i in range(0, len(near), step)):
        Z = base.product(first[places], second[places], columns) - offset[places, None]
        peaks[places] = np.maximum(Z.max(axis=1), -Z.min(axis=1))
    return np.array([offset, norms, peaks, np.sqrt(total) / norms])


def _reached(base: Base) -> FloatArray:
    """Return what no product of two columns exceeds, array of shape (n_columns, n_columns): the norm of order 4.

    It is near to the largest value where few trials stand out, and much less than the length where none does.
    """
    n, p = base.B.shape
    largest = np.maximum(base.high, -base.low)
    most = np.where(largest > 0, largest, 1.0)
    sums = np.zeros((p, p))
    for part in (base.B[rows] for rows in row_blocks(n, p)):
        fourth = (part / most) ** 2
        fourth *= fourth
        sums += fourth.T @ fourth
    sums[sums < _LOST] = np.inf
    found: FloatArray = np.sqrt(np.sqrt(sums)) * most * most[:, None]
    return found


def _moments(base: Base, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and sum of squares of products less shift · shift, from moments of pairs of columns."""
    n, p = base.B.shape
    one, mixed, two = np.zeros((p, p)), np.zeros((p, p)), np.zeros((p, p))
    shifted = bool(base.shift.any())
    for part in (base.B[rows] for rows in row_blocks(n, p)):
        square = part * part
        one += part.T @ part
        two += square.T @ square
        if shifted:
            mixed += part.T @ square
    mean, total = one[a, b] / n, two[a, b]
    if shifted:
        s, t, own = base.shift[a], base.shift[b], base.square
        mean = mean + s * base.mean[b] + t * base.mean[a]
        total = total + s**2 * own[b] + t**2 * own[a] + 2 * (s * mixed[a, b] + t * mixed[b, a] + s * t * one[a, b])
    return mean, total
