"""Forward selection and backward elimination of non-negative least squares, candidates tried as late as possible.

What a column more or less could do to a fit at best is worked out for all columns at once.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.models._forward import NEARLY_EQUAL
from core.models._linear_design import Design
from core.models._nnls import COLLINEAR, TOLERANCE, Solution, Sums, non_negative, refine, sums
from core.models._ols_path import Selected
from core.models._solve import Criterion
from core.models.parts.linear import LinearStep
from core.progress import Progress, silent

Bounds = tuple[FloatArray, BoolArray]
"""Of each candidate, by how much the residual sum of squares falls, or grows, at best, and whether by just that.

It is just that where no coefficient would turn negative; arrays of shape (n_candidates,).
"""
TRUSTED = 0.01 * COLLINEAR
"""Products with a smaller pivot than this share of its diagonal are not solved with."""


class State(Frozen):
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


def gains(state: State) -> Bounds:
    """Return by how much each column could make the residual sum of squares smaller; -inf if it cannot.

    That is its gain with the signs of all coefficients but the intercept's free.
    """
    now = _Reach(state, state.free)
    gain, theta, own = now.gains()
    candidate = np.isfinite(gain)
    sure: BoolArray = np.asarray((theta >= 0).all(axis=0)) & candidate & now.regular
    constant = state.constants(theta) - state.d.mu * own
    if state.free:
        return gain, sure & (constant >= 0)
    turns = (constant > 0) & candidate
    if turns.any():  # with this column the intercept is positive
        gain[turns], sure[turns] = state.rss, False
        other = _Reach(state, free=True)
        if other.regular:
            more, theta, own = other.gains(all_signs=True)
            gain[turns] = np.where(np.isfinite(more), more, 0.0)[turns] + (state.rss - other.rss)
            sure[turns] = ((theta >= 0).all(axis=0) & (own > 0))[turns]
    return gain, sure


def losses(state: State) -> Bounds:
    """Return by how much the residual sum of squares grows at least without each of the chosen columns."""
    loss, theta, regular = _missed(state, state.free)
    constant = state.constants(theta)
    sure: BoolArray = np.asarray((theta >= 0).all(axis=0)) & regular
    if state.free:
        return loss, sure & (constant >= 0)
    turns = constant > 0
    if turns.any():
        loss[turns], sure[turns] = 0.0, False
        free_loss, theta, regular = _missed(state, free=True)
        if regular:
            loss[turns] = np.maximum(free_loss, 0.0)[turns]
            sure[turns] = ((theta >= 0).all(axis=0) & (free_loss >= 0))[turns]
    return loss, sure


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


def forward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Add the column with which the non-negative fit gains most, while the criterion falls.

    A column that would get a coefficient of 0 leaves the model, and may come back. Columns are tried in the order of
    what they could gain if signs were free, and no more of them once the best is at least as good as the next could be.
    """
    walk = _Walk(d, criterion, np.zeros(0, dtype=np.int64))
    while len(walk.now.chosen) < max_terms and walk.now.rss > criterion.least:
        now, k = walk.now, len(walk.now.chosen)
        progress(k / max_terms, f"term {k + 1}")
        change, sure = gains(now)
        tried = _best(-change, sure, lambda j: walk.now.change(np.append(walk.now.chosen, j)))
        if tried is None or not walk.go(np.append(now.chosen, tried), forced=False):
            break
    return walk.picked()


def backward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Start with the columns of the full non-negative fit and take out the one that is missed least.

    Columns of the full fit that are 0 are free to leave, and have left before the first step.

    Parameters
    ----------
    max_terms : columns are taken out, until there are no more than these and the criterion has a value
    """
    walk = _Walk(d, criterion, np.arange(d.p))
    start = max(len(walk.now.chosen), 1)
    while k := len(walk.now.chosen):
        now = walk.now
        progress(1 - k / start, f"{k} terms")
        change, sure = losses(now)
        place = _best(change, sure, lambda i: walk.now.change(np.delete(walk.now.chosen, i)))
        forced = k > max_terms or not np.isfinite(walk.value)
        if place is None or not walk.go(np.delete(now.chosen, place), forced=forced):
            break
    return walk.picked()


class _Walk:
    """The model as it stands, and how it came there; lives only inside a selection."""

    def __init__(self, d: Design, criterion: Criterion, columns: IntArray) -> None:
        self.criterion, self.steps = criterion, list[LinearStep]()
        none = State(sums(d), d, np.zeros(0, dtype=np.int64), np.zeros(0), d.along > 0)
        self._take(none.of(columns) if len(columns) else none, set())

    def go(self, columns: IntArray, *, forced: bool) -> bool:
        """Take the fit of these columns if the criterion falls, or if it must; return whether it was taken."""
        new = self.now.of(columns)
        taken = forced or self._value(new) < self.value
        if taken:
            self._take(new, set(self.now.chosen.tolist()))
        return taken

    def picked(self) -> Selected:
        """Return the model, its coefficients from the trials themselves."""
        now = self.now
        theta = np.zeros(now.d.p)
        theta[now.chosen] = now.theta
        theta[np.sort(now.chosen)] = refine(now.d, Solution(theta, now.free))
        return Selected(now.chosen, theta[now.chosen], tuple(self.steps), free=now.free)

    def _take(self, new: State, old: set[int]) -> None:
        self.now, self.value, chosen = new, self._value(new), set(new.chosen.tolist())
        came, went = (new.d.numbers(sorted(own)) for own in (chosen - old, old - chosen))
        value = self.value if np.isfinite(self.value) else None
        self.steps.append(LinearStep(came, went, len(chosen), 1 - new.rss / new.d.total, value))

    def _value(self, state: State) -> float:
        return self.criterion.value(state.rss, len(state.chosen))


def _best(change: FloatArray, sure: BoolArray, measure: Callable[[int], float]) -> int | None:
    """Return the candidate with the smallest change, measuring as few as possible; of nearly equal ones the first.

    Parameters
    ----------
    change : what each changes at best; infinity for those that cannot be taken
    sure : whether it does
    measure : what it really does
    """
    found: dict[int, float] = {}
    best = np.inf
    for j in np.argsort(change, kind="stable").tolist():
        if not np.isfinite(change[j]) or change[j] > best + NEARLY_EQUAL * abs(best):
            break
        found[j] = float(change[j]) if sure[j] else measure(j)
        best = min(best, found[j])
    return min([j for j, value in found.items() if value <= best + NEARLY_EQUAL * abs(best)], default=None)
