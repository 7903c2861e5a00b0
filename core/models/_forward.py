"""Forward selection of columns: all candidates scored at once against an orthogonal basis."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.progress import Progress, silent

BoolArray = npt.NDArray[np.bool_]

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
ROOM = 32
"""Terms that there is room for before the basis is moved."""
BLOCK = 1 << 19
"""Numbers that are centred at a time, so that they stay in the cache between the passes."""


@dataclass(frozen=True)
class Columns:
    """Candidates as a selection wants them: one per row, centred, their lengths beside.

    Attributes
    ----------
    Z : array of shape (n_candidates, n_trials)
    means, norms : arrays of shape (n_candidates,): candidate = mean + Z, of length norm
    peaks : array of shape (n_candidates,), the largest |Z|
    """

    Z: FloatArray
    means: FloatArray
    norms: FloatArray
    peaks: FloatArray

    @property
    def varies(self) -> BoolArray:
        """Which candidates are finite and not constant beyond rounding."""
        size = np.sqrt(self.Z.shape[1]) * np.abs(self.means)
        found: BoolArray = np.isfinite(self.norms) & (self.norms > 1e-12 * size) & (self.norms > 0)
        return found

    def leverage(self) -> FloatArray:
        """Return per candidate the largest share of its squared length that one trial has."""
        with np.errstate(all="ignore"):
            share: FloatArray = (self.peaks / self.norms) ** 2
        return share


def columns(candidates: FloatArray, *, intercept: bool = True) -> Columns:
    """Centre candidates in place (where there is an intercept) and measure them.

    Parameters
    ----------
    candidates : array of shape (n_candidates, n_trials), used up; may hold numbers that are not
        finite
    """
    n_candidates, n = candidates.shape
    means, norms, peaks = np.zeros(n_candidates), np.empty(n_candidates), np.empty(n_candidates)
    average = np.full(n, 1 / n)
    rows = max(1, BLOCK // n)
    with np.errstate(all="ignore"):
        for start in range(0, n_candidates, rows):
            part = slice(start, start + rows)
            Z = candidates[part]
            if intercept:
                means[part] = Z @ average
                Z -= means[part, None]
            norms[part] = np.sqrt(np.vecdot(Z, Z))
            peaks[part] = np.maximum(Z.max(axis=1), -Z.min(axis=1))
        odd = np.flatnonzero(((norms > 1e140) | (norms < 1e-140)) & (peaks > 0))
        scaled = candidates[odd] / peaks[odd, None]
        norms[odd] = peaks[odd] * np.sqrt(np.vecdot(scaled, scaled))  # squares of these leave the range
    return Columns(candidates, means, norms, peaks)


@dataclass(frozen=True)
class Step:
    """One step of the selection's story.

    Attributes
    ----------
    candidate : number of the winner in the pool
    r2, adjusted_r2, gain : of the model with it, on the scale of the fit; gain is in adjusted R²
        over the step before, over 0 at the first
    intercept, coefficients : of the model with it, one coefficient per candidate chosen so far
    tried, adjusted : candidates left at this step, and the adjusted R² each would have given
    """

    candidate: int
    r2: float
    adjusted_r2: float
    gain: float
    intercept: float
    coefficients: FloatArray
    tried: IntArray
    adjusted: FloatArray


@dataclass(frozen=True)
class Path:
    """A whole selection, and the candidates that fell out as collinear, with the step."""

    steps: tuple[Step, ...]
    collinear: tuple[tuple[int, int], ...]


def forward(
    candidates: Columns,
    y: FloatArray,
    usable: BoolArray,
    *,
    threshold: float = 0.0,
    max_terms: int = 20,
    intercept: bool = True,
    progress: Progress = silent,
) -> Path:
    """Add the candidate of largest adjusted R² while it gains more than `threshold`.

    The picks are those of one least-squares solve per candidate and step. For each candidate
    x the squared norm d of what the orthonormal basis Q of the model leaves of it, and its
    product c with the residual, are kept; its gain in explained sum of squares is c²/d. After
    each pick one product Xᵀq updates all of them: d -= (Xᵀq)², c -= (Xᵀq)(qᵀr). Nothing of
    the candidates is rewritten.

    Parameters
    ----------
    candidates : from `columns`
    y : array of shape (n_trials,), not constant
    usable : which candidates take part; the rows of the others in `candidates.Z` are zeroed
    threshold : least gain in adjusted R² that adds a term; the first term is always added
    max_terms : most terms
    intercept : whether every model has a constant; without, R² is still about the mean of y

    References
    ----------
    Kerr et al. 2012 (Eiger), Algorithm 1 and equation 3.
    """
    candidates.Z[~usable] = 0.0
    return _Search(candidates, y, usable, intercept).run(threshold, max_terms, progress)


@dataclass(frozen=True)
class _Exact:
    """Candidates orthogonalised against the basis.

    Attributes
    ----------
    near : which candidates
    V : array of shape (m, n_trials), what the basis leaves of each
    weights : array of shape (m, k), of each on the basis
    squares : array of shape (m,), squared norms of V
    gains : array of shape (m,), in explained sum of squares; -1 for a collinear candidate
    """

    near: IntArray
    V: FloatArray
    weights: FloatArray
    squares: FloatArray
    gains: FloatArray


class _Search:
    """The state of one selection; lives only inside `forward`.

    A candidate that is closed (chosen, collinear, not usable) has scale and product 0 and
    left_norm 1, so that it gains 0 and no update touches it.
    """

    def __init__(self, candidates: Columns, y: FloatArray, usable: BoolArray, intercept: bool) -> None:
        self.Z, self.means, self.norms = candidates.Z, candidates.means, candidates.norms
        self.scale = np.divide(1.0, self.norms, out=np.zeros_like(self.norms), where=usable)
        self.n = len(y)
        self.mean_y = float(y.mean()) if intercept else 0.0
        self.residual = y - self.mean_y
        self.total = float(((y - y.mean()) ** 2).sum())
        self.left = float(self.residual @ self.residual)
        self.rounding = 2 * ROUNDING * self.left**0.5
        self.product = (self.Z @ self.residual) * self.scale
        self.left_norm = np.ones(len(self.Z))
        self.open = usable.copy()
        self.Q = np.empty((ROOM, self.n))
        self.R = np.zeros((ROOM, ROOM))
        self.along = np.zeros(ROOM)
        self.chosen: list[int] = []
        self.collinear: list[tuple[int, int]] = []

    def run(self, threshold: float, max_terms: int, progress: Progress) -> Path:
        steps: list[Step] = []
        best: float = -np.inf
        while len(steps) < max_terms and self.n - len(steps) - 2 > 0 and self.left > SOLVED * self.total:
            progress(len(steps) / max_terms, f"term {len(steps) + 1}")
            self._drop_collinear()
            gains = self.product**2 / self.left_norm
            exact = self._contenders(gains)
            if exact is None:
                break
            i = int((exact.gains >= exact.gains.max() * (1 - TIED)).argmax())
            gains[exact.near] = exact.gains
            tried = np.flatnonzero(self.open)
            rivals = self._adjusted(self.left - gains[tried])
            adjusted = float(rivals[np.searchsorted(tried, exact.near[i])])
            if not adjusted - best > threshold:
                break
            self._add(exact, i)
            steps.append(self._step(adjusted, adjusted - max(best, 0.0), tried, rivals))
            best = adjusted
        return Path(tuple(steps), tuple(self.collinear))

    def _adjusted(self, left: FloatArray) -> FloatArray:
        """Return the adjusted R² of models with one more term that leave so much unexplained."""
        freedom = (self.n - 1) / (self.n - len(self.chosen) - 2)
        return 1 - np.maximum(left, 0.0) * (freedom / self.total)

    def _drop_collinear(self) -> None:
        gone = self.left_norm < COLLINEAR
        if gone.any():
            self._close_collinear(np.flatnonzero(gone))

    def _close_collinear(self, gone: IntArray) -> None:
        step = len(self.chosen) + 1
        self.collinear += [(int(j), step) for j in gone]
        self._close(gone)

    def _close(self, gone: IntArray | int) -> None:
        self.open[gone] = False
        self.scale[gone] = self.product[gone] = 0.0
        self.left_norm[gone] = 1.0

    def _contenders(self, gains: FloatArray) -> _Exact | None:
        """Return, exactly, all candidates that rounding allows to be the best; None if none is left."""
        margin = (np.abs(self.product) * self.rounding + gains * ROUNDING) / self.left_norm
        upper = gains + margin
        near = np.flatnonzero(upper >= _nearly((gains - margin).max(initial=0.0)))
        exact = self._orthogonalise(near[self.open[near]])
        best = exact.gains.max(initial=-1.0)
        if np.count_nonzero(upper >= _nearly(best)) > len(near):  # the best of them was less than it seemed
            near = np.flatnonzero(upper >= min(_nearly(best), upper[near].min(initial=0.0)))
            exact = self._orthogonalise(near[self.open[near]])
        gone = exact.near[exact.gains < 0]
        if len(gone):
            self._close_collinear(gone)
        return exact if len(gone) < len(exact.near) else None

    def _orthogonalise(self, near: IntArray) -> _Exact:
        """Orthogonalise candidates against the basis, twice, which is enough."""
        k = len(self.chosen)
        V = self.Z[near] * self.scale[near, None]
        weights = np.zeros((len(near), k))
        if k:
            Q = self.Q[:k]
            for _ in range(2):
                w = V @ Q.T
                V -= w @ Q
                weights += w
        squares = np.vecdot(V, V)
        gains = (V @ self.residual) ** 2 / np.maximum(squares, COLLINEAR)
        gains[squares < COLLINEAR] = -1.0
        return _Exact(near, V, weights, squares, gains)

    def _add(self, exact: _Exact, i: int) -> None:
        """Put a candidate into the model: one pass over all the others."""
        k, winner, norm = len(self.chosen), int(exact.near[i]), float(exact.squares[i]) ** 0.5
        if k == len(self.Q):
            self._grow()
        q = np.divide(exact.V[i], norm, out=self.Q[k])
        along = float(q @ self.residual)
        self.R[:k, k], self.R[k, k], self.along[k] = exact.weights[i], norm, along
        self.chosen.append(winner)
        self._close(winner)
        w = self.Z @ q
        w *= self.scale
        self.left_norm -= w * w
        w *= along
        self.product -= w
        self.residual -= along * q
        self.left = float(self.residual @ self.residual)

    def _grow(self) -> None:
        self.Q = np.concatenate([self.Q, np.empty_like(self.Q)])
        self.R = np.pad(self.R, (0, len(self.R)))
        self.along = np.pad(self.along, (0, len(self.along)))

    def _step(self, adjusted: float, gain: float, tried: IntArray, rivals: FloatArray) -> Step:
        k = len(self.chosen)
        coefficients = np.linalg.solve(self.R[:k, :k], self.along[:k]) / self.norms[self.chosen]
        intercept = self.mean_y - float(coefficients @ self.means[self.chosen])
        r2 = 1 - self.left / self.total
        return Step(self.chosen[-1], r2, adjusted, gain, intercept, coefficients, tried, rivals)


def _nearly(gain: float) -> float:
    """Return the least gain that counts as nearly equal."""
    return gain * (1 - NEARLY_EQUAL)
