"""Which groups of measurements are worse than they should be: p-values, put together and held against chance."""

from collections.abc import Sequence
from math import comb

import numpy as np

from core.codec import FloatArray, Frozen

NINETY = 1.645
"""Standard deviations on either side that hold 90 % of a normal distribution."""
_HALVINGS = 50


class Stratum(Frozen):
    """Measurements of one configuration, in logarithms: arrays of shape (n_old,) and (n_new,), neither empty."""

    old: FloatArray
    new: FloatArray

    @property
    def moved(self) -> float:
        """The median of the new less that of the old."""
        return float(np.median(self.new) - np.median(self.old))


def larger(strata: Sequence[Stratum], shift: float = 0.0) -> float:
    """Return the p-value that new measurements are no more than `shift` above old ones of the same configuration.

    Ranks are taken within each configuration, so nothing is asked of how measurements are spread, nor that
    configurations are alike, and an outlier counts no more than any largest value. The normal distribution of the
    statistic is corrected for its steps, and never gives less than the chance of the one most extreme arrangement.

    References
    ----------
    van Elteren 1960, On the combination of independent two-sample tests of Wilcoxon (weights 1 / (n + 1)).
    """
    from scipy.stats import norm

    above, spread, step = _ranked(strata, shift)
    if spread == 0:
        return 1.0
    least = 1.0
    for s in strata:
        least /= comb(len(s.old) + len(s.new), len(s.new))
    return max(float(norm.sf((above - step / 2) / spread)), least)


def shift_of(strata: Sequence[Stratum], deviations: float = 0.0) -> float:
    """Return the shift at which the statistic of `larger` is so many standard deviations above its mean.

    At 0 this is the estimate of Hodges and Lehmann, at ±1.645 its 90 % interval; ±infinity where too few tell.

    References
    ----------
    Hodges, Lehmann 1963, Estimates of location based on rank tests.
    """
    ends = [float(np.ptp(np.concatenate([s.old, s.new]))) + 1.0 for s in strata]
    low, high = -max(ends), max(ends)
    if _deviations(strata, low) < deviations:
        return -float("inf")
    if _deviations(strata, high) > deviations:
        return float("inf")
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _deviations(strata, middle) > deviations else (low, middle)
    return (low + high) / 2


def _deviations(strata: Sequence[Stratum], shift: float) -> float:
    above, spread, _ = _ranked(strata, shift)
    return above / spread if spread > 0 else 0.0


def _ranked(strata: Sequence[Stratum], shift: float) -> tuple[float, float, float]:
    """Return by how much the weighted ranks of new measurements exceed their mean, its deviation, and its step."""
    from scipy.stats import rankdata

    above = variance = 0.0
    step = float("inf")
    for s in strata:
        n, m = len(s.old) + len(s.new), len(s.new)
        away = rankdata(np.concatenate([s.new - shift, s.old])) - (n + 1) / 2
        weight = 1 / (n + 1)
        above += weight * float(away[:m].sum())
        variance += weight**2 * m * (n - m) / (n * (n - 1)) * float(away @ away)
        step = min(step, weight)
    return above, float(np.sqrt(variance)), step


def conformal(far: FloatArray, held_out: FloatArray) -> FloatArray:
    """Return p-values of being so far above the prediction: the share of held-out trials, and one more, as far.

    Parameters
    ----------
    far : array of shape (n,), signed distances in half widths of the interval
    held_out : array of shape (m,), the same of trials that the model had not seen

    References
    ----------
    Bates, Candès, Lei, Romano, Sesia 2023, Testing for outliers with conformal p-values.
    """
    beyond = len(held_out) - np.searchsorted(np.sort(held_out), far, side="left")
    return (1 + beyond) / (len(held_out) + 1)


def together(p: FloatArray) -> float:
    """Return one p-value of several that depend on each other positively (Simes 1986)."""
    return float(adjusted(p).min())


def adjusted(p: FloatArray) -> FloatArray:
    """Return p-values with the share of false alarms among all alarms controlled (Benjamini, Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p), dtype=np.float64)
