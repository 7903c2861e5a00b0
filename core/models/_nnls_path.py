"""Forward selection and backward elimination of non-negative least squares, candidates tried as late as possible."""

from collections.abc import Callable

import numpy as np

from core.codec import FloatArray, IntArray
from core.models._criteria import Criterion
from core.models._forward import NEARLY_EQUAL
from core.models._linear_design import Design
from core.models._nnls import Solution, Sums, non_negative, refine, sums
from core.models._nnls_bounds import State, gains, losses
from core.models._ols_path import Selected
from core.models.parts.columns import BoolArray
from core.models.parts.linear import LinearStep
from core.progress import Progress, silent


def forward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Add the column with which the non-negative fit gains most, while the criterion falls.

    A column that would get a coefficient of 0 leaves the model, and may come back. Columns are tried in the order of
    what they could gain if signs were free, and no more of them once the best is at least as good as the next could be.
    """
    walk = _Walk(d, criterion)
    while len(walk.chosen) < max_terms and walk.rss > walk.criterion.least:
        progress(len(walk.chosen) / max_terms, f"term {len(walk.chosen) + 1}")
        bound = gains(walk.state)
        tried = _best(-bound.change, bound.sure, lambda j: walk.rss_with(j) - walk.rss)
        if tried is None or not walk.go(np.append(walk.chosen, tried), forced=False):
            break
    return walk.picked()


def backward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Start with the columns of the full non-negative fit and take out the one that is missed least.

    Columns of the full fit that are 0 are free to leave, and have left before the first step.

    Parameters
    ----------
    max_terms : columns are taken out, until there are no more than these and the criterion has a value
    """
    walk = _Walk(d, criterion, full=True)
    start = max(len(walk.chosen), 1)
    while len(walk.chosen):
        progress(1 - len(walk.chosen) / start, f"{len(walk.chosen)} terms")
        bound = losses(walk.state)
        place = _best(bound.change, bound.sure, lambda i: walk.rss_without(i) - walk.rss)
        forced = len(walk.chosen) > max_terms or not np.isfinite(walk.value)
        if place is None or not walk.go(np.delete(walk.chosen, place), forced=forced):
            break
    return walk.picked()


class _Walk:
    """The model as it stands; lives only inside a selection.

    Attributes
    ----------
    chosen, theta : columns of the design and their coefficients, all positive
    free : whether the intercept is positive, else it is held at 0
    """

    def __init__(self, d: Design, criterion: Criterion, *, full: bool = False) -> None:
        self.d, self.criterion, self.sums = d, criterion, sums(d)
        self.chosen, self.theta, self.free = np.zeros(0, dtype=np.int64), np.zeros(0), d.along > 0
        if full:
            self._take(np.arange(d.p), non_negative(self.sums))
        self.rss = self._rss()
        self.value = criterion.value(self.rss, len(self.chosen))
        self.steps = [self._step(())]

    def solve(self, columns: IntArray) -> tuple[Solution, Sums]:
        """Return the fit of some columns, starting from the model."""
        own = self.sums.take(columns)
        theta = np.zeros(len(columns))
        place = {j: i for i, j in enumerate(columns.tolist())}
        for j, value in zip(self.chosen.tolist(), self.theta.tolist(), strict=True):
            if j in place:
                theta[place[j]] = value
        return non_negative(own, Solution(theta, self.free)), own

    @property
    def state(self) -> State:
        """What bounds are computed from."""
        return State(self.sums, self.d, self.chosen, self.free, self.rss)

    def rss_with(self, j: int) -> float:
        """Return the residual sum of squares with one more column."""
        return self._rss_of(np.append(self.chosen, j))

    def rss_without(self, i: int) -> float:
        """Return the residual sum of squares without the column at a place."""
        return self._rss_of(np.delete(self.chosen, i))

    def go(self, columns: IntArray, *, forced: bool) -> bool:
        """Take the fit of these columns if the criterion falls, or if it must; return whether it was taken."""
        before = self.chosen, self.theta, self.free, self.rss
        self._take(columns, self.solve(columns)[0])
        self.rss = self._rss()
        value = self.criterion.value(self.rss, len(self.chosen))
        if not forced and not value < self.value:
            self.chosen, self.theta, self.free, self.rss = before
            return False
        self.value = value
        self.steps.append(self._step(before[0]))
        return True

    def picked(self) -> Selected:
        """Return the model, its coefficients from the trials themselves."""
        theta = np.zeros(self.d.p)
        theta[self.chosen] = self.theta
        exact = dict(zip(np.sort(self.chosen).tolist(), refine(self.d, Solution(theta, self.free)), strict=True))
        own = np.array([exact[j] for j in self.chosen.tolist()])
        return Selected(self.chosen, own, tuple(self.steps), free=self.free)

    def _take(self, columns: IntArray, found: Solution) -> None:
        inside = found.chosen
        self.chosen, self.theta, self.free = columns[inside], found.theta[inside], found.free

    def _rss_of(self, columns: IntArray) -> float:
        found, own = self.solve(columns)
        inside = found.chosen
        left = self.d.y - found.theta[inside] @ self.d.Z[columns[inside]]
        return float(left @ left) + (0.0 if found.free else own.constant(found.theta) ** 2)

    def _rss(self) -> float:
        left = self.d.y - self.theta @ self.d.Z[self.chosen]
        return float(left @ left) + (0.0 if self.free else self.constant(self.theta) ** 2)

    def constant(self, theta: FloatArray) -> float:
        """Return the best intercept for some coefficients of the chosen columns."""
        return self.d.along - float(theta @ self.d.mu[self.chosen])

    def _step(self, before: "IntArray | tuple[int, ...]") -> LinearStep:
        old, new = set(np.asarray(before, dtype=np.int64).tolist()), set(self.chosen.tolist())
        came, went = self.d.numbers(sorted(new - old)), self.d.numbers(sorted(old - new))
        value = self.value if np.isfinite(self.value) else None
        return LinearStep(came, went, len(self.chosen), 1 - self.rss / self.d.total, value)


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
    near = [j for j, value in found.items() if value <= best + NEARLY_EQUAL * abs(best)]
    return min(near, default=None)
