"""What a column more or less could do to a non-negative fit at best, for all columns at once."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from core.codec import BoolArray, FloatArray, IntArray
from core.models._linear_design import Design
from core.models._nnls import COLLINEAR, TOLERANCE, Solution, Sums, non_negative

TRUSTED = 0.01 * COLLINEAR
"""Products with a smaller pivot than this share of its diagonal are not solved with."""


@dataclass(frozen=True)
class State:
    """A non-negative fit as it stands.

    Attributes
    ----------
    chosen, theta : columns of the design with a positive coefficient, and these
    free : whether the intercept is positive, else it is held at 0
    """

    sums: Sums
    d: Design
    chosen: IntArray
    theta: FloatArray
    free: bool

    @cached_property
    def rss(self) -> float:
        """Residual sum of squares."""
        left = self.d.y - self.theta @ self.d.Z[self.chosen]
        return float(left @ left) + (0.0 if self.free else float(self.constants(self.theta)) ** 2)

    def constants(self, theta: FloatArray) -> FloatArray:
        """Return the best intercept for coefficients of the chosen columns, or per column of several, shape (k, m)."""
        return self.d.along - self.d.mu[self.chosen] @ theta

    def of(self, columns: IntArray) -> "State":
        """Return the fit of some columns, found from this one on."""
        theta = np.zeros(self.d.p)
        theta[self.chosen] = self.theta
        found = non_negative(self.sums.take(columns), Solution(theta[columns], self.free))
        inside = found.chosen
        return replace(self, chosen=columns[inside], theta=found.theta[inside], free=found.free)

    def change(self, columns: IntArray) -> float:
        """Return by how much the residual sum of squares grows with these columns instead."""
        return self.of(columns).rss - self.rss


@dataclass(frozen=True)
class Bound:
    """What each change could do at best to the residual sum of squares, and where it does just that.

    Attributes
    ----------
    change : array of one number per candidate: by how much it becomes smaller, or grows
    sure : whether it does, as with that no coefficient would turn negative
    """

    change: FloatArray
    sure: BoolArray


def gains(state: State) -> Bound:
    """Return by how much each column could make the residual sum of squares smaller; -inf if it cannot.

    That is its gain with the signs of all coefficients but the intercept's free.
    """
    G, b = state.sums.products(state.free)
    inside, size = state.chosen, G.diagonal()
    rows = G[inside]
    factor, regular = _factor(rows[:, inside])
    along = _solve(factor, b[inside, None])[:, 0]
    shadow = _solve(factor, rows)
    left, product = size - np.einsum("ij,ij->j", shadow, shadow), b - along @ shadow
    least = TOLERANCE * float((np.abs(b) / np.sqrt(size)).max())
    useful = (left > COLLINEAR * size) & (product > least * np.sqrt(size))
    useful[inside] = False
    own = np.where(useful, product / np.where(useful, left, 1.0), 0.0)
    gain = np.where(useful, own * product, -np.inf)
    theta = _solve(factor, along[:, None], transposed=True) - _solve(factor, shadow, transposed=True) * own
    return _bound(state, gain, useful & regular, theta, state.constants(theta) - state.d.mu * own, state.rss)


def losses(state: State) -> Bound:
    """Return by how much the residual sum of squares grows at least without each of the chosen columns."""
    G, b = state.sums.products(state.free)
    inside = state.chosen
    factor, regular = _factor(G[inside][:, inside])
    if not regular:
        return Bound(np.zeros(len(inside)), np.zeros(len(inside), dtype=bool))
    inverse = lapack.dpotri(factor, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    theta = inverse @ b[inside]
    size = inverse.diagonal()
    without = theta[:, None] - inverse * (theta / size)  # the coefficients without column i are in column i
    np.fill_diagonal(without, 0.0)
    sure = np.ones(len(inside), dtype=bool)
    return _bound(state, theta**2 / size, sure, without, state.constants(without), 0.0)


def _bound(
    state: State, change: FloatArray, known: BoolArray, theta: FloatArray, constant: FloatArray, most: float
) -> Bound:
    """Return changes, and where no sign of a coefficient has to give way.

    Parameters
    ----------
    known : which changes are exact for coefficients of any sign
    theta, constant : the coefficients inside with each change, one column per change, and the intercept
    most : what a change could do that makes an intercept positive that is held at 0
    """
    sure: BoolArray = known & (theta >= 0).all(axis=0) & (state.free == (constant >= 0))
    turns = np.isfinite(change) & (constant > 0) & (not state.free)
    return Bound(np.where(turns, most, change), sure)


def _factor(G: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of products, and whether it can be solved with."""
    if not len(G):
        return G, True
    factor, failed = lapack.dpotrf(G, lower=1)
    return factor, not failed and bool((factor.diagonal() ** 2 > TRUSTED * G.diagonal()).all())


def _solve(factor: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    return np.asarray(lapack.dtrtrs(factor, right, lower=1, trans=int(transposed))[0]) if len(factor) else right
