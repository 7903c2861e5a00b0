"""Forward selection of columns: all candidates scored at once against an orthogonal basis."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.progress import Progress, silent

COLLINEAR = 1e-10
"""A candidate with less than this share of its squared norm left is in the span of the model."""
NEARLY_EQUAL = 1e-8
"""Gains closer than this, relatively, are computed again before one is preferred."""


@dataclass(frozen=True)
class Columns:
    """Candidates as a selection wants them: one per row, centred and of unit length.

    Attributes
    ----------
    Z : array of shape (n_candidates, n_trials)
    means, norms : arrays of shape (n_candidates,): candidate = mean + norm · Z
    """

    Z: FloatArray
    means: FloatArray
    norms: FloatArray

    @property
    def varies(self) -> npt.NDArray[np.bool_]:
        """Which candidates are finite and not constant beyond rounding."""
        size = np.sqrt(self.Z.shape[1]) * np.abs(self.means)
        found: npt.NDArray[np.bool_] = np.isfinite(self.norms) & (self.norms > 1e-12 * size) & (self.norms > 0)
        return found

    def leverage(self) -> FloatArray:
        """Return per candidate the largest share of its squared length that one trial has."""
        top: FloatArray = np.maximum(self.Z.max(axis=1), -self.Z.min(axis=1)) ** 2
        return top


def columns(candidates: FloatArray, *, intercept: bool = True) -> Columns:
    """Centre candidates (where there is an intercept) and bring them to unit length, in place.

    Parameters
    ----------
    candidates : array of shape (n_candidates, n_trials), used up; may hold numbers that are not
        finite
    """
    Z = candidates
    with np.errstate(all="ignore"):
        means = Z.mean(axis=1) if intercept else np.zeros(len(Z))
        Z -= means[:, None]
        norms = np.sqrt(np.einsum("ij,ij->i", Z, Z))
        if not intercept:
            norms = _safe_norms(Z, norms)
        Z /= np.where(norms > 0, norms, 1.0)[:, None]
    return Columns(Z, means, norms)


def _safe_norms(Z: FloatArray, norms: FloatArray) -> FloatArray:
    """Norms whose squares are too large or too small for a number, computed on a scale of their own."""
    size = np.abs(Z).max(axis=1)
    scaled = size * np.sqrt(((Z / np.where(size > 0, size, 1.0)[:, None]) ** 2).sum(axis=1))
    return np.where((size > 1e140) | (size < 1e-140), scaled, norms)


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
    usable: npt.NDArray[np.bool_],
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


class _Search:
    """The state of one selection; lives only inside `forward`."""

    def __init__(self, candidates: Columns, y: FloatArray, usable: npt.NDArray[np.bool_], intercept: bool) -> None:
        self.Z, self.means, self.norms = candidates.Z, candidates.means, candidates.norms
        n_candidates, self.n = self.Z.shape
        self.mean_y = float(y.mean()) if intercept else 0.0
        self.residual = y - self.mean_y
        self.total = float(((y - y.mean()) ** 2).sum())
        self.left = float(self.residual @ self.residual)
        self.left_norm = np.ones(n_candidates)
        self.product = self.Z @ self.residual
        self.open = usable.copy()
        self.basis: list[FloatArray] = []
        self.inverse = np.zeros((0, 0))
        self.weights = np.zeros(0)
        self.chosen: list[int] = []
        self.collinear: list[tuple[int, int]] = []

    def run(self, threshold: float, max_terms: int, progress: Progress) -> Path:
        steps: list[PathStep] = []
        best: float = -np.inf
        while len(steps) < max_terms and self.n - len(steps) - 2 > 0 and self.left > 1e-14 * self.total:
            progress(len(steps) / max_terms, f"term {len(steps) + 1}")
            k = len(steps) + 1
            self._drop_collinear(k)
            gains = np.where(self.open, self.product**2 / np.maximum(self.left_norm, COLLINEAR), -1.0)
            found = self._winner(gains, k)
            if found is None:
                break
            winner, q, weights, exact = found
            adjusted = float(self._adjusted(max(self.left - exact, 0.0), k))
            if not adjusted - best > threshold:
                break
            tried = np.flatnonzero(self.open)
            rivals = self._adjusted(np.maximum(self.left - gains[tried], 0.0), k)
            rivals[np.searchsorted(tried, winner)] = adjusted
            self._add(winner, q, weights)
            gain = adjusted - max(best, 0.0) if k == 1 else adjusted - best
            best = adjusted
            steps.append(self._step(winner, adjusted, gain, tried, rivals))
        return Path(tuple(steps), tuple(self.collinear))

    def _adjusted(self, left: FloatArray | float, k: int) -> FloatArray:
        return np.asarray(1 - left / self.total * (self.n - 1) / (self.n - k - 1))

    def _drop_collinear(self, k: int) -> None:
        low = self.open & (self.left_norm < COLLINEAR)
        if not low.any():
            return
        gone = np.flatnonzero(low)
        self.open[gone] = False
        self.collinear += [(int(j), k) for j in gone]

    def _winner(self, gains: FloatArray, k: int) -> tuple[int, FloatArray, FloatArray, float] | None:
        """Return the best candidate, exactly orthogonalised; ties go to the earlier one."""
        while True:
            top = float(gains.max(initial=-1.0))
            if top < 0:
                return None
            near = np.flatnonzero(gains >= top * (1 - NEARLY_EQUAL))
            exact = [(int(j), *self._orthogonalise(int(j))) for j in near]
            alive = [e for e in exact if e[3] >= 0]
            for j in (e[0] for e in exact if e[3] < 0):
                self.open[j], gains[j] = False, -1.0
                self.collinear.append((j, k))
            if alive:
                most = max(e[3] for e in alive)
                return next(e for e in alive if e[3] >= most * (1 - 1e-12))

    def _orthogonalise(self, j: int) -> tuple[FloatArray, FloatArray, float]:
        """Return what the basis leaves of a candidate, its weights on the basis, and its gain (or -1)."""
        v, weights = self.Z[j].copy(), np.zeros(len(self.basis) + 1)
        if self.basis:
            Q = np.asarray(self.basis)
            for _ in range(2):
                w = Q @ v
                v -= w @ Q
                weights[:-1] += w
        norm = float(np.sqrt(v @ v))
        if norm**2 < COLLINEAR:
            return v, weights, -1.0
        weights[-1] = norm
        v /= norm
        return v, weights, float(v @ self.residual) ** 2

    def _add(self, winner: int, q: FloatArray, weights: FloatArray) -> None:
        along = float(q @ self.residual)
        w = self.Z @ q
        self.left_norm -= w**2
        self.product -= w * along
        self.residual -= along * q
        self.left = float(self.residual @ self.residual)
        self.open[winner] = False
        self.basis.append(q)
        self.chosen.append(winner)
        self._extend(weights, along)

    def _extend(self, weights: FloatArray, along: float) -> None:
        """Write the new basis vector, and with it the fit, as a sum of the chosen columns.

        z = Q w + |v| q and Q = Z R⁻¹, so q = (z - Z R⁻¹ w) / |v|: one more column of R⁻¹.
        """
        k = len(weights) - 1
        inverse = np.zeros((k + 1, k + 1))
        inverse[:k, :k] = self.inverse
        inverse[:k, k] = self.inverse @ weights[:k] / -weights[k]
        inverse[k, k] = 1 / weights[k]
        self.inverse = inverse
        self.weights = np.append(self.weights, 0.0) + along * inverse[:, k]

    def _step(self, winner: int, adjusted: float, gain: float, tried: IntArray, rivals: FloatArray) -> PathStep:
        coefficients = self.weights / self.norms[self.chosen]
        intercept = self.mean_y - float(coefficients @ self.means[self.chosen])
        r2 = 1 - self.left / self.total
        return PathStep(winner, r2, adjusted, gain, intercept, coefficients, tried.astype(np.int64), rivals)
