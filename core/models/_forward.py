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
ROUNDING = 1e-14
"""Bound on the rounding in a product of unit vectors that was updated step by step."""
SOLVED = 1e-14
"""A model that leaves less than this share of the sum of squares leaves nothing to explain."""
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
class PathStep:
    """One step of a selection.

    Attributes
    ----------
    winner : the candidate that was added
    r2, adjusted_r2 : of the model with it
    gain : in adjusted R² over the step before; over 0 at the first
    intercept, coefficients : of the model with it, one coefficient per candidate chosen so far
    tried : candidates that were left at this step
    adjusted : adjusted R² that each of them would have given
    """

    winner: int
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

    steps: tuple[PathStep, ...]
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
    V : array of shape (m, n_trials), unit vectors orthogonal to the basis
    weights : array of shape (m, k + 1), of each candidate on the basis and its own vector
    gains : array of shape (m,), in explained sum of squares; -1 for a collinear candidate
    """

    V: FloatArray
    weights: FloatArray
    gains: FloatArray


class _Search:
    """The state of one selection; lives only inside `forward`."""

    def __init__(self, candidates: Columns, y: FloatArray, usable: BoolArray, intercept: bool) -> None:
        self.Z, self.means, self.norms = candidates.Z, candidates.means, candidates.norms
        self.scale = np.divide(1.0, self.norms, out=np.zeros_like(self.norms), where=usable)
        self.n = len(y)
        self.mean_y = float(y.mean()) if intercept else 0.0
        self.residual = y - self.mean_y
        self.total = float(((y - y.mean()) ** 2).sum())
        self.left = float(self.residual @ self.residual)
        self.rounding = ROUNDING * self.left**0.5
        self.product = (self.Z @ self.residual) * self.scale
        self.left_norm = np.ones(len(self.Z))
        self.open = usable.copy()
        self.Q = np.empty((8, self.n))
        self.R = np.zeros((8, 8))
        self.along = np.zeros(8)
        self.chosen: list[int] = []
        self.collinear: list[tuple[int, int]] = []

    def run(self, threshold: float, max_terms: int, progress: Progress) -> Path:
        steps: list[PathStep] = []
        best: float = -np.inf
        while len(steps) < max_terms and self.n - len(steps) - 2 > 0 and self.left > SOLVED * self.total:
            k = len(steps) + 1
            progress((k - 1) / max_terms, f"term {k}")
            self._close(self.open & (self.left_norm < COLLINEAR), k)
            gains = self.product**2 / self.left_norm
            found = self._winner(gains, k)
            if found is None:
                break
            winner, q, weights, gain = found
            adjusted = self._adjusted(np.array([self.left - gain]), k)[0]
            if not adjusted - best > threshold:
                break
            tried = np.flatnonzero(self.open)
            gains[winner] = gain
            rivals = self._adjusted(self.left - gains[tried], k)
            self._add(winner, q, weights)
            steps.append(self._step(float(adjusted), float(adjusted - max(best, 0.0)), tried, rivals))
            best = float(adjusted)
        return Path(tuple(steps), tuple(self.collinear))

    def _adjusted(self, left: FloatArray, k: int) -> FloatArray:
        return 1 - np.maximum(left, 0.0) * ((self.n - 1) / (self.n - k - 1) / self.total)

    def _close(self, gone: BoolArray, k: int) -> None:
        """Leave out for good what is collinear with the model."""
        if gone.any():
            self.collinear += [(int(j), k) for j in np.flatnonzero(gone)]
            self.open[gone] = False
            self.left_norm[gone] = 1.0

    def _winner(self, gains: FloatArray, k: int) -> tuple[int, FloatArray, FloatArray, float] | None:
        """Return the best candidate, its new direction, weights and gain; ties go to the earlier one.

        All candidates that rounding allows to be the best are orthogonalised exactly.
        """
        size = np.abs(self.product)
        margin = (ROUNDING * gains + 2 * self.rounding * size) / self.left_norm
        upper = np.where(self.open, gains + margin, -np.inf)
        lower = np.where(self.open, gains - margin, -np.inf)
        near = np.flatnonzero(upper >= _nearly(lower.max(initial=-np.inf)))
        near = near[self.open[near]]
        if not len(near):
            return None
        exact = self._orthogonalise(near)
        if np.count_nonzero(upper >= _nearly(exact.gains.max())) > len(near):
            near = np.flatnonzero(upper >= min(_nearly(exact.gains.max()), upper[near].min()))
            near = near[self.open[near]]
            exact = self._orthogonalise(near)
        gone = np.zeros_like(self.open)
        gone[near[exact.gains < 0]] = True
        self._close(gone, k)
        if gone[near].all():
            return None
        i = int(np.flatnonzero(exact.gains >= exact.gains.max() * (1 - 1e-12))[0])
        return int(near[i]), exact.V[i], exact.weights[i], float(exact.gains[i])

    def _orthogonalise(self, near: IntArray) -> _Exact:
        """Orthogonalise candidates against the basis, twice, which is enough."""
        Q = self.Q[: len(self.chosen)]
        V = self.Z[near] * self.scale[near, None]
        weights = np.zeros((len(near), len(Q) + 1))
        for _ in range(2 if len(Q) else 0):
            w = V @ Q.T
            V -= w @ Q
            weights[:, :-1] += w
        norm = np.sqrt(np.vecdot(V, V))
        weights[:, -1] = norm
        V /= np.where(norm > 0, norm, 1.0)[:, None]
        gains = np.where(norm**2 < COLLINEAR, -1.0, (V @ self.residual) ** 2)
        return _Exact(V, weights, gains)

    def _add(self, winner: int, q: FloatArray, weights: FloatArray) -> None:
        k = len(self.chosen)
        if k == len(self.Q):
            self._grow()
        along = float(q @ self.residual)
        w = (self.Z @ q) * self.scale
        self.left_norm -= w * w
        w *= along
        self.product -= w
        self.residual -= along * q
        self.left = float(self.residual @ self.residual)
        self.open[winner] = False
        self.left_norm[winner] = 1.0
        self.Q[k], self.R[: k + 1, k], self.along[k] = q, weights, along
        self.chosen.append(winner)

    def _grow(self) -> None:
        k = len(self.Q)
        self.Q = np.concatenate([self.Q, np.empty_like(self.Q)])
        self.R = np.pad(self.R, (0, k))
        self.along = np.pad(self.along, (0, k))

    def _step(self, adjusted: float, gain: float, tried: IntArray, rivals: FloatArray) -> PathStep:
        k = len(self.chosen)
        chosen = np.array(self.chosen)
        coefficients = np.linalg.solve(self.R[:k, :k], self.along[:k]) * self.scale[chosen]
        intercept = self.mean_y - float(coefficients @ self.means[chosen])
        r2 = 1 - self.left / self.total
        return PathStep(self.chosen[-1], r2, adjusted, gain, intercept, coefficients, tried.astype(np.int64), rivals)


def _nearly(gain: float) -> float:
    """Return the least gain that counts as nearly equal."""
    return gain * (1 - NEARLY_EQUAL)
