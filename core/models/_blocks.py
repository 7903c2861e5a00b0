"""Forward selection of groups of columns: each candidate block scored against an orthogonal basis."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from core.codec import FloatArray

ALIASED = 1e-7
"""A column of which less than this share of its length is new is aliased, as in R's lm."""
CRITERIA = ADJUSTED, AIC, TEST = ("adjusted_r2", "aic", "t_test")


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
        """Akaike's criterion up to a constant: n·log(RSS / n) + 2·rank, as R's extractAIC."""
        return self.n * math.log(max(self.rss, 1e-300) / self.n) + 2 * self.rank

    def p_value(self, smaller: "Fit") -> float:
        """Return the p-value of the F test against a model inside this one (the t test for one column)."""
        more, free = self.rank - smaller.rank, self.n - self.rank
        if more <= 0 or free <= 0:
            return 1.0
        if self.rss <= 0:
            return 0.0
        return float(stats.f.sf((smaller.rss - self.rss) / more / (self.rss / free), more, free))


class Basis:
    """An orthonormal basis of the model's columns, and what it leaves of the response.

    Parameters
    ----------
    y : array of shape (n,)
    weights : array of shape (n,), square roots of the points' weights
    """

    def __init__(self, y: FloatArray, weights: FloatArray) -> None:
        self.weights = weights
        constant = weights / np.linalg.norm(weights)
        self.Q = constant[:, None]
        weighted = y * weights
        self.residual = weighted - constant * float(constant @ weighted)
        self.total = float(self.residual @ self.residual)

    @property
    def fit(self) -> Fit:
        """How well the basis fits."""
        return Fit(float(self.residual @ self.residual), self.total, self.Q.shape[1], len(self.residual))

    def new_directions(self, block: FloatArray) -> FloatArray:
        """Return an orthonormal basis of what a block adds: shape (n, at most its columns).

        Columns are taken in order; one that is nearly in the span of those before is aliased.
        """
        columns = block * self.weights[:, None]
        lengths = np.sqrt(np.einsum("ij,ij->j", columns, columns))
        left = columns - self.Q @ (self.Q.T @ columns)
        left -= self.Q @ (self.Q.T @ left)
        Q, R = np.linalg.qr(left)
        new = np.abs(np.diag(R)) > ALIASED * lengths
        return Q if new.all() else _in_order(left, lengths)

    def with_block(self, directions: FloatArray) -> Fit:
        """Return the fit of the model with these directions added."""
        along = directions.T @ self.residual
        rss = max(float(self.residual @ self.residual - along @ along), 0.0)
        return Fit(rss, self.total, self.Q.shape[1] + directions.shape[1], len(self.residual))

    def add(self, directions: FloatArray) -> None:
        """Take directions into the model."""
        self.residual = self.residual - directions @ (directions.T @ self.residual)
        self.Q = np.hstack([self.Q, directions])


def least_squares(A: FloatArray, y: FloatArray) -> FloatArray:
    """Return the coefficients of least squares; a column aliased by those before it has 0, as in R's lm."""
    lengths = np.sqrt(np.einsum("ij,ij->j", A, A))
    new = _not_aliased(A, lengths)
    found = np.zeros(A.shape[1])
    found[new] = np.linalg.lstsq(A[:, new] / lengths[new], y, rcond=None)[0] / lengths[new]
    return found


PENALTIES = np.geomspace(1e-10, 1e2, 49)
"""Ridge penalties that are tried, in units of the largest squared singular value."""


def ridge(A: FloatArray, y: FloatArray) -> FloatArray:
    """Return the coefficients of ridge regression with the penalty of least generalised cross-validation.

    Columns are measured by their lengths about the mean; the first column, which must be the
    constant (times the square roots of weights), is not penalised.

    References
    ----------
    Golub, Heath, Wahba 1979, Generalized cross-validation as a method for choosing a good ridge parameter.
    """
    constant, n = A[:, 0] / np.linalg.norm(A[:, 0]), len(y)
    centred, left = A[:, 1:] - np.outer(constant, constant @ A[:, 1:]), y - constant * (constant @ y)
    lengths = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    used = lengths > 1e-12 * np.sqrt(np.einsum("ij,ij->j", A[:, 1:], A[:, 1:]))
    U, s, Vt = np.linalg.svd(centred[:, used] / lengths[used], full_matrices=False)
    along = U.T @ left
    outside = max(float(left @ left - along @ along), 0.0)
    square = s * s
    kept = square / (square + PENALTIES[:, None] * square[0])
    rss = outside + (((1 - kept) * along) ** 2).sum(axis=1)
    free = np.maximum(n - 1 - kept.sum(axis=1), 1e-9)
    best = int(np.argmin(rss / free**2))
    found = np.zeros(A.shape[1])
    found[1:][used] = Vt.T @ (kept[best] * along / np.maximum(s, 1e-300)) / lengths[used]
    found[0] = float(constant @ (y - A[:, 1:] @ found[1:])) / np.linalg.norm(A[:, 0])
    return found


def _not_aliased(A: FloatArray, lengths: FloatArray) -> npt.NDArray[np.bool_]:
    new: npt.NDArray[np.bool_] = np.abs(np.diag(np.linalg.qr(A, mode="r"))) > ALIASED * lengths
    if new.all() or len(new) == 0:
        return new
    first = int(np.argmin(new))  # columns behind an aliased one are judged anew without it
    rest = _not_aliased(np.delete(A, first, axis=1), np.delete(lengths, first))
    return np.concatenate([rest[:first], [False], rest[first:]])


def _in_order(left: FloatArray, lengths: FloatArray) -> FloatArray:
    """Orthonormalise columns one after another, leaving out those that add next to nothing."""
    found = np.empty((len(left), 0))
    for column, length in zip(left.T, lengths, strict=True):
        v = column - found @ (found.T @ column)
        v -= found @ (found.T @ v)
        norm = float(np.linalg.norm(v))
        if norm > ALIASED * length:
            found = np.column_stack([found, v / norm])
    return found
