"""How the size of errors changes with the difficulty of a row: a few factors between knots."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.validate.intervals import Spreads

PER_KNOT = 40
"""Residuals behind each knot, so that four of them lie beyond its 90 % quantile."""
MOST_KNOTS = 8
SHRINK = 20
"""A knot's factor is drawn towards 1 as if so many more residuals had said 1."""
PENALTY, LOW, HIGH, STEPS = 0.1, 1.0, 2.5, 21
"""Of learnt widths: penalty of ridge regression per trial, standard deviations below and above the mean at which they
are held (trees agree on trials that they have learnt), and knots of exp."""
LEAST_SPREAD, TINY = 1e-3, 1e-12
"""Share of the median below which an error, or a spread, counts no smaller."""


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


def spreads_of(size: FloatArray, doubts: FloatArray) -> tuple[Spreads, Shape | None]:
    """Return the difficulty that errors have followed, and the factors: exp of it, held on both sides.

    Ridge regression, without negative coefficients, of ln |error| on standard scores of the logarithms of spreads.

    Parameters
    ----------
    size : array of shape (n,), errors, not negative
    doubts : array of shape (n, k)
    """
    from scipy.optimize import nnls

    least = np.maximum(LEAST_SPREAD * np.median(doubts, axis=0), TINY)
    logs, errors = np.log(np.maximum(doubts, least)), np.log(np.maximum(size, LEAST_SPREAD * np.median(size) + TINY))
    spread = logs.std(axis=0)
    Z = (logs - logs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    wide = np.vstack([Z, np.sqrt(PENALTY * len(Z)) * np.eye(Z.shape[1])])
    found, _ = nnls(wide, np.concatenate([errors - errors.mean(), np.zeros(Z.shape[1])]))
    spreads = Spreads(found / np.where(spread > 0, spread, 1.0), least)
    difficulty = spreads.difficulty(doubts)
    centre, sd = float(difficulty.mean()), float(difficulty.std())
    if sd < TINY:
        return spreads, None
    steps = np.linspace(-LOW * sd, HIGH * sd, STEPS)
    return spreads, Shape(centre + steps, np.exp(steps))


def _smoothed(values: FloatArray) -> FloatArray:
    wide = np.concatenate([values[:1], values, values[-1:]])
    return 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
