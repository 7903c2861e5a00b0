"""How likely sizes, lengths and roughness of an additive model are, and the search for the likeliest."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, repeat

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.models.parts.anova import JITTER, NEVER, Scaled, Shape, evidence, likeliest, together
from core.progress import Progress

MEAN = 10.0
"""Prior variance of the overall mean, in units of the response's variance."""
_STARTS = (-0.7, -0.3, -3.0, 0.0, -2.5)
"""Log size, log length, logit of rough, log interaction, log noise, where the search begins."""
_BOUNDS = ((-6.0, 2.0), (-2.5, 2.0), (-8.0, 4.0), (-5.0, 2.0), (-7.0, 1.0))
_PREFERENCE = 0.15
"""Weight of the pull of log length towards 0, which decides where the data do not."""


class _Axis(Frozen):
    """How the points lie along one parameter; matrices are lower triangles, column by column, in one vector.

    Attributes
    ----------
    square : array of shape (n * (n + 1) / 2,), squared distances
    diagonal, same : places in such a vector of each point with itself, and of different points of the same level
    share : array of shape (n,): Σ share · f is the mean of f over the levels; each level's points share its weight
    room : array of shape (2, n * (n + 1) / 2), written again and again: new memory costs more than the sums in it
    """

    square: FloatArray
    diagonal: IntArray
    same: IntArray
    share: FloatArray
    room: FloatArray

    def covariance(self, shape: Shape) -> FloatArray:
        """Write the part of it that is smooth and the centred covariance into the room; return means before centring.

        The means of the covariance K over the levels are m; centred it is K - mm'/c with c their mean.
        """
        from scipy.linalg.blas import dspmv, dspr

        smooth, K = self.room
        np.exp(np.multiply(self.square, -0.5 / shape.length**2, out=smooth), out=smooth)
        np.multiply(smooth, shape.size**2 * (1 - shape.rough), out=K)
        for alike in (self.diagonal, self.same):
            K[alike] += shape.size**2 * shape.rough
        mean: FloatArray = dspmv(len(self.share), 1.0, K, self.share, lower=True)
        dspr(len(mean), -1 / float(mean @ self.share), mean, K, lower=True, overwrite_ap=True)
        return mean

    def slopes(self, shape: Shape, mean: FloatArray, by_point: FloatArray) -> tuple[float, float, float]:
        """Return half the sums of `by_point` with the derivatives by log size, log length and logit of rough.

        What is in the room is used up, and `by_point`, to which the derivative of centring is taken: with W its
        matrix, s the share and y = W m - (m'W m / 2c) s, sums with what changes before centring are those of
        W - (sy' + ys') / c. As centring is linear in the size, the covariance itself is its own change.
        """
        from scipy.linalg.blas import dspmv, dspr2

        smooth, n, c = self.room[0], len(mean), float(mean @ self.share)
        lean = dspmv(n, 1.0, by_point, mean, lower=True)
        lean -= float(mean @ lean) / (2 * c) * self.share
        dspr2(n, -1 / c, self.share, lean, by_point, lower=True, overwrite_ap=True)
        trace = float(by_point[self.diagonal].sum())
        same = 2 * float(by_point[self.same].sum()) + trace
        even = 2 * float(by_point @ smooth) - trace
        smooth *= self.square
        stretched = 2 * float(by_point @ smooth)
        unit, smoothness = shape.size**2, 1 - shape.rough
        size = unit * (smoothness * even + shape.rough * same)
        length = unit / 2 * smoothness / shape.length**2 * stretched
        return size, length, unit / 2 * shape.rough * smoothness * (same - even)


def n_parameters(n_axes: int) -> int:
    """Return how many parameters the likelihood has: three of each axis, the interaction and the noise."""
    return 3 * n_axes + 2


def parts(theta: FloatArray, n_axes: int, *, interactions: bool) -> tuple[tuple[Shape, ...], float, float]:
    """Return shapes, interaction and noise from parameters as the search has them."""
    p = n_axes
    rough = 1 / (1 + np.exp(-theta[2 * p : 3 * p]))
    sizes, lengths = np.exp(theta[:p]), np.exp(theta[p : 2 * p])
    shapes = tuple(Shape(float(s), float(n), float(r)) for s, n, r in zip(sizes, lengths, rough, strict=True))
    interaction = float(np.exp(theta[3 * p])) if interactions else 0.0
    return shapes, interaction, float(np.exp(theta[3 * p + 1]))


