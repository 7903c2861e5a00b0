"""Forward selection of columns: all candidates scored at once against an orthogonal basis."""

from collections.abc import Iterator

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.models._solve import Passes
from core.models.parts.columns import Candidates
from core.progress import Progress, silent

COLLINEAR = 1e-10
"""A candidate with less than this share of its squared norm left is in the span of the model."""
NEARLY_EQUAL = 1e-8
"""Gains closer than this, relatively, are computed again before one is preferred."""
TIED = 1e-12
"""Exact gains closer than this, relatively, are equal: the earlier candidate is taken."""
ROUNDING = 1e-14
"""Bound on the rounding in a product of unit vectors that was updated step by step."""
SOLVED = 1e-14
"""A model that leaves less than this share of the sum of squares leaves nothing to explain."""
TOLD = 1 << 12
"""Candidates of a step whose gains are kept; of more the best."""
ROOM = 32
"""Terms that there is room for before the basis is moved."""


class Step(Frozen):
    """One step of the selection's story.

    Attributes
    ----------
    candidate : number of the winner in the pool
    r2, adjusted_r2, gain : of the model with it, on the scale of the fit; gain is in adjusted R²
        over the step before, over 0 at the first
    intercept, coefficients : of the model with it, one coefficient per candidate chosen so far
    tried, adjusted : candidates left at this step, and the adjusted R² each would have given; of many the best
    n_tried : how many were left, where those are not all
    """

    candidate: int
    r2: float
    adjusted_r2: float
    gain: float
    intercept: float
    coefficients: FloatArray
    tried: IntArray
    adjusted: FloatArray
    n_tried: int | None = None

    @property
    def n_left(self) -> int:
        """How many candidates were left."""
        return len(self.tried) if self.n_tried is None else self.n_tried


class Contender(Frozen):
    """A candidate orthogonalised against the basis.

    Attributes
    ----------
    v : array of shape (n_trials,), what the basis leaves of the candidate, of length `norm`
    weights : array of shape (k,), of the candidate on the basis
    gain : in explained sum of squares
    """

    candidate: int
    v: FloatArray
    weights: FloatArray
    norm: float
    gain: float


def first_best(contenders: list[Contender]) -> Contender:
    """Return the contender of largest gain, the first of those that are tied."""
    most = max(c.gain for c in contenders)
    return next(c for c in contenders if c.gain >= most * (1 - TIED))


