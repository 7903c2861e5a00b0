"""How the size of errors changes with the difficulty of a row: a few factors between knots."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray

PER_KNOT = 40
"""Residuals behind each knot, so that four of them lie beyond its 90 % quantile."""
MOST_KNOTS = 8
SHRINK = 20
"""A knot's factor is drawn towards 1 as if so many more residuals had said 1."""


@dataclass(frozen=True)
class Shape:
    """Factors between knots, piecewise linear and constant beyond the ends; both of shape (n_knots,)."""

    knots: FloatArray
    factors: FloatArray


def factor(shape: Shape | None, difficulty: FloatArray) -> FloatArray:
    """Return the factors of rows; 1 without a shape."""
    return np.ones(len(difficulty)) if shape is None else np.interp(difficulty, shape.knots, shape.factors)


def shape_of(size: FloatArray, difficulty: FloatArray, nominal: float, *, rising: bool) -> Shape | None:
    """Return how the nominal quantile of error sizes changes with the difficulty, None with too few errors to tell.

    The errors are cut into up to 8 groups of like difficulty, of 40 or more each. A group's factor is the quantile of
    its errors over that of all, its logarithm drawn towards 0 by n / (n + 20); then the factors are made to rise
    (isotonic regression), or smoothed over neighbours by 1/4, 1/2, 1/4. A group's knot is its median difficulty.

    Parameters
    ----------
    size, difficulty : arrays of shape (n,), finite
    rising : whether more difficulty may never mean smaller errors
    """
    from scipy.optimize import isotonic_regression

    n_groups = min(MOST_KNOTS, len(size) // PER_KNOT)
    if n_groups < 2 or np.ptp(difficulty) == 0:
        return None
    groups = np.array_split(np.argsort(difficulty, kind="stable"), n_groups)
    everywhere = float(np.quantile(size, nominal))
    if everywhere <= 0:
        return None
    knots = np.array([np.median(difficulty[g]) for g in groups])
    n = np.array([len(g) for g in groups], dtype=np.float64)
    quantiles = np.array([np.quantile(size[g], nominal) for g in groups])
    logs = np.log(np.maximum(quantiles, 1e-6 * everywhere) / everywhere) * n / (n + SHRINK)
    logs = isotonic_regression(logs, weights=n).x if rising else _smoothed(logs)
    first = np.concatenate([[True], np.diff(knots) > 0])
    return Shape(knots[first], np.exp(logs[first]))


def _smoothed(values: FloatArray) -> FloatArray:
    wide = np.concatenate([values[:1], values, values[-1:]])
    found: FloatArray = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
    return found