class Likelihood:
    """The marginal likelihood of sizes, lengths, roughness, interaction and noise; lives only inside `Anova.fit`.

    Effects average to zero over the levels that there are among the points given.
    """

    def __init__(self, axes: tuple[Scaled, ...], codes: IntArray, z: FloatArray, *, interactions: bool) -> None:
        self.axes, self.z, self.interactions = axes, z, interactions
        halves = np.empty((len(axes) + 2, 2, len(z) * (len(z) + 1) // 2))
        self.own = list(_laid_out(axes, codes, halves[2:]))
        self._room = halves[:2].reshape(4, -1)

    def search(self, iterations: int, progress: Progress) -> FloatArray:
        """Return the likeliest parameters, as logarithms and logits."""
        p = len(self.axes)
        repeats = (p, p, p, 1, 1)
        done = count(1)

        def step() -> None:
            i = next(done)
            progress(min(i / iterations, 1.0), f"how far each effect reaches, try {i} of at most {iterations}")

        start, bounds = np.repeat(_STARTS, repeats), np.repeat(_BOUNDS, repeats, axis=0)
        return likeliest(self.value, start, bounds, step, maxfun=4 * iterations, maxiter=iterations)[1]

    def value(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log likelihood (with the preference for lengths) and its gradient."""
        from scipy.linalg.blas import dspr
        from scipy.linalg.lapack import dtpttr, dtrttp

        p, n, diagonal = len(self.axes), len(self.z), self.own[0].diagonal
        shapes, interaction, noise = parts(theta, p, interactions=self.interactions)
        means = [own.covariance(shape) for own, shape in zip(self.own, shapes, strict=True)]
        first, pairs, K, part = self._room
        first[:], pairs[:] = 0.0, 0.0
        for own in self.own:
            pairs += np.multiply(first, own.room[1], out=part)
            first += own.room[1]
        np.multiply(pairs, interaction**2, out=K)
        K += first
        K += MEAN
        K[diagonal] += noise**2 + JITTER
        told = evidence(dtpttr(n, K, uplo="L")[0].T, self.z)
        if told is None:
            return NEVER, np.zeros(len(theta))
        value, alpha, inverse = told
        W = dspr(n, -1.0, alpha, dtrttp(inverse, uplo="L")[0], lower=True, overwrite_ap=True)
        slope = np.zeros(len(theta))
        whole = np.multiply(first, interaction**2, out=first)
        whole += 1
        for a, (own, shape, mean) in enumerate(zip(self.own, shapes, means, strict=True)):
            np.multiply(own.room[1], -(interaction**2), out=part)
            part += whole
            part *= W
            slope[[a, p + a, 2 * p + a]] = own.slopes(shape, mean, part)
        twice = 2 * float(W @ pairs) - float(W[diagonal] @ pairs[diagonal])
        slope[3 * p] = interaction**2 * twice
        slope[3 * p + 1] = noise**2 * float(W[diagonal].sum())
        lengths = theta[p : 2 * p]
        slope[p : 2 * p] += 2 * _PREFERENCE * lengths
        return value + _PREFERENCE * float(lengths @ lengths), slope


def prior(axes: Sequence[Scaled], shapes: Sequence[Shape], codes: IntArray, interaction: float) -> FloatArray:
    """Return the lower triangle of the covariance among points that have all levels of the axes, column by column."""
    n = len(codes)
    laid = _laid_out(axes, codes, repeat(np.empty((2, n * (n + 1) // 2))))
    tables = ((own.covariance(shape), own.room[1])[1] for own, shape in zip(laid, shapes, strict=True))
    return together(tables, interaction) + MEAN


def _laid_out(axes: Sequence[Scaled], codes: IntArray, rooms: Iterable[FloatArray]) -> Iterator[_Axis]:
    """Yield each axis with its room."""
    one, other = np.triu_indices(len(codes))  # of the upper half row by row: of the lower one, column by column
    diagonal = np.flatnonzero(one == other)
    for axis, own, room in zip(axes, codes.T, rooms, strict=False):
        known, places, counts = np.unique(own, return_inverse=True, return_counts=True)
        position = axis.positions(axis.levels)[known]
        at = position[places]
        square = at[one] - at[other]
        alike = square == 0
        alike[diagonal] = False
        np.square(square, out=square)
        share = 1 / (len(counts) * counts[places])
        yield _Axis(square, diagonal, np.flatnonzero(alike), share, room)
