"""How likely sizes, lengths and roughness of an additive model are, and the search for the likeliest."""

from dataclasses import dataclass
from itertools import count

import numpy as np

from core.codec import FloatArray, IntArray
from core.models.parts.anova import JITTER, NEVER, Scaled, Shape, evidence, likeliest
from core.progress import Progress

MEAN = 10.0
"""Prior variance of the overall mean, in units of the response's variance."""
_STARTS = (-0.7, -0.3, -3.0, 0.0, -2.5)
"""Log size, log length, logit of rough, log interaction, log noise, where the search begins."""
_BOUNDS = ((-6.0, 2.0), (-2.5, 2.0), (-8.0, 4.0), (-5.0, 2.0), (-7.0, 1.0))
_PREFERENCE = 0.15
"""Weight of the pull of log length towards 0, which decides where the data do not."""


@dataclass(frozen=True)
class _Axis:
    """How the points lie along one parameter.

    Attributes
    ----------
    square : array of shape (n, n), squared distances
    same : array of shape (n, n), 1 where two points have the same level, else 0
    share : array of shape (n,): Σ share · f is the mean of f over the levels; each level's points share its weight
    room : array of shape (2, n, n), written again and again: new memory costs more than the sums in it
    """

    square: FloatArray
    same: FloatArray
    share: FloatArray
    room: FloatArray

    def covariance(self, shape: Shape) -> FloatArray:
        """Write the part of it that is smooth and the centred covariance into the room; return means before centring.

        The means of the covariance K over the levels are m; centred it is K - mm'/c with c their mean.
        """
        from scipy.linalg.blas import dger

        smooth, K = self.room
        np.multiply(self.same, shape.rough / (1 - shape.rough), out=K)
        np.multiply(self.square, -0.5 / shape.length**2, out=smooth)
        K += np.exp(smooth, out=smooth)
        K *= 1 - shape.rough
        mean: FloatArray = K @ self.share
        dger(-1.0, mean, mean / float(mean @ self.share), a=K.T, overwrite_a=True)  # K is symmetric
        K *= shape.size**2
        return mean

    def slopes(self, shape: Shape, mean: FloatArray, by_point: FloatArray) -> tuple[float, float, float]:
        """Return half the sums of `by_point` with the derivatives by log size, log length and logit of rough.

        What is in the room is used up. The derivative of centring is taken to `by_point`.
        """
        smooth, value = self.room
        c, lean = float(mean @ self.share), by_point @ mean
        ratio = float(mean @ lean) / c**2

        def along(change: FloatArray) -> float:
            rows = change @ self.share
            return float(np.vdot(by_point, change)) - 2 * float(lean @ rows) / c + ratio * float(rows @ self.share)

        half = 0.5 * shape.size**2
        size = float(np.vdot(by_point, value))
        rough = shape.rough * (1 - shape.rough) * (along(self.same) - along(smooth))
        smooth *= self.square
        length = (1 - shape.rough) / shape.length**2 * along(smooth)
        return size, half * length, half * rough


class Likelihood:
    """The marginal likelihood of sizes, lengths, roughness, interaction and noise; lives only inside `Anova.fit`.

    Effects average to zero over the levels that there are among the points given.
    """

    def __init__(self, axes: tuple[Scaled, ...], codes: IntArray, z: FloatArray, *, interactions: bool) -> None:
        self.axes, self.z, self.interactions = axes, z, interactions
        self.own = [_axis(axis, own) for axis, own in zip(axes, codes.T, strict=True)]
        self._room = np.empty((5, len(z), len(z)))

    def search(self, iterations: int, progress: Progress) -> FloatArray:
        """Return the likeliest parameters, as logarithms and logits."""
        p = len(self.axes)
        repeats = (p, p, p, 1, 1)
        done = count(1)

        def step() -> None:
            i = next(done)
            progress(min(i / iterations, 1.0), f"search step {i}")

        start, bounds = np.repeat(_STARTS, repeats), np.repeat(_BOUNDS, repeats, axis=0)
        return likeliest(self.value, start, bounds, step, maxfun=4 * iterations, maxiter=iterations)[1]

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
        p, n = len(self.axes), len(self.z)
        shapes, interaction, noise = self.parts(theta)
        means = [own.covariance(shape) for own, shape in zip(self.own, shapes, strict=True)]
        first, pairs, K, W, part = self._room
        first[:], pairs[:] = 0.0, 0.0
        for own in self.own:
            pairs += np.multiply(first, own.room[1], out=part)
            first += own.room[1]
        np.multiply(pairs, interaction**2, out=K)
        K += first
        K += MEAN
        K[np.diag_indices(n)] += noise**2 + JITTER
        told = evidence(K, self.z)
        if told is None:
            return NEVER, np.zeros(len(theta))
        value, alpha, half = told
        np.add(half, half.T, out=W)
        W[np.diag_indices(n)] /= 2
        W -= np.multiply(alpha[:, None], alpha, out=part)
        slope = np.zeros(len(theta))
        whole = np.multiply(first, interaction**2, out=first)
        whole += 1
        for a, (own, shape, mean) in enumerate(zip(self.own, shapes, means, strict=True)):
            np.multiply(own.room[1], -(interaction**2), out=part)
            part += whole
            part *= W
            slope[[a, p + a, 2 * p + a]] = own.slopes(shape, mean, part)
        slope[3 * p] = interaction**2 * float(np.vdot(W, pairs))
        slope[3 * p + 1] = noise**2 * float(np.trace(W))
        lengths = theta[p : 2 * p]
        slope[p : 2 * p] += 2 * _PREFERENCE * lengths
        return value + _PREFERENCE * float(lengths @ lengths), slope


def _axis(axis: Scaled, codes: IntArray) -> _Axis:
    places, counts = np.unique(codes, return_inverse=True, return_counts=True)[1:]
    at = axis.positions(axis.levels)[codes]
    square = (at[:, None] - at) ** 2
    same = (codes[:, None] == codes).astype(np.float64)
    return _Axis(square, same, 1 / (len(counts) * counts[places]), np.empty((2, *square.shape)))
