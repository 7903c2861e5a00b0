"""Forward selection of groups of columns: how well a model fits, and what a block of columns would add to it."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray

BoolArray = npt.NDArray[np.bool_]
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
    Where a block's columns are near to being collinear that is said, and the caller orthogonalises.

    Parameters
    ----------
    rows : array of shape (n_blocks, widest, n), weighted; columns of the model are rows here
    blank : array of shape (n_blocks, widest), which rows are not there; these are 0
    """

    def __init__(self, rows: FloatArray, blank: BoolArray, basis: Basis) -> None:
        self.rows, self.blank, self.basis, self.left_out, self.residual = rows, blank, basis, 0, basis.residual
        self.squares = np.empty((len(rows), rows.shape[1] + 1, rows.shape[1] + 1))
        self.squares[:, :-1, :-1] = np.matmul(rows, _turned(rows))
        self.squares[:, -1, :-1] = rows @ basis.residual
        self.lengths = np.einsum("bii->bi", self.squares)[:, :-1].copy()
        self.least = np.sqrt(self.lengths / _CLEAR)
        empty = self.lengths == 0
        self.lengths[empty], self.least[empty & ~blank] = 1.0, np.inf
        np.einsum("bii->bi", self.squares)[:, :-1][empty] = 1.0
        self.squares[:, -1, -1] = np.inf

    def drop(self, i: int) -> None:
        """Say no more of a block, which stays in its place: it has joined, or will always be collinear."""
        self.least[i] = np.inf
        np.einsum("ii->i", self.squares[i])[:-1] += self.lengths[i]

    def directions(self, i: int) -> FloatArray:
        """Return an orthonormal basis of what a block adds, if its gain can be trusted."""
        from scipy.linalg import lapack

        own, Q = self.rows[i][~self.blank[i]], self.basis.Q
        reflectors, factors, _, _ = lapack.dgeqrf((own - (own @ Q) @ Q.T).T, overwrite_a=True)
        return np.asarray(lapack.dorgqr(reflectors, factors, overwrite_a=True)[0])

    def gains(self) -> tuple[FloatArray, BoolArray]:
        """Return each block's gain in explained sum of squares, and whether it can be trusted."""
        self._leave_model()
        try:
            triangles = np.linalg.cholesky(self.squares)
        except np.linalg.LinAlgError:
            for i in range(len(self.squares)):
                self._drop_singular(i)
            triangles = np.linalg.cholesky(self.squares)
        clear = (np.einsum("bii->bi", triangles)[:, :-1] > self.least).all(axis=1)
        last = triangles[:, -1, :-1]
        return np.vecdot(last, last), clear

    def _leave_model(self) -> None:
        """Take the directions that have joined the model out of all blocks."""
        directions, self.left_out = self.basis.Q[:, self.left_out :], self.basis.rank
        inside = np.empty((*self.squares.shape[:2], directions.shape[1]))
        inside[:, :-1] = (self.rows.reshape(-1, len(directions)) @ directions).reshape(*self.rows.shape[:2], -1)
        inside[:, -1] = self.residual @ directions
        self.squares -= np.matmul(inside, _turned(inside))

    def _drop_singular(self, i: int) -> None:
        try:
            np.linalg.cholesky(self.squares[i])
        except np.linalg.LinAlgError:
            self.drop(i)


def _turned(rows: FloatArray) -> FloatArray:
    """Return blocks with rows for columns, copied: half of the products with itself take NumPy longer than all."""
    return rows.copy().transpose(0, 2, 1)


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
