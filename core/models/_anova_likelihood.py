"""How likely sizes, lengths and roughness of an additive model are, and the search for the likeliest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.models._anova import Scaled, Shape
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


@dataclass(frozen=True)
class _Levels:
    """The levels of one parameter among the points.

    Attributes
    ----------
    square : array of shape (n_levels, n_levels), squared distances
    room : array of shape (2, n_levels, n_levels), written again and again: new memory costs more than the sums in it
    codes : array of shape (n,), the points' levels; None where each point has its own, in the points' order
    """

    square: FloatArray
    room: FloatArray
    codes: IntArray | None

    def gathered(self, table: FloatArray) -> FloatArray:
        """Return a table of levels as one of points."""
        return table if self.codes is None else table[np.ix_(self.codes, self.codes)]

    def summed(self, matrix: FloatArray) -> FloatArray:
        """Return a matrix over points summed into one over levels."""
        if self.codes is None:
            return matrix
        n = len(self.square)
        flat = (self.codes[:, None] * n + self.codes[None, :]).ravel()
        sums: FloatArray = np.bincount(flat, matrix.ravel(), n * n).astype(np.float64)
        return sums.reshape(n, n)


@dataclass(frozen=True)
class _Covariance:
    """A centred covariance table of levels, with what its derivatives need.

    Attributes
    ----------
    smooth, value : arrays of shape (n_levels, n_levels), in the room of the levels
    mean : array of shape (n_levels,), of the table before centring, by row
    """

    shape: Shape
    smooth: FloatArray
    mean: FloatArray
    value: FloatArray

    def slopes(self, levels: _Levels, by_level: FloatArray) -> tuple[float, float, float]:
        """Return half the sums of `by_level` with the derivatives by log size, log length and logit of rough.

        The derivative of centring, K - mm'/c with m the means of K's rows and c theirs, is taken to `by_level`.
        """
        shape, c = self.shape, float(self.mean.mean())
        lean = by_level @ self.mean
        share = float(self.mean @ lean) / c**2

        def along(change: FloatArray) -> float:
            rows = change.mean(axis=1)
            return float(np.vdot(by_level, change)) - 2 * float(lean @ rows) / c + share * float(rows.mean())

        n, half = len(self.mean), 0.5 * shape.size**2
        size = float(np.vdot(by_level, self.value))
        unordered = float(np.trace(by_level)) - 2 * float(lean.mean()) / c + share / n
        rough = shape.rough * (1 - shape.rough) * (unordered - along(self.smooth))
        stretched = np.multiply(self.smooth, levels.square, out=self.smooth)
        length = (1 - shape.rough) / shape.length**2 * along(stretched)
        return size, half * length, half * rough


def _covariance(shape: Shape, levels: _Levels) -> _Covariance:
    """Return the covariance table of levels, written into their room."""
    from scipy.linalg.blas import dger

    smooth, K = levels.room
    np.multiply(levels.square, -0.5 / shape.length**2, out=smooth)
    np.exp(smooth, out=smooth)
    np.multiply(smooth, 1 - shape.rough, out=K)
    K[np.diag_indices(len(K))] += shape.rough
    mean = K.mean(axis=1)
    dger(-1.0, mean, mean / mean.mean(), a=K.T, overwrite_a=True)  # K is symmetric
    K *= shape.size**2
    return _Covariance(shape, smooth, mean, K)


class Likelihood:
    """The marginal likelihood of sizes, lengths, roughness, interaction and noise; lives only inside `Anova.fit`.

    Effects average to zero over the levels that there are among the points given.
    """

    def __init__(self, axes: tuple[Scaled, ...], codes: IntArray, z: FloatArray, *, interactions: bool) -> None:
        self.axes, self.z, self.interactions = axes, z, interactions
        self.levels = [_levels(axis, own) for axis, own in zip(axes, codes.T, strict=True)]
        self._room = np.empty((5, len(z), len(z)))

    def search(self, iterations: int, progress: Progress) -> FloatArray:
        """Return the likeliest parameters, as logarithms and logits."""
        from scipy.optimize import minimize

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

    def value(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log likelihood (with the preference for lengths) and its gradient."""
        from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

        p, n = len(self.axes), len(self.z)
        shapes, interaction, noise = self.parts(theta)
        own = [_covariance(shape, levels) for shape, levels in zip(shapes, self.levels, strict=True)]
        tables = [levels.gathered(each.value) for levels, each in zip(self.levels, own, strict=True)]
        first, pairs, K, W, part = self._room
        _sum_up(tables, first, pairs, part)
        np.multiply(pairs, interaction**2, out=K)
        K += first
        K += MEAN
        K[np.diag_indices(n)] += noise**2 + JITTER
        factor, failed = dpotrf(K.T, lower=True, overwrite_a=True)
        if failed:
            return 1e10, np.zeros(len(theta))
        alpha = dpotrs(factor, self.z, lower=True)[0]
        value = 0.5 * float(self.z @ alpha) + float(np.log(np.diag(factor)).sum())
        half = dpotri(factor, lower=True, overwrite_c=True)[0]  # its lower triangle; the other is 0
        np.add(half, half.T, out=W)
        W[np.diag_indices(n)] /= 2
        W -= np.multiply(alpha[:, None], alpha, out=part)
        slope = np.zeros(len(theta))
        whole = np.multiply(first, interaction**2, out=first)
        whole += 1
        for a, (levels, table) in enumerate(zip(self.levels, tables, strict=True)):
            np.multiply(table, -(interaction**2), out=part)
            part += whole
            part *= W
            slope[[a, p + a, 2 * p + a]] = own[a].slopes(levels, levels.summed(part))
        slope[3 * p] = interaction**2 * float(np.vdot(W, pairs))
        slope[3 * p + 1] = noise**2 * float(np.trace(W))
        lengths = theta[p : 2 * p]
        slope[p : 2 * p] += 2 * _PREFERENCE * lengths
        return value + _PREFERENCE * float(lengths @ lengths), slope


def _levels(axis: Scaled, codes: IntArray) -> _Levels:
    used, places = np.unique(codes, return_inverse=True)
    alone = len(used) == len(codes)
    at = axis.positions(axis.levels)[codes if alone else used]
    square = (at[:, None] - at[None, :]) ** 2
    return _Levels(square, np.empty((2, *square.shape)), None if alone else places.astype(np.int64))


def _sum_up(tables: Sequence[FloatArray], first: FloatArray, pairs: FloatArray, part: FloatArray) -> None:
    """Write Σ k_i into `first` and Σ_{i<j} k_i·k_j into `pairs`, elementwise (each k_j times the sum before it)."""
    first[:], pairs[:] = 0.0, 0.0
    for table in tables:
        pairs += np.multiply(first, table, out=part)
        first += table

