"""Least squares without negative coefficients, and with an ℓ₁ penalty, from sums of products alone."""

from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.errors import FitError
from core.models._linear_design import Design

TOLERANCE = 1e-11
"""A gradient smaller than this share of the largest at 0 is none."""
COLLINEAR = 1e-10
"""A column of which less than this share of its squared length is new is not taken beside those that it is made of."""
FEW, TURNS_TOGETHER = 12, 20
"""So many columns may join at once, in so many turns; then one by one, which is sure to end."""
EQUAL = 1e-9
"""Gradients closer than this, relatively, are equal: the first column is taken."""

_LEAST_SHARE = 1e-10
"""Of the weight that trials must have without those held out."""


class Sums(Frozen):
    """A least-squares problem of some trials, as sums of products of a `Design`.

    Attributes
    ----------
    G, b : arrays of shape (p, p) and (p,), products about the mean, so that the intercept is free in them
    mu, along : what columns and response have along the constant
    """

    G: FloatArray
    b: FloatArray
    mu: FloatArray
    along: float

    @cached_property
    def raw(self) -> tuple[FloatArray, FloatArray]:
        """The products themselves, so that the intercept is 0 in them."""
        return self.G + np.outer(self.mu, self.mu), self.b + self.along * self.mu

    def products(self, free: bool) -> tuple[FloatArray, FloatArray]:
        """Return the sums with the intercept free, or 0."""
        return (self.G, self.b) if free else self.raw

    def constant(self, theta: FloatArray) -> float:
        """Return the intercept (in units of the constant's length) that is best, if it is free."""
        return self.along - float(theta @ self.mu)

    def take(self, columns: IntArray) -> "Sums":
        """Return the problem with some of the columns."""
        return Sums(self.G[columns][:, columns], self.b[columns], self.mu[columns], self.along)


class Solution(Frozen):
    """Coefficients, and whether the intercept is free (positive) or held at 0.

    Attributes
    ----------
    theta : array of shape (p,)
    """

    theta: FloatArray
    free: bool

    @property
    def chosen(self) -> IntArray:
        """The columns whose coefficient is not 0."""
        return np.flatnonzero(self.theta).astype(np.int64)


def sums(d: Design) -> Sums:
    """Return the sums of all trials of a design."""
    return Sums(d.Z @ d.Z.T, d.Z @ d.y, d.mu, d.along)


def share_without(d: Design, held: IntArray) -> float:
    """Return the share of the weight that trials have without some.

    Raises
    ------
    FitError
        If next to nothing is left: the sums of these trials, which are those of all less those of the others, would
        hold nothing but rounding.
    """
    share = 1.0 - float(d.a[held] @ d.a[held])
    if share < _LEAST_SHARE:
        raise FitError(
            "One trial has nearly all of the weight, as its response is by far the smallest: nothing can be learnt "
            "without it. Leave that trial out, choose a logarithmic response, or weights none."
        )
    return share


def sums_without(d: Design, every: Sums, held: IntArray) -> Sums:
    """Return the sums of all trials but some, from those of all: only the rows held out are multiplied.

    What a column has along the constant in the rows that stay is taken out anew, as their mean is another.
    """
    Z, y, a = d.Z[:, held], d.y[held], d.a[held]
    share = share_without(d, held)
    inside, y_inside = -(Z @ a) / share**0.5, -float(y @ a) / share**0.5
    G = every.G - Z @ Z.T
    G -= np.outer(inside, inside)
    b = every.b - Z @ y - inside * y_inside
    return Sums(G, b, inside + d.mu * share**0.5, y_inside + d.along * share**0.5)


def non_negative(s: Sums, start: Solution | None = None) -> Solution:
    """Return the coefficients ≥ 0 that minimise the residual sum of squares, with an intercept ≥ 0.

    Parameters
    ----------
    start : where to begin, such as the solution of a problem that hardly differs; its coefficients are ≥ 0
    """
    return Solver(s, start).at(0.0)


