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
    now = _Reach(state, state.free)
    gain, theta, own = now.gains()
    candidate = np.isfinite(gain)
    sure: BoolArray = np.asarray((theta >= 0).all(axis=0)) & candidate & now.regular
    constant = state.constants(theta) - state.d.mu * own
    if state.free:
        return Bound(gain, sure & (constant >= 0))
    turns = (constant > 0) & candidate
    if turns.any():  # with this column the intercept is positive
        gain[turns], sure[turns] = state.rss, False
        other = _Reach(state, free=True)
        if other.regular:
            more, theta, own = other.gains(all_signs=True)
            gain[turns] = np.where(np.isfinite(more), more, 0.0)[turns] + (state.rss - other.rss)
            sure[turns] = ((theta >= 0).all(axis=0) & (own > 0))[turns]
    return Bound(gain, sure)


def losses(state: State) -> Bound:
    """Return by how much the residual sum of squares grows at least without each of the chosen columns."""
    loss, theta, regular = _missed(state, state.free)
    constant = state.constants(theta)
    sure: BoolArray = np.asarray((theta >= 0).all(axis=0)) & regular
    if state.free:
        return Bound(loss, sure & (constant >= 0))
    turns = constant > 0
    if turns.any():
        loss[turns], sure[turns] = 0.0, False
        free_loss, theta, regular = _missed(state, free=True)
        if regular:
            loss[turns] = np.maximum(free_loss, 0.0)[turns]
            sure[turns] = ((theta >= 0).all(axis=0) & (free_loss >= 0))[turns]
    return Bound(loss, sure)


class _Reach:
    """The chosen columns factored, and what they leave of all others."""

    def __init__(self, state: State, free: bool) -> None:
        G, b = state.sums.products(free)
        self.inside = state.chosen
        self.size = G.diagonal()
        rows = G[self.inside]
        self.factor, self.regular = _factor(rows[:, self.inside])
        along = _solve(self.factor, b[self.inside, None])[:, 0]
        self.shadow = _solve(self.factor, rows)
        self.theta = _solve(self.factor, along[:, None], transposed=True)
        self.left = self.size - np.einsum("ij,ij->j", self.shadow, self.shadow)
        self.product = b - along @ self.shadow
        self.least = TOLERANCE * float((np.abs(b) / np.sqrt(self.size)).max())
        total = state.d.total + (0.0 if free else state.d.along**2)
        self.rss = total - float(along @ along)

    def gains(self, *, all_signs: bool = False) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return each column's gain, the coefficients inside with it, of shape (k, p), and its own."""
        useful = self.left > COLLINEAR * self.size
        useful[self.inside] = False
        if not all_signs:
            useful &= self.product > self.least * np.sqrt(self.size)
        own = np.where(useful, self.product / np.where(useful, self.left, 1.0), 0.0)
        gain = np.where(useful, own * self.product, -np.inf)
        return gain, self.theta - _solve(self.factor, self.shadow, transposed=True) * own, own


def _missed(state: State, free: bool) -> tuple[FloatArray, FloatArray, bool]:
    """Return how much larger the residual sum of squares is without each column, signs free, and what is left.

    The coefficients without column i are in column i. The last value is whether the numbers can be trusted.
    """
    G, b = state.sums.products(free)
    inside = state.chosen
    factor, regular = _factor(G[inside][:, inside])
    if not regular:
        return np.zeros(len(inside)), np.zeros((len(inside), len(inside))), False
    inverse = lapack.dpotri(factor, lower=1)[0]
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    theta = inverse @ b[inside]
    size = inverse.diagonal()
    loss = theta**2 / size
    if free != state.free:
        left = state.d.y - theta @ state.d.Z[inside]
        loss = loss + float(left @ left) - state.rss
    without = theta[:, None] - inverse * (theta / size)
    np.fill_diagonal(without, 0.0)
    return loss, without, True


def _factor(G: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of products, and whether it can be solved with."""
    if not len(G):
        return G, True
    factor, failed = lapack.dpotrf(G, lower=1)
    return factor, not failed and bool((factor.diagonal() ** 2 > TRUSTED * G.diagonal()).all())


def _solve(factor: FloatArray, right: FloatArray, *, transposed: bool = False) -> FloatArray:
    return np.asarray(lapack.dtrtrs(factor, right, lower=1, trans=int(transposed))[0]) if len(factor) else right
