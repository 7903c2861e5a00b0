"""Prediction intervals from residuals of trials that the model had not seen."""

from dataclasses import dataclass, field

import numpy as np

from core.codec import FloatArray, IntArray

NONE, LEVERAGE, PREDICTION, LEARNT = DIFFICULTIES = ("none", "leverage", "prediction", "learnt")
"""What tells how hard a row is: nothing, how far it is from the trained centre, how large its prediction is, or how
unsure the model's parts are, as far as errors have followed that."""


@dataclass(frozen=True)
class Spreads:
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


@dataclass(frozen=True)
class Interval:
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
    """

    half_widths: FloatArray
    by: str
    knots: FloatArray
    factors: FloatArray
    nominal: float
    n_residuals: int
    folds: str
    spreads: Spreads = field(default_factory=Spreads)

    def half(self, cluster: IntArray, difficulty: FloatArray) -> FloatArray:
        """Return the half widths of rows, shape (n,), NaN where the difficulty is not known."""
        own = self.half_widths[cluster]
        return own if self.by == NONE else own * np.interp(difficulty, self.knots, self.factors)


def plain_interval(width: float, nominal: float, n_residuals: int, folds: str) -> Interval:
    """Return the interval that is as wide everywhere."""
    nothing = np.empty(0)
    return Interval(np.array([width]), NONE, nothing, nothing, nominal, n_residuals, folds)


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