class Solver:
    """Least squares with a penalty, for one penalty after another, each search starting where the one before ended.

    Without `signed`, coefficients and intercept are ≥ 0. The intercept is one more column that is not penalised: if
    what is best with a free intercept has a negative one, then 0 is best, and the other way about, since the problem is
    convex.
    """

    def __init__(self, s: Sums, start: Solution | None = None, *, signed: bool = False) -> None:
        self.sums, self.signed = s, signed
        self.free = signed or (start.free if start else s.along > 0)
        self._search = self._begin(start.theta if start else np.zeros(len(s.b)))

    def at(self, penalty: float) -> Solution:
        """Return the coefficients that minimise ½·RSS + penalty·Σ|θ|."""
        theta = self._search.run(penalty)
        if not self.signed and (self.sums.constant(theta) >= 0) != self.free:
            self.free = not self.free
            self._search = self._begin(theta)
            theta = self._search.run(penalty)
        return Solution(theta, self.free)

    def _begin(self, theta: FloatArray) -> "_ActiveSet":
        return _ActiveSet(*self.sums.products(self.free), theta, self.signed)


class _ActiveSet:
    """A search for w that minimises ½ wᵀGw - bᵀw + penalty·Σ|w|, with w ≥ 0 unless `signed`.

    The column of steepest descent joins (at first a few); then, while the least-squares coefficients of those inside
    have a wrong sign, they go as far towards them as signs allow, and what is 0 leaves.

    Attributes
    ----------
    inside : columns that take part, in no order
    rows : their rows of G
    factor : of their products; None when they have changed
    blocked : columns that rounding alone had called for; they wait until another has joined

    References
    ----------
    Bro, de Jong 1997, A fast non-negativity-constrained least squares algorithm; with signs: Osborne, Presnell,
    Turlach 2000, A new approach to variable selection in least squares problems.
    """

    def __init__(self, G: FloatArray, b: FloatArray, start: FloatArray, signed: bool) -> None:
        self.G, self.b, self.penalty, self.signed = G, b, 0.0, signed
        self.scale = np.sqrt(np.maximum(G.diagonal(), 1e-300))
        self.least = TOLERANCE * float((np.abs(b) / self.scale).max(initial=0.0))
        self.w = start.copy()
        self.inside = np.flatnonzero(start)
        self.rows = G[self.inside]
        self.factor: FloatArray | None = None
        self.sign = np.sign(start)
        self.blocked: BoolArray = np.zeros(len(b), dtype=bool)

    def run(self, penalty: float) -> FloatArray:
        """Return w at a penalty, starting where the last search ended."""
        self.penalty = penalty
        self.blocked[:] = False
        self._settle()
        for turn in range(30 * len(self.b) + 30):
            new = self._steepest(together=turn < TURNS_TOGETHER)
            if not len(new):
                break
            self._keep(np.append(self.inside, new), np.concatenate([self.rows, self.G[new]]))
            self._settle()
            if self.w[new].any():
                self.blocked[:] = False
            elif len(new) == 1:
                self.blocked[new] = True
        return self.w.copy()

    def _steepest(self, *, together: bool) -> IntArray:
        """Return the columns that are to join, noting their signs: the steepest, or a few together."""
        gradient = self.b - self.w[self.inside] @ self.rows
        steep = ((np.abs(gradient) if self.signed else gradient) - self.penalty) / self.scale
        steep[self.inside] = -np.inf
        steep[self.blocked] = -np.inf
        most = float(steep.max(initial=-np.inf))
        if not most > self.least:
            return np.zeros(0, dtype=np.int64)
        if together:
            new = np.flatnonzero(steep > self.least)
            new = new if len(new) <= FEW else np.sort(new[np.argpartition(-steep[new], FEW)[:FEW]])
        else:
            new = np.array([np.argmax(steep >= most * (1 - EQUAL))])
        self.sign[new] = np.sign(gradient[new])
        return new

    def _settle(self) -> None:
        """Go to the least-squares coefficients of the columns inside; those that reach 0 on the way leave."""
        while len(self.inside):
            aim = self._aim()
            if aim is None:
                continue  # with one column less
            now = self.w[self.inside]
            wrong = aim * self.sign[self.inside] <= 0
            if not wrong.any():
                self.w[self.inside] = aim
                return
            share = np.full(len(aim), np.inf)
            share[wrong] = now[wrong] / np.where(now[wrong] == aim[wrong], 1.0, now[wrong] - aim[wrong])
            step = float(share.min())
            stay = share > step
            self.w[self.inside] = np.where(stay, now + step * (aim - now), 0.0)
            self._keep(self.inside[stay], self.rows[stay])

    def _aim(self) -> FloatArray | None:
        """Return the coefficients without regard to signs; None if a column had to leave, as others make it up."""
        if self.factor is None:
            factor, failed = lapack.dpotrf(self.rows.take(self.inside, axis=1), lower=1, clean=0)
            if not failed:
                new = factor.diagonal() ** 2 > COLLINEAR * self.scale[self.inside] ** 2
                failed = 0 if new.all() else int(np.argmin(new)) + 1
            if failed:
                self._exchange(failed - 1, factor)
                return None
            self.factor = factor
        wanted = self.b[self.inside] - self.penalty * self.sign[self.inside]
        return np.asarray(lapack.dpotrs(self.factor, wanted, lower=1)[0])

    def _exchange(self, place: int, factor: FloatArray) -> None:
        """Let a column leave that those before it make up, or go along with it until one of those is 0.

        On the way predictions stay as they are and the penalty falls by `slope` a step, as the column does the work of
        others at a lower price.
        """
        j, before = int(self.inside[place]), self.inside[:place]
        last = place == len(self.inside) - 1
        step, leaves = np.inf, place
        if self.penalty > 0 and last and place and self.w[j] == 0:
            way = -self.sign[j] * lapack.dpotrs(factor[:place, :place], self.G[before, j], lower=1)[0]
            slope = abs(self.b[j] - self.w[before] @ self.G[before, j]) - self.penalty
            shrinks = way * self.sign[before] < 0
            until = np.where(shrinks, np.abs(self.w[before]) / np.where(shrinks, np.abs(way), 1.0), np.inf)
            step = float(until.min())
            bend = max(self.G[j, j] + self.sign[j] * float(way @ self.G[before, j]), 0.0)
            if np.isfinite(step) and step * bend < 2 * slope:
                leaves = int(np.argmin(until))
                self.w[before] += step * way
                self.w[j] = step * self.sign[j]
        self.w[self.inside[leaves]] = 0.0
        self._keep(np.delete(self.inside, leaves), np.delete(self.rows, leaves, axis=0))

    def _keep(self, inside: IntArray, rows: FloatArray) -> None:
        self.inside, self.rows, self.factor = inside, rows, None


def refine(d: Design, found: Solution, penalty: float = 0.0) -> FloatArray:
    """Return the coefficients of the chosen columns once more, from the trials themselves instead of their sums."""
    chosen = found.chosen
    theta = found.theta[chosen]
    A = d.Z[chosen] if found.free else d.Z[chosen] + np.outer(d.mu[chosen], d.a)
    y = d.y if found.free else d.y + d.along * d.a
    Q, R = np.linalg.qr(A.T)
    if not len(chosen) or lapack.dtrcon(R)[0] < 1e-10:
        return theta
    pull = lapack.dtrtrs(R, penalty * np.sign(theta), trans=1)[0]
    better: FloatArray = lapack.dtrtrs(R, Q.T @ y - pull)[0]
    return better if (np.sign(better) == np.sign(theta)).all() else theta
