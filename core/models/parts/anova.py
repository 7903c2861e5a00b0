"""Kernels of functions that average to zero over a parameter's levels, and the likeliest parameters of a covariance."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import hold
from core.models.parts.spline import doubles

_SAME = 1e-9
"""Positions nearer than this are the same level."""


class Scaled(Frozen):
    """A parameter's levels in the training points, and the scale they are compared on.

    Attributes
    ----------
    column : of X
    log : whether levels are compared by their logarithm
    levels : ascending, in the parameter's own unit
    """

    column: int
    log: bool
    levels: FloatArray

    def positions(self, values: FloatArray) -> FloatArray:
        """Return values of the parameter between 0 (lowest level) and 1 (highest)."""
        low, high = self._of(self.levels[[0, -1]])
        return np.asarray((self._of(values) - low) / (high - low))

    def _of(self, values: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log2(values) if self.log else np.asarray(values, dtype=np.float64)

    def check(self, width: int) -> None:
        """Raise ModelFileError unless the column exists and the levels ascend."""
        right = 0 <= self.column < width and self.levels.ndim == 1 and len(self.levels) >= 2
        right = right and bool((np.diff(self.levels) > 0).all()) and not (self.log and self.levels[0] <= 0)
        hold(right, "The additive model has a parameter that is not there, or levels that do not ascend.")


def scaled(column: int, values: FloatArray) -> Scaled | None:
    """Return the scale of a parameter from its values in the training points; None if it never varies.

    Levels that double, or that span a decade and more, are compared by their logarithm.
    """
    levels = np.unique(values)
    if len(levels) < 2:
        return None
    wide = len(levels) > 2 and levels[0] > 0 and levels[-1] / levels[0] > 10
    return Scaled(column, doubles(levels) or bool(wide), levels)


def thinned(axis: Scaled, kept: FloatArray, most: int) -> Scaled:
    """Return the axis with no more than its ends and the levels given, if it has more than `most` levels."""
    if len(axis.levels) <= most:
        return axis
    return replace(axis, levels=np.unique(np.r_[axis.levels[[0, -1]], kept]))


class Shape(Frozen):
    """What the functions of one parameter are like.

    Attributes
    ----------
    size : standard deviation of its main effect
    length : distance over which the effect changes, in units of the parameter's range
    rough : share of the effect that is different at each level without order, 0 to 1
    """

    size: float
    length: float
    rough: float

    def table(self, a: FloatArray, b: FloatArray, unit: float = 1.0) -> FloatArray:
        """Return the covariance, before centring, between two lists of positions: shape (len(a), len(b)).

        It is that of a main effect of variance `unit`.
        """
        found = self.smooth(a, b)
        found *= unit * (1 - self.rough)
        found[np.abs(a[:, None] - b) < _SAME] += unit * self.rough
        return found

    def smooth(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return exp(-distance² / (2 length²)), shape (len(a), len(b))."""
        found: FloatArray = a[:, None] - b
        with np.errstate(over="ignore"):  # so far away that nothing is left
            np.square(found, out=found)
            found *= -0.5 / self.length**2
        return np.exp(found, out=found)

    def centred(self, a: FloatArray, b: FloatArray, levels: FloatArray) -> FloatArray:
        """Return the covariance of the functions that average to zero over the levels, between positions a and b.

        References
        ----------
        Durrande, Ginsbourger, Roustant, Carraro 2013, ANOVA kernels and RKHS of zero mean functions
        for model-based sensitivity analysis, equation 8.
        """
        left, right = self.table(a, levels).mean(axis=1), self.table(levels, b).mean(axis=0)
        whole = self.table(levels, levels).mean()
        return np.asarray(self.size**2 * (self.table(a, b) - np.outer(left, right) / whole))


class Centre(Frozen):
    """The means of a shape's covariance over the levels, worked out once for many rows.

    Attributes
    ----------
    means : array of shape (n_levels,), of the covariance of each level with all; whole : their mean
    """

    shape: Shape
    levels: FloatArray
    means: FloatArray
    whole: float

    @classmethod
    def of(cls, shape: Shape, levels: FloatArray) -> Self:
        """Return the means over positions of levels."""
        means = shape.table(levels, levels).mean(axis=0)
        return cls(shape, levels, means, float(means.mean()))

    def between(self, positions: FloatArray, codes: IntArray) -> FloatArray:
        """Return the centred covariance between positions and levels by their number (see `Shape.centred`)."""
        from scipy.linalg.blas import dger

        found = self.shape.table(positions, self.levels, self.shape.size**2)
        dger(-1 / self.whole, self.means, found.mean(axis=1), a=found.T, overwrite_a=True)
        return np.asarray(found.take(codes, axis=1))


def together(tables: Iterable[FloatArray], interaction: float) -> FloatArray:
    """Return Σ k_i + interaction² · Σ_{i<j} k_i·k_j, elementwise (each k_j times the sum before it)."""
    rest = iter(tables)
    first = next(rest).copy()
    pairs, product = np.zeros_like(first), np.empty_like(first)
    for table in rest:
        pairs += np.multiply(first, table, out=product)
        first += table
    pairs *= interaction**2
    first += pairs
    return first


def codes_of(axes: Sequence[Scaled], X: FloatArray) -> IntArray:
    """Return the level number of each training value, array of shape (n, n_axes)."""
    return np.column_stack([np.searchsorted(axis.levels, X[:, axis.column]) for axis in axes]).astype(np.int64)


Found = tuple[float, FloatArray]
Value = Callable[[FloatArray], Found]
Told = Callable[[], None]

JITTER = 1e-10
"""Added to the noise's variance, so that points that are alike leave the covariance invertible."""
NEVER = 1e10
"""Said of a covariance that cannot be inverted."""


def evidence(K: FloatArray, z: FloatArray) -> tuple[float, FloatArray, FloatArray] | None:
    """Return the negative log likelihood, K⁻¹z, and K⁻¹ with zeros above its diagonal.

    Parameters
    ----------
    K : array of shape (n, n), the covariance of z, used up; None is returned where it cannot be inverted

    References
    ----------
    Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, equations 5.8 and 5.9.
    """
    from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

    factor, failed = dpotrf(K.T, lower=True, overwrite_a=True)
    if failed:
        return None
    half = float(np.log(np.diag(factor)).sum()) + 0.5 * len(z) * np.log(2 * np.pi)
    alpha = dpotrs(factor, z, lower=True)[0]
    return 0.5 * float(z @ alpha) + half, alpha, dpotri(factor, lower=True, overwrite_c=True)[0]


def likeliest(value: Value, start: FloatArray, bounds: FloatArray, told: Told, **limits: int) -> Found:
    """Return the smallest value found from a start (L-BFGS-B), and where.

    Parameters
    ----------
    value : returns the negative log likelihood and its gradient
    bounds : array of shape (n, 2)
    told : called after each iteration
    limits : maxiter, maxfun
    """
    from scipy.optimize import minimize

    options: Any = limits
    box: Any = bounds
    found: Any = minimize(
        value, start, jac=True, method="L-BFGS-B", bounds=box, options=options, callback=lambda _: told()
    )
    return float(found.fun), found.x
