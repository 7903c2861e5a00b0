"""Forward selection of groups of columns: how well a model fits, and what a block of columns would add to it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.codec import BoolArray, FloatArray

ALIASED = 1e-7
"""A column of which less than this share of its length is new is aliased, as in R's lm."""
_CLEAR = 1e4
"""Inverse share of a column's squared length that is new to all others, up to which sums of products suffice."""


class Fit(NamedTuple):
    """How well a model fits: enough for every criterion.

    Attributes
    ----------
    rss, total : residual and total sum of squares (about the mean)
    rank : columns of the model that are not aliased, the constant included
    n : points
    """

    rss: float
    total: float
    rank: int
    n: int

    @property
    def r2(self) -> float:
        """R²."""
        return 1 - self.rss / self.total

    @property
    def adjusted_r2(self) -> float:
        """Adjusted R²; minus infinity where no degree of freedom is left."""
        rss, total, rank, n = self
        return 1 - rss * ((n - 1) / total) / (n - rank) if n > rank else -math.inf

    @property
    def aic(self) -> float:
        """Akaike's criterion up to a constant: n·log(RSS / n) + 2·rank, as R's extractAIC.

        Infinity where no degree of freedom is left, as such a model says nothing of its error.
        """
        if self.rank >= self.n:
            return math.inf
        return self.n * math.log(max(self.rss, 1e-300) / self.n) + 2 * self.rank

    @property
    def aicc(self) -> float:
        """The same corrected for few points (Hurvich and Tsai 1989); infinity where no degree of freedom is left."""
        free = self.n - self.rank - 2
        return self.aic + 2 * (self.rank + 1) * (self.rank + 2) / free if free > 0 else math.inf


def log_p(fits: Sequence[Fit], smaller: Fit) -> FloatArray:
    """Return log p of the F test of each model against one inside it (the t test for one column)."""
    from scipy import stats

    rss, rank = np.array([fit.rss for fit in fits]), np.array([fit.rank for fit in fits])
    more, free = rank - smaller.rank, smaller.n - rank
    testable = (more > 0) & (free > 0)
    more, free = np.where(testable, more, 1), np.where(testable, free, 1)
    F = np.maximum(smaller.rss - rss, 0.0) / more / (np.maximum(rss, 1e-300) / free)
    return np.where(testable, stats.f.logsf(F, more, free), 0.0)


class Basis:
    """An orthonormal basis of the model's columns, and what it leaves of the response.

    Parameters
    ----------
    y : array of shape (n,)
    weights : array of shape (n,), square roots of the points' weights
    """

    def __init__(self, y: FloatArray, weights: FloatArray) -> None:
        self.weights, self.rank = weights, 1
        constant = weights / np.linalg.norm(weights)
        self._rows = np.empty((64, len(y)))
        self._rows[0] = constant
        weighted = y * weights
        self.residual = weighted - constant * float(constant @ weighted)
        self.total = self.rss = float(self.residual @ self.residual)

    @property
    def Q(self) -> FloatArray:
        """The basis, array of shape (n, rank)."""
        return self._rows[: self.rank].T

    @property
    def fit(self) -> Fit:
        """How well the basis fits."""
        return Fit(self.rss, self.total, self.rank, len(self.residual))

    def new_directions(self, block: FloatArray) -> FloatArray:
        """Return an orthonormal basis of what a block adds: shape (n, at most its columns).

        Columns are taken in order; one that is nearly in the span of those before is aliased.
        """
        columns = block * self.weights[:, None]
        lengths = np.sqrt(np.einsum("ij,ij->j", columns, columns))
        left = columns - self.Q @ (self.Q.T @ columns)
        left -= self.Q @ (self.Q.T @ left)
        Q, R = np.linalg.qr(left)
        new = np.abs(np.diag(R)) > ALIASED * lengths[: len(R)]
        if len(new) == len(lengths) and new.all():
            return Q
        first = len(new) if new.all() else int(np.argmin(new))
        return in_order(Q[:, :first], left[:, first:], lengths[first:], len(left) - self.rank)[0]

    def gain(self, directions: FloatArray) -> float:
        """Return by how much these directions would make the residual sum of squares smaller."""
        along = directions.T @ self.residual
        return float(along @ along)

    def add(self, directions: FloatArray) -> None:
        """Take directions into the model."""
        self.residual = self.residual - directions @ (directions.T @ self.residual)
        self.rss = float(self.residual @ self.residual)
        end = self.rank + directions.shape[1]
        if end > len(self._rows):
            self._rows = np.vstack([self._rows, np.empty((max(end, len(self._rows)), self._rows.shape[1]))])
        self._rows[self.rank : end] = directions.T
        self.rank = end


