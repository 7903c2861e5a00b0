"""How likely sizes, lengths and roughness of an additive model are, and the search for the likeliest."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from core.codec import FloatArray, IntArray
from core.models._anova import Gradients, Scaled, Shape, together, with_gradients
from core.progress import Progress

MEAN = 10.0
"""Prior variance of the overall mean, in units of the response's variance."""
_STARTS = (-0.7, -0.3, -3.0, 0.0, -2.5)
"""Log size, log length, logit of rough, log interaction, log noise, where the search begins."""
_BOUNDS = ((-6.0, 2.0), (-2.5, 2.0), (-8.0, 4.0), (-5.0, 2.0), (-7.0, 1.0))
JITTER = 1e-10
"""Added to the noise's variance, so that points that are alike leave the covariance invertible."""
_PREFERENCE = 0.15
"""Weight of the pull of log length towards 0, which decides where the data do not."""


class Likelihood:
    """The marginal likelihood of sizes, lengths, roughness, interaction and noise; lives only inside `Anova.fit`."""

    def __init__(self, axes: tuple[Scaled, ...], codes: IntArray, z: FloatArray, *, interactions: bool) -> None:
        self.axes, self.codes, self.z, self.interactions = axes, codes, z, interactions
        self.levels = [axis.positions(axis.levels) for axis in axes]

    def search(self, iterations: int, progress: Progress) -> FloatArray:
        """Return the likeliest parameters, as logarithms and logits."""
        p = len(self.axes)
        repeats = (p, p, p, 1, 1)
        start = np.repeat(_STARTS, repeats)
        bounds = [b for b, n in zip(_BOUNDS, repeats, strict=True) for _ in range(n)]
        done = [0]

        def step(_: FloatArray) -> None:
            done[0] += 1
            progress(min(done[0] / iterations, 1.0), f"search step {done[0]}")

        options: Any = {"maxiter": iterations, "maxfun": 4 * iterations}
        found: Any = minimize(  # type: ignore[call-overload]
            self.value, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=step, options=options
        )
        best: FloatArray = found.x
        return best

    def parts(self, theta: FloatArray) -> tuple[tuple[Shape, ...], float, float]:
        """Return shapes, interaction and noise."""
        p = len(self.axes)
        rough = 1 / (1 + np.exp(-theta[2 * p : 3 * p]))
        sizes, lengths = np.exp(theta[:p]), np.exp(theta[p : 2 * p])
        shapes = tuple(Shape(float(s), float(n), float(r)) for s, n, r in zip(sizes, lengths, rough, strict=True))
        interaction = float(np.exp(theta[3 * p])) if self.interactions else 0.0
        return shapes, interaction, float(np.exp(theta[3 * p + 1]))

    def weights(self, theta: FloatArray) -> FloatArray:
        """Return the weights of the training points."""
        shapes, interaction, noise = self.parts(theta)
        tables = self._gathered([with_gradients(s, x).value for s, x in zip(shapes, self.levels, strict=True)])
        K = together(tables, interaction) + MEAN + (noise**2 + JITTER) * np.eye(len(self.z))
        found: FloatArray = cho_solve(cho_factor(K, lower=True), self.z)
        return found

    def value(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log likelihood (with the preference for lengths) and its gradient."""
        p, n = len(self.axes), len(self.z)
        shapes, interaction, noise = self.parts(theta)
        gradients = [with_gradients(s, x) for s, x in zip(shapes, self.levels, strict=True)]
        tables = self._gathered([g.value for g in gradients])
        first = np.sum(tables, axis=0)
        pairs = (first * first - np.sum([k * k for k in tables], axis=0)) / 2
        K = first + interaction**2 * pairs + MEAN
        K[np.diag_indices(n)] += noise**2 + JITTER
        try:
            factor = cho_factor(K, lower=True)
        except np.linalg.LinAlgError:
            return 1e10, np.zeros(len(theta))
        alpha = cho_solve(factor, self.z)
        W = cho_solve(factor, np.eye(n)) - np.outer(alpha, alpha)
        value = 0.5 * float(self.z @ alpha) + float(np.log(np.diag(factor[0])).sum())
        slope = np.zeros(len(theta))
        for a, (own, table) in enumerate(zip(gradients, tables, strict=True)):
            by_level = self._summed(W * (1 + interaction**2 * (first - table)), a, len(self.levels[a]))
            slope[[a, p + a, 2 * p + a]] = _along(own, by_level)
        slope[3 * p] = interaction**2 * float((W * pairs).sum())
        slope[3 * p + 1] = noise**2 * float(np.trace(W))
        lengths = theta[p : 2 * p]
        slope[p : 2 * p] += 2 * _PREFERENCE * lengths
        return value + _PREFERENCE * float(lengths @ lengths), slope

    def _gathered(self, tables: Sequence[FloatArray]) -> list[FloatArray]:
        """Return tables of levels as tables of training points."""
        return [table[np.ix_(self.codes[:, a], self.codes[:, a])] for a, table in enumerate(tables)]

    def _summed(self, matrix: FloatArray, axis: int, n_levels: int) -> FloatArray:
        """Return a matrix over points summed into one over a parameter's levels."""
        code = self.codes[:, axis]
        flat = (code[:, None] * n_levels + code[None, :]).ravel()
        sums: FloatArray = np.bincount(flat, matrix.ravel(), n_levels * n_levels).astype(np.float64)
        return sums.reshape(n_levels, n_levels)


def _along(own: Gradients, by_level: FloatArray) -> tuple[float, float, float]:
    """Return half the sums of a matrix with each derivative."""
    parts = (own.size, own.length, own.rough)
    size, length, rough = (0.5 * float((by_level * part).sum()) for part in parts)
    return size, length, rough
