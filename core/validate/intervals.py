"""Prediction intervals from residuals of trials that the model had not seen, and how errors grow with difficulty."""

from dataclasses import field, replace

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.grouped import Groups, quantile

NONE, LEVERAGE, PREDICTION, LEARNT = DIFFICULTIES = ("none", "leverage", "prediction", "learnt")
"""What tells how hard a row is: nothing, how far it is from the trained centre, how large its prediction is, or how
unsure the model's parts are, as far as errors have followed that."""


class Spreads(Frozen):
    """A difficulty of several: Σ weight · ln(max(spread, least)).

    Attributes
    ----------
    weights, least : arrays of shape (k,), empty where `by` is not "learnt"
    flat : half width that is as wide everywhere, for exported programs, which do not know the parts
    """

    weights: FloatArray = field(default_factory=lambda: np.empty(0))
    least: FloatArray = field(default_factory=lambda: np.empty(0))
    flat: float = 0.0

    def difficulty(self, doubts: FloatArray) -> FloatArray:
        """Return the difficulty of rows, shape (n,), from their spreads, shape (n, k)."""
        return np.log(np.maximum(doubts, self.least)) @ self.weights


class Interval(Frozen):
    """Half widths of intervals on the scale that the model works on.

    The half width of a row is half_widths[cluster] · factor, the factor being interpolated between
    `knots` by the row's difficulty and constant beyond their ends.

    Attributes
    ----------
    half_widths : array of shape (n_clusters,), added to and taken from the model's output before its
        scale is undone; those of clusters with too few residuals are that of all together
    by : the difficulty: "none", "leverage" (of the domain), "prediction" (the model's output on its scale) or "learnt"
    knots, factors : arrays of shape (n_knots,), ascending and positive; empty if `by` is "none": factor 1
    nominal : share of unseen trials that the interval is made to cover
    n_residuals : out-of-fold residuals behind it
    folds : the folds that they come from, as users write them
    spreads : the difficulty where `by` is "learnt"
    reach : array of shape (2, n_metrics), how far below and above the trained range the folds have asked; a row
        beyond that has an interval that is wider by what the prediction changes as far inside; empty if not told
    """

    half_widths: FloatArray
    by: str
    knots: FloatArray
    factors: FloatArray
    nominal: float
    n_residuals: int
    folds: str
    spreads: Spreads = field(default_factory=Spreads)
    reach: FloatArray = field(default_factory=lambda: np.empty((2, 0)))

    def half(self, cluster: IntArray, difficulty: FloatArray) -> FloatArray:
        """Return the half widths of rows, shape (n,), NaN where the difficulty is not known."""
        own = self.half_widths[cluster]
        return own if self.by == NONE else own * np.interp(difficulty, self.knots, self.factors)

    def alone(self) -> "Interval":
        """Return what is said where neither a model can be asked twice nor its parts.

        It is as wide beyond the trained range as at its edge, and a learnt one is as wide everywhere.
        """
        own = replace(self, reach=np.empty((2, 0)))
        if self.by != LEARNT:
            return own
        flat = np.full(len(self.half_widths), self.spreads.flat)
        return replace(own, half_widths=flat, by=NONE, knots=np.empty(0), factors=np.empty(0), spreads=Spreads())


def half_width(residuals: FloatArray, nominal: float) -> float:
    """Return the conformal quantile of |residuals|: the ceil((n + 1) nominal)-th smallest.

    With fewer than nominal / (1 - nominal) residuals no finite interval has that coverage;
    the largest residual stands in its place.

    References
    ----------
    Lei, G'Sell, Rinaldo, Tibshirani, Wasserman 2018, Distribution-free predictive inference
    for regression, section 2.2 (split conformal prediction).
    """
    sizes = np.sort(np.abs(residuals[np.isfinite(residuals)]))
    if not len(sizes):
        return float("inf")
    rank = min(int(np.ceil((len(sizes) + 1) * nominal)), len(sizes))
    return float(sizes[rank - 1])


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


class Shape(Frozen):
    """Factors between knots, piecewise linear and constant beyond the ends; both of shape (n_knots,).

    Attributes
    ----------
    spreads : the difficulty where it is one of several
    """

    knots: FloatArray
    factors: FloatArray
    spreads: Spreads = field(default_factory=Spreads)

    def of(self, hard: FloatArray) -> FloatArray:
        """Return the factors of rows by what tells how hard they are, shape (n,) or (n, k)."""
        return np.interp(hard if hard.ndim == 1 else self.spreads.difficulty(hard), self.knots, self.factors)


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
    everywhere = quantile(size, nominal)
    if everywhere <= 0:
        return None
    order, each = np.argsort(difficulty, kind="stable"), np.arange(n_groups)
    n = len(size) // n_groups + (each < len(size) % n_groups)
    sizes = Groups(size[order], np.repeat(each, n), n)
    knots = sizes.with_values(difficulty[order]).median()
    logs = np.log(np.maximum(sizes.quantile(nominal), 1e-6 * everywhere) / everywhere) * n / (n + SHRINK)
    wide = np.concatenate([logs[:1], logs, logs[-1:]])
    smooth = 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:]
    logs = isotonic_regression(logs, weights=n).x if rising else smooth
    first = np.concatenate([[True], np.diff(knots) > 0])
    return Shape(knots[first], np.exp(logs[first]))


def spreads_of(size: FloatArray, doubts: FloatArray) -> Shape | None:
    """Return factors by the difficulty that errors have followed: exp of it, held on both sides; None if it is one.

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
        return None
    steps = np.linspace(-LOW * sd, HIGH * sd, STEPS)
    return Shape(centre + steps, np.exp(steps), spreads)