class Candidates:
    """Blocks of columns that may join a model, scored together from sums of products.

    With C what the model leaves of the columns of a block, r of the response, and CᵀC = L·Lᵀ, the gain of the block is
    ‖L⁻¹·Cᵀr‖², which is the last row of the Cholesky triangle of

        CᵀC  Cᵀr
        rᵀC   ∞

    Directions that have joined the model are subtracted from these squares; the columns themselves are not touched.
    Where a block's columns are near to being collinear nothing is said of it any more, and the caller orthogonalises.

    Parameters
    ----------
    blocks : array of shape (n_blocks, widest, n), weighted; columns of the model are rows here, those that are 0
        everywhere are not there

    Attributes
    ----------
    numbers : of the blocks of which something is said
    widths : columns that are there, of every block
    """

    def __init__(self, blocks: FloatArray, basis: Basis) -> None:
        self.basis, self.left_out, self.numbers = basis, 0, list(range(len(blocks)))
        self._rows = np.concatenate([blocks, np.repeat(basis.residual[None, None], len(blocks), axis=0)], axis=1)
        self._squares = self._triangles = np.zeros((len(blocks), *2 * self._rows.shape[1:2]))
        self._squares[:, :, :-1] = _products(self._rows)
        own = np.einsum("bii->bi", self._squares)
        self._least = np.sqrt(own[:, :-1] / _CLEAR)
        there = own[:, :-1] > 0
        self.widths: list[int] = np.add.reduce(there, axis=1).tolist()
        own[:, :-1][~there] = 1.0
        own[:, -1] = np.inf

    def gains(self) -> dict[int, float]:
        """Return by block the gain in explained sum of squares, where it can be trusted."""
        self._leave_model()
        try:
            self._triangles = np.linalg.cholesky(self._squares)
        except np.linalg.LinAlgError:
            self._forget([n for n, square in zip(self.numbers, self._squares, strict=True) if _singular(square)])
            return self.gains()
        own = self._triangles.diagonal(axis1=1, axis2=2)[:, :-1]
        clear = (own > self._least).all(axis=1).tolist()
        last = self._triangles[:, -1, :-1]
        gains = np.vecdot(last, last).tolist()
        found = {number: gain for number, gain, told in zip(self.numbers, gains, clear, strict=True) if told}
        self._forget([number for number in self.numbers if number not in found])
        return found

    def join(self, number: int) -> FloatArray:
        """Return an orthonormal basis of what a block adds, whose gain was told, and say no more of it.

        With C = L·Q, a block's rows by the triangle of their sums of products, Q is L⁻¹·C.
        """
        from scipy.linalg import lapack

        i, Q = self.numbers.index(number), self.basis.Q
        own, inverse = self._rows[i, :-1], lapack.dtrtri(self._triangles[i, :-1, :-1], lower=1)[0]
        directions = inverse[self._least[i] > 0] @ (own - (own @ Q) @ Q.T)
        self._forget([number])
        return np.asarray(directions.T)

    def _leave_model(self) -> None:
        """Take the directions that have joined the model out of all blocks."""
        directions, self.left_out = self.basis.Q[:, self.left_out :], self.basis.rank
        inside = (self._rows.reshape(-1, len(directions)) @ directions).reshape(
            *self._rows.shape[:2], directions.shape[1]
        )
        self._squares[:, :, :-1] -= _products(inside)

    def _forget(self, numbers: Sequence[int]) -> None:
        """Say no more of blocks: they have joined, or will always be collinear."""
        for number in numbers:
            i = self.numbers.index(number)
            self.numbers[i] = self.numbers[-1]
            self.numbers.pop()
            parts = self._rows, self._squares, self._triangles, self._least
            for part in parts:
                part[i] = part[-1]
            self._rows, self._squares, self._triangles, self._least = [part[:-1] for part in parts]


def _products(rows: FloatArray) -> FloatArray:
    """Return per block the sums of products of all rows with all but the last.

    What stands above the diagonal of the last column is never read. Left out, the factors differ, and BLAS multiplies
    such small matrices two to four times faster than it squares them.
    """
    return np.asarray(np.matmul(rows, rows[:, :-1].transpose(0, 2, 1)))


def _singular(square: FloatArray) -> bool:
    """Whether a matrix has no Cholesky triangle."""
    try:
        np.linalg.cholesky(square)
    except np.linalg.LinAlgError:
        return True
    return False


def in_order(found: FloatArray, columns: FloatArray, lengths: FloatArray, most: int) -> tuple[FloatArray, BoolArray]:
    """Add columns to an orthonormal basis one after another, without those that add next to nothing.

    Parameters
    ----------
    most : directions that there are

    Returns
    -------
    the basis, and which columns were added
    """
    new = np.zeros(len(lengths), dtype=bool)
    for j, (column, length) in enumerate(zip(columns.T, lengths, strict=True)):
        if found.shape[1] >= most:
            break
        v = column - found @ (found.T @ column)
        v -= found @ (found.T @ v)
        norm = float(np.linalg.norm(v))
        new[j] = norm > ALIASED * length
        if new[j]:
            found = np.column_stack([found, v / norm])
    return found[:, :most], new
