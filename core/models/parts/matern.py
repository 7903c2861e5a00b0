"""Matérn covariances with a length per column: likelihood, its gradient by one product of matrices, and the search."""

from functools import partial

import numpy as np

from core.codec import FloatArray, Frozen
from core.models.parts.anova import JITTER, NEVER, evidence, likeliest
from core.progress import Progress, silent

BENDS = {1.5: 0.0, 2.5: 1 / 3}
"""Per order the factor c of (1 + r + c·r²) exp(-r), with r = √(2·order)·distance."""
_BOUNDS = ((1e-4, 1e4), (0.02, 100.0), (1e-10, 10.0))
"""Of size, lengths and noise."""
_START = (1.0, 1.0, 1e-2)


class Matern(Frozen):
    """Size, a length per column, the noise's variance, and the order (3/2 or 5/2).

    Attributes
    ----------
    lengths : array of shape (n_columns,)
    """

    order: float
    size: float
    lengths: FloatArray
    noise: float

    def between(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the covariance of the function between rows of A and of B."""
        room = np.empty((3, len(A), len(B)))
        found, _ = _curves(_reach(A / self.lengths, B / self.lengths, self.order, room[0]), self.order, room[1:])
        found *= self.size
        return found

    def among(self, A: FloatArray) -> FloatArray:
        """Return the covariance of measurements at rows of A, the noise in it."""
        K = self.between(A, A)
        K[np.diag_indices(len(A))] += self.noise
        return K


class Likelihood:
    """The marginal likelihood of logarithms of size, lengths and noise; lives only inside a fit.

    Its three square arrays are made once: on most machines new memory costs more than the sums in it.
    """

    def __init__(self, order: float, points: FloatArray, z: FloatArray) -> None:
        self.order, self.points, self.z = order, points, z
        self._room = np.empty((3, len(z), len(z)))

    def of(self, theta: FloatArray) -> Matern:
        """Return the covariance that logarithms mean."""
        values = np.exp(theta)
        return Matern(self.order, float(values[0]), values[1:-1], float(values[-1]) + JITTER)

    def value(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log likelihood and its gradient.

        With M = αα' - K⁻¹ the derivative by log lengthⱼ is ½ Σ P(i, k)·(aᵢⱼ - aₖⱼ)², P = M times the slope of the
        covariance, elementwise: (Σₖ P(i, k))·aᵢⱼ² less aᵢⱼ·(P a)ᵢⱼ, summed over i, for all columns by one product.

        References
        ----------
        Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, equation 5.9.
        """
        from scipy.linalg.blas import dsymm

        process, n = self.of(theta), len(self.z)
        a = self.points / process.lengths
        K, slope = _curves(_reach(a, a, self.order, self._room[0]), self.order, self._room[1:])
        K *= process.size
        K[np.diag_indices(n)] += process.noise
        told = evidence(K, self.z)
        if told is None:
            return NEVER, np.zeros(len(theta))
        value, alpha, inverse = told
        trace, fit = float(np.trace(inverse)), float(self.z @ alpha)
        wide = np.column_stack([a, np.ones(n)])
        product = alpha[:, None] * (slope @ (alpha[:, None] * wide))
        product -= dsymm(1.0, np.multiply(inverse, slope.T, out=inverse), wide, lower=True)
        unexplained = float(alpha @ alpha) - trace
        gradient = np.empty(len(theta))
        gradient[0] = 0.5 * (fit - n - process.noise * unexplained)
        gradient[1:-1] = process.size * (product[:, -1] @ (a * a) - (a * product[:, :-1]).sum(axis=0))
        gradient[-1] = 0.5 * (process.noise - JITTER) * unexplained
        return value, -gradient

    def search(self, evaluations: int, starts: int, seed: int, progress: Progress = silent) -> Matern:
        """Return the likeliest covariance found from `starts` beginnings, the first of them fixed."""
        bounds = np.log(np.repeat(_BOUNDS, (1, self.points.shape[1], 1), axis=0))
        rng = np.random.default_rng(seed)
        fixed = np.log(np.repeat(_START, (1, self.points.shape[1], 1)))
        found = []
        for i in range(starts):
            start = rng.uniform(*bounds.T) if i else fixed
            said = partial(progress, i / starts, f"search {i + 1} of {starts}")
            found.append(likeliest(self.value, start, bounds, said, maxfun=evaluations, maxiter=evaluations))
        return self.of(min(found, key=lambda one: one[0])[1])


def departure(A: FloatArray, B: FloatArray, order: float) -> FloatArray:
    """Return (1 + r + c·r²) exp(-r) - 1 between rows of A and B, in units of the lengths.

    It has all its digits also where it is nearly 0.
    """
    square, apart = np.zeros((2, len(A), len(B)))
    bend = BENDS[order]
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        for a, b in zip(A.T, B.T, strict=True):
            np.subtract(a[:, None], b, out=apart)
            square += np.square(apart, out=apart)
        r = np.sqrt(2 * order * square)
        found: FloatArray = (1 + r + bend * r * r) * np.exp(-r) - 1
        near = r < 1
        s = r[near]
        rest = np.ones(len(s))
        for k in range(18, 3, -1):
            rest = 1 + rest * s * (1 / k)
        found[near] = -np.exp(-s) * ((0.5 - bend) * s * s + s * s * s / 6 * rest)  # exp(s) - 1 - s - c·s², as a series
    return found


def _reach(a: FloatArray, b: FloatArray, order: float, square: FloatArray) -> FloatArray:
    """Return r between rows of a and b, in units of the lengths, in the array given."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        np.matmul(a, -2 * b.T, out=square)
        square += (a * a).sum(axis=1)[:, None]
        square += (b * b).sum(axis=1)
        np.maximum(square, 0.0, out=square)
        square *= 2 * order
        return np.sqrt(square, out=square)


def _curves(r: FloatArray, order: float, room: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the correlation at r (used up), and the factor of (aᵢⱼ - aₖⱼ)² in its derivative by log lengthⱼ.

    Both are in `room`, two arrays like r.
    """
    value, fade = room
    np.exp(np.negative(r, out=fade), out=fade)
    np.add(r, 1, out=value)
    value *= fade
    if order == 1.5:
        fade *= 3
        return value, fade
    r *= r
    r *= fade
    r *= BENDS[order]
    np.multiply(value, 5 / 3, out=fade)
    value += r
    return value, fade
