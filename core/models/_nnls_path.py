"""Forward selection and backward elimination of non-negative least squares, candidates tried as late as possible."""

from collections.abc import Callable

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.models._criteria import Criterion
from core.models._forward import NEARLY_EQUAL
from core.models._linear_design import Design
from core.models._nnls import Solution, refine, sums
from core.models._nnls_bounds import State, gains, losses
from core.models._ols_path import Selected
from core.models.parts.linear import LinearStep
from core.progress import Progress, silent


def forward(d: Design, criterion: Criterion, max_terms: int, progress: Progress = silent) -> Selected:
    """Add the column with which the non-negative fit gains most, while the criterion falls.

    A column that would get a coefficient of 0 leaves the model, and may come back. Columns are tried in the order of
    what they could gain if signs were free, and no more of them once the best is at least as good as the next could be.
    """
    walk = _Walk(d, criterion, np.zeros(0, dtype=np.int64))
    while len(walk.now.chosen) < max_terms and walk.now.rss > criterion.least:
        now, k = walk.now, len(walk.now.chosen)
        progress(k / max_terms, f"term {k + 1}")
        bound = gains(now)
        tried = _best(-bound.change, bound.sure, lambda j: walk.now.change(np.append(walk.now.chosen, j)))
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
        bound = losses(now)
        place = _best(bound.change, bound.sure, lambda i: walk.now.change(np.delete(walk.now.chosen, i)))
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