class Search:
    """The state of one selection; lives only inside the function that selects.

    The picks are those of one least-squares solve per candidate and step. For each candidate
    x the squared norm d of what the orthonormal basis Q of the model leaves of it, and its
    product c with the residual, are kept; its gain in explained sum of squares is c²/d. After
    each pick one product Xᵀq updates all of them: d -= (Xᵀq)², c -= (Xᵀq)(qᵀr). Nothing of
    the candidates is rewritten. A candidate that is closed (chosen, collinear, not usable) has
    scale and product 0 and left_norm 1, so that it gains 0 and no update touches it.

    Parameters
    ----------
    candidates : from `columns`, or from `candidates_of`
    y : array of shape (n_trials,), not constant
    usable : which candidates take part; the others, where they are written out, are zeroed
    intercept : whether every model has a constant; without, R² is still about the mean of y

    References
    ----------
    Kerr et al. 2012 (Eiger), Algorithm 1 and equation 3.
    """

    def __init__(self, candidates: Candidates, y: FloatArray, usable: BoolArray, intercept: bool) -> None:
        candidates = candidates.only(usable)
        self.candidates, self.means, self.norms = candidates, candidates.means, candidates.norms
        self.scale = np.divide(1.0, self.norms, out=np.zeros_like(self.norms), where=usable)
        self.n = len(y)
        self.unit = 2.0 ** int(np.frexp(np.abs(y).max())[1] - 1)  # a power of 2 changes no digit
        self.residual = y / self.unit
        self.mean_y = float(self.residual.mean())
        self.total = float(((self.residual - self.mean_y) ** 2).sum())
        if intercept:
            self.residual -= self.mean_y
        self.intercept = intercept
        self.left = float(self.residual @ self.residual)
        self.rounding = 2 * ROUNDING * self.left**0.5 * candidates.loss
        self.product = candidates.times(self.residual) * self.scale
        self.left_norm = np.ones(len(self.norms))
        self.open = usable.copy()
        self.Q = np.empty((ROOM, self.n))
        self.inverse = np.zeros((ROOM, ROOM))
        self.solution = np.zeros(ROOM)
        self.along = 0.0
        self.chosen: list[int] = []
        self.passes = Passes(candidates)
        self.collinear: list[tuple[int, int]] = []

    def steps(
        self, threshold: float, max_terms: int, progress: Progress = silent, *, told: int = TOLD
    ) -> Iterator[Step]:
        """Add the candidate of largest adjusted R² while it gains more than `threshold` and somebody asks for it.

        The first term is always added. Each step tells of so many candidates at most, the best.
        """
        best: float = -np.inf
        while (k := len(self.chosen)) < max_terms and self.n - k - 2 > 0 and self.left > SOLVED * self.total:
            progress(k / max_terms, f"term {k + 1}")
            gains, contenders = self.next()
            if not contenders:
                break
            winner = first_best(contenders)
            share = (self.n - 1) / (self.n - k - 2) / self.total
            adjusted = 1 - max(self.left - winner.gain, 0.0) * share
            if not adjusted - best > threshold:
                break
            for c in contenders:
                gains[c.candidate] = min(c.gain, winner.gain)
            tried = self._best(gains, told)
            rivals = 1 - np.maximum(self.left - gains[tried], 0.0) * share
            n_tried = None if len(gains) <= told else int(np.count_nonzero(self.open))
            self.add(winner)
            yield self._step(adjusted, adjusted - best if k else adjusted, tried, rivals, n_tried)
            best = adjusted

    def next(self) -> tuple[FloatArray, list[Contender]]:
        """Return each candidate's gain with the model as it stands, and those that may be the best, exactly."""
        if self.chosen:
            self.update()
        gains = self.gains()
        return gains, self.contenders(gains)

    def _best(self, gains: FloatArray, most: int) -> IntArray:
        """Return the candidates that are left, in order; of more than `most` the best."""
        if len(gains) <= most:
            return np.flatnonzero(self.open)
        best = np.argpartition(-gains, most)[:most] if most else np.zeros(0, dtype=np.int64)
        return np.sort(best[self.open[best]])

    def gains(self) -> FloatArray:
        """Return each candidate's gain in explained sum of squares, but for rounding."""
        return self.product**2 / self.left_norm

    def update(self) -> None:
        """Take the newest basis vector out of all candidates: the one pass over them in a step."""
        w = self.passes.newest(self.latest, self.Q[len(self.chosen) - 1], self.scale, self.gains)
        self.left_norm -= w * w
        w *= self.along
        self.product -= w
        gone = self.left_norm < COLLINEAR
        if gone.any():
            for j in np.flatnonzero(gone).tolist():
                self._leave_out(j)

    def _leave_out(self, j: int) -> None:
        self.collinear.append((j, len(self.chosen) + 1))
        self._close(j)

    def _close(self, j: int) -> None:
        self.open[j] = False
        self.scale[j] = self.product[j] = 0.0
        self.left_norm[j] = 1.0

    def contenders(self, gains: FloatArray) -> list[Contender]:
        """Return, exactly, the candidates that rounding allows to be the best; collinear ones drop out."""
        margin = (np.abs(self.product) * self.rounding + gains * ROUNDING) / self.left_norm
        upper = gains + margin
        least = (1 - NEARLY_EQUAL) * float((gains - margin).max(initial=0.0))
        found: dict[int, Contender | None] = {}
        limit = np.inf
        while least < limit:
            limit, near = least, np.flatnonzero(upper >= least).tolist()
            found |= {j: self._orthogonalise(j) for j in near if j not in found and self.open[j]}
            best = max((c.gain for c in found.values() if c is not None), default=0.0)
            least = min(least, (1 - NEARLY_EQUAL) * best)
        return [c for _, c in sorted(found.items()) if c is not None]

    def _orthogonalise(self, j: int) -> Contender | None:
        """Orthogonalise a candidate against the basis, twice, which is enough; drop it if nothing is left."""
        v = self.candidates.row(j)
        v *= self.scale[j]
        weights = np.zeros(0)
        if self.chosen:
            Q = self.Q[: len(self.chosen)]
            weights = Q @ v
            v -= weights @ Q
            again = Q @ v
            v -= again @ Q
            weights += again
        square = float(v @ v)
        if square < COLLINEAR:
            self._leave_out(j)
            return None
        return Contender(j, v, weights, square**0.5, float(v @ self.residual) ** 2 / square)

    def add(self, winner: Contender) -> None:
        """Put a candidate into the model.

        It is z = Q w + |v| q, and Q = Z T with T the inverse of the triangle: so the new
        column of T is (-T w, 1) / |v|, and the solution grows by (qᵀr) times that column.
        """
        k = len(self.chosen)
        if k == len(self.Q):
            self._grow()
        q = np.divide(winner.v, winner.norm, out=self.Q[k])
        self.along = float(q @ self.residual)
        self.residual -= self.along * q
        self.left = float(self.residual @ self.residual)
        column = self.inverse[: k + 1, k]
        column[:k] = self.inverse[:k, :k] @ winner.weights / -winner.norm
        column[k] = 1 / winner.norm
        self.solution[: k + 1] += self.along * column
        self.chosen.append(winner.candidate)
        self.latest = winner.candidate, winner.weights, winner.norm
        self._close(winner.candidate)

    def _grow(self) -> None:
        self.Q = np.concatenate([self.Q, np.empty_like(self.Q)])
        self.inverse = np.pad(self.inverse, (0, len(self.inverse)))
        self.solution = np.pad(self.solution, (0, len(self.solution)))

    def _step(self, adjusted: float, gain: float, tried: IntArray, rivals: FloatArray, n_tried: int | None) -> Step:
        coefficients = self.solution[: len(self.chosen)] / self.norms[self.chosen]
        constant = self.mean_y - float(coefficients @ self.means[self.chosen]) if self.intercept else 0.0
        r2, last = 1 - self.left / self.total, self.chosen[-1]
        return Step(last, r2, adjusted, gain, constant * self.unit, coefficients * self.unit, tried, rivals, n_tried)
