"""Forward selection of groups of columns: how well a model fits, and what a block of columns would add to it."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]
ALIASED = 1e-7
"""A column of which less than this share of its length is new is aliased, as in R's lm."""
_CLEAR = 1e4
"""Inverse share of a column's squared length that is new to all others, up to which sums of products suffice."""


@dataclass(frozen=True)
class Fit:
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
        free = self.n - self.rank
        return 1 - self.rss / free * (self.n - 1) / self.total if free > 0 else -math.inf

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
        """The same corrected for few points: it rises without end before the columns are as many as the points."""
        return self.aic + float(_correction(np.array([self.rank]), self.n)[0])


@dataclass(frozen=True)
class Fits:
    """How well some models of the same points fit.

    Attributes
    ----------
    rss, rank : arrays of shape (n_models,), as in `Fit`
    """

    rss: FloatArray
    total: float
    rank: IntArray
    n: int

    def one(self, i: int) -> Fit:
        """Return one of the models."""
        return Fit(float(self.rss[i]), self.total, int(self.rank[i]), self.n)

    @property
    def r2(self) -> FloatArray:
        """R² of each."""
        return 1 - self.rss / self.total

    @property
    def adjusted_r2(self) -> FloatArray:
        """Adjusted R² of each; minus infinity where no degree of freedom is left."""
        free = self.n - self.rank
        found: FloatArray = 1 - self.rss * ((self.n - 1) / self.total) / np.maximum(free, 1)
        found[free <= 0] = -np.inf
        return found

    @property
    def aic(self) -> FloatArray:
        """Akaike's criterion of each; infinity where no degree of freedom is left."""
        found: FloatArray = self.n * np.log(np.maximum(self.rss, 1e-300) / self.n) + 2 * self.rank
        found[self.rank >= self.n] = np.inf
        return found

    @property
    def aicc(self) -> FloatArray:
        """Akaike's criterion of each, corrected for few points."""
        return self.aic + _correction(self.rank, self.n)

    def log_p(self, smaller: Fit) -> FloatArray:
        """Return log p of the F test of each against a model inside it (the t test for one column)."""
        from scipy import stats

        more, free = self.rank - smaller.rank, self.n - self.rank
        testable = (more > 0) & (free > 0)
        more, free = np.where(testable, more, 1), np.where(testable, free, 1)
        F = np.maximum(smaller.rss - self.rss, 0.0) / more / (np.maximum(self.rss, 1e-300) / free)
        return np.where(testable, stats.f.logsf(F, more, free), 0.0)


def _correction(rank: IntArray, n: int) -> FloatArray:
    """Return what Hurvich and Tsai 1989 add to AIC; infinity where no degree of freedom is left."""
    free = n - rank - 2
    return np.where(free > 0, 2 * (rank + 1) * (rank + 2) / np.maximum(free, 1), np.inf)


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
        self._rows = np.empty((16, len(y)))
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
        return _in_order(Q[:, :first], left[:, first:], lengths[first:], len(left) - self.rank)

    def gain(self, directions: FloatArray) -> float:
        """Return by how much these directions would make the residual sum of squares smaller."""
        along = directions.T @ self.residual
        return float(along @ along)

    def add(self, directions: FloatArray) -> FloatArray:
        """Take directions into the model; return how the residual lay along them."""
        along: FloatArray = directions.T @ self.residual
        self.residual = self.residual - directions @ along
        self.rss = float(self.residual @ self.residual)
        end = self.rank + directions.shape[1]
        if end > len(self._rows):
            self._rows = np.vstack([self._rows, np.empty((max(end, len(self._rows)), self._rows.shape[1]))])
        self._rows[self.rank : end] = directions.T
        self.rank = end
        return along


class Candidates:
    """Blocks of columns that may join a model, scored together from sums of products.

    With C the columns of a block that the model leaves, and r its residual, the gain of the block is
    cᵀ(CᵀC)⁻¹c with c = Cᵀr. CᵀC and c are kept up to date as directions join the model; the columns
    themselves are not touched. Where a block's columns are near to being collinear that is said, and
    the caller orthogonalises.

    Parameters
    ----------
    rows : array of shape (n_blocks, widest, n), weighted; columns of the model are rows here
    blank : array of shape (n_blocks, widest), which rows are not there
    """

    def __init__(self, rows: FloatArray, blank: BoolArray, basis: Basis) -> None:
        self.blank, self.basis, self.widths = blank, basis, (~blank).sum(axis=1)
        self.rows = rows
        squares: FloatArray = np.matmul(self.rows, self.rows.transpose(0, 2, 1))
        diagonal = np.einsum("bii->bi", squares)
        self.share = np.where(diagonal > 0, _CLEAR / np.maximum(diagonal, 1e-300), 0.0)
        self.share[blank] = np.inf
        diagonal += np.where(diagonal > 0, 1e-15 * diagonal, 1.0)  # never exactly singular
        self.squares = squares
        self.along = self.rows @ basis.residual
        self._subtract(basis.Q)

    def leave(self, directions: FloatArray, along: FloatArray) -> None:
        """Take directions, which have joined the model, out of all blocks.

        Parameters
        ----------
        along : what `Basis.add` returned
        """
        self.along -= self._subtract(directions) @ along

    def drop(self, i: int) -> None:
        """Forget a block that has joined; it stays in its place, with no columns and no gain."""
        self.rows[i], self.along[i], self.squares[i] = 0.0, 0.0, np.eye(len(self.along[i]))

    def directions(self, i: int) -> FloatArray:
        """Return an orthonormal basis of what a block adds, if its gain can be trusted."""
        from scipy.linalg import lapack

        own = self.rows[i][~self.blank[i]].T
        Q = self.basis.Q
        reflectors, factors, _, _ = lapack.dgeqrf(own - Q @ (Q.T @ own), overwrite_a=True)
        return np.asarray(lapack.dorgqr(reflectors, factors, overwrite_a=True)[0])

    def gains(self) -> tuple[FloatArray, BoolArray]:
        """Return each block's gain in explained sum of squares, and whether it can be trusted."""
        try:
            inverse = np.linalg.inv(self.squares)
        except np.linalg.LinAlgError:
            return np.zeros(len(self.rows)), np.zeros(len(self.rows), dtype=bool)
        room = np.einsum("bii->bi", inverse)
        clear = ((room > 0) & (room < self.share)).all(axis=1)
        found: FloatArray = (np.matmul(inverse, self.along[:, :, None])[:, :, 0] * self.along).sum(axis=1)
        return found, clear

    def _subtract(self, directions: FloatArray) -> FloatArray:
        shape = (*self.rows.shape[:2], directions.shape[1])
        inside: FloatArray = (self.rows.reshape(-1, self.rows.shape[2]) @ directions).reshape(shape)
        self.squares -= np.matmul(inside, inside.transpose(0, 2, 1))
        return inside


def _in_order(found: FloatArray, left: FloatArray, lengths: FloatArray, most: int) -> FloatArray:
    """Add columns to an orthonormal basis one after another, without those that add next to nothing.

    Parameters
    ----------
    most : directions that there are
    """
    for column, length in zip(left.T, lengths, strict=True):
        if found.shape[1] >= most:
            break
        v = column - found @ (found.T @ column)
        v -= found @ (found.T @ v)
        norm = float(np.linalg.norm(v))
        if norm > ALIASED * length:
            found = np.column_stack([found, v / norm])
    return found[:, :most]
