"""Prediction intervals from residuals of trials that the model had not seen."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray


@dataclass(frozen=True)
class Interval:
    """Half width of an interval on the scale that the model works on.

    Attributes
    ----------
    half_width : added to and taken from the model's output before its scale is undone
    nominal : share of unseen trials that the interval is made to cover
    n_residuals : out-of-fold residuals behind it
    folds : the folds that they come from, as users write them
    """

    half_width: float
    nominal: float
    n_residuals: int
    folds: str


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


def leave_fold_out_half_widths(residuals: FloatArray, fold_of_row: IntArray, nominal: float) -> FloatArray:
    """Return per trial the half width made from the residuals of all other folds.

    This is what the validated coverage is measured with: a trial's own fold has no say in
    its interval (cross-conformal prediction).

    References
    ----------
    Vovk 2015, Cross-conformal predictors, section 2.
    """
    widths = np.full(len(residuals), np.nan)
    for fold in np.unique(fold_of_row[fold_of_row >= 0]):
        others = residuals[(fold_of_row != fold) & (fold_of_row >= 0)]
        if np.isfinite(others).any():
            widths[fold_of_row == fold] = half_width(others, nominal)
    return widths
