"""Kernels of functions that average to zero over a parameter's levels, so that effects and interactions separate."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ModelFileError
from core.models._spline import doubles


@dataclass(frozen=True)
class Scaled:
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
        found: FloatArray = (self._of(values) - low) / (high - low)
        return found

    def _of(self, values: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log2(values) if self.log else np.asarray(values, dtype=np.float64)

    def check(self, width: int) -> None:
        """Raise ModelFileError unless the column exists and the levels ascend."""
        right = 0 <= self.column < width and self.levels.ndim == 1 and len(self.levels) >= 2
        if not right or not (np.diff(self.levels) > 0).all() or (self.log and self.levels[0] <= 0):
            raise ModelFileError("The additive model has a parameter that is not there, or levels that do not ascend.")


def scaled(column: int, values: FloatArray) -> Scaled | None:
    """Return the scale of a parameter from its values in the training points; None if it never varies.

    Levels that double, or that span a decade and more, are compared by their logarithm.
    """
    levels = np.unique(values)
    if len(levels) < 2:
        return None
    wide = len(levels) > 2 and levels[0] > 0 and levels[-1] / levels[0] > 10
    return Scaled(column, doubles(levels) or bool(wide), levels)


@dataclass(frozen=True)
class Shape:
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

    def table(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the covariance, before centring, between two lists of positions: shape (len(a), len(b))."""
        distance = a[:, None] - b[None, :]
        with np.errstate(over="ignore"):  # so far away that nothing is left
            smooth = np.exp(-0.5 * (distance / self.length) ** 2)
        found: FloatArray = (1 - self.rough) * smooth + self.rough * (np.abs(distance) < 1e-9)
        return found

    def centred(self, a: FloatArray, b: FloatArray, levels: FloatArray) -> FloatArray:
        """Return the covariance of the functions that average to zero over the levels.

        References
        ----------
        Durrande, Ginsbourger, Roustant, Carraro 2013, ANOVA kernels and RKHS of zero mean functions
        for model-based sensitivity analysis, equation 8.
        """
        left, right = self.table(a, levels).mean(axis=1), self.table(levels, b).mean(axis=0)
        whole = self.table(levels, levels).mean()
        found: FloatArray = self.size**2 * (self.table(a, b) - np.outer(left, right) / whole)
        return found


@dataclass(frozen=True)
class Gradients:
    """A centred covariance table of the levels, and its derivatives by log size, log length and logit of rough."""

    value: FloatArray
    size: FloatArray
    length: FloatArray
    rough: FloatArray


def with_gradients(shape: Shape, levels: FloatArray) -> Gradients:
    """Return the centred covariance between levels with its derivatives."""
    distance = levels[:, None] - levels[None, :]
    smooth = np.exp(-0.5 * (distance / shape.length) ** 2)
    same = np.eye(len(levels))
    K = (1 - shape.rough) * smooth + shape.rough * same
    by_length = (1 - shape.rough) * smooth * (distance / shape.length) ** 2
    by_rough = shape.rough * (1 - shape.rough) * (same - smooth)
    variance = shape.size**2
    value = variance * _centre(K)
    return Gradients(value, 2 * value, variance * _centre_change(K, by_length), variance * _centre_change(K, by_rough))


def _centre(K: FloatArray) -> FloatArray:
    m = K.mean(axis=1)
    found: FloatArray = K - np.outer(m, m) / m.mean()
    return found


def _centre_change(K: FloatArray, change: FloatArray) -> FloatArray:
    """Return the derivative of `_centre` in the direction of a change of K."""
    m, d = K.mean(axis=1), change.mean(axis=1)
    c, e = m.mean(), d.mean()
    found: FloatArray = change - (np.outer(d, m) + np.outer(m, d)) / c + np.outer(m, m) * (e / c**2)
    return found


def together(tables: Sequence[FloatArray], interaction: float) -> FloatArray:
    """Return Σ k_i + interaction² · Σ_{i<j} k_i·k_j, elementwise (Newton's identities)."""
    first = np.sum(tables, axis=0)
    squares = np.sum([k * k for k in tables], axis=0)
    found: FloatArray = first + interaction**2 * (first * first - squares) / 2
    return found


def codes_of(axes: Sequence[Scaled], X: FloatArray) -> IntArray:
    """Return the level number of each training value, array of shape (n, n_axes)."""
    return np.column_stack([np.searchsorted(axis.levels, X[:, axis.column]) for axis in axes]).astype(np.int64)
