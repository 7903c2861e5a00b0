"""How closely a metric follows the response: ratios within groups of trials, and ranks."""

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.grouped import group

LEAST_GROUP = 3
LEAST_TRIALS = 20
COVERED = 0.9


class Closeness(Frozen):
    """How nearly constant a ratio is inside groups.

    Attributes
    ----------
    half : half-width that holds 90 % of the ratio's distances from its group's median, in logarithms
    own : the same of the response alone
    low, high : smallest and largest of the groups' median ratios
    """

    half: float
    own: float
    low: float
    high: float

    @property
    def percent(self) -> float:
        """The half-width in percent."""
        return 100 * float(np.expm1(self.half))

    def within(self, tolerance: float, gain: float) -> bool:
        """Whether the ratio stays within a share, and varies `gain` times less than the response does."""
        return self.half <= float(np.log1p(tolerance)) and self.half * gain <= self.own


def closeness(
    log_y: FloatArray, log_x: FloatArray, keys: IntArray, least: int = LEAST_GROUP, trials: int = LEAST_TRIALS
) -> Closeness | None:
    """Return how constant y / x is inside groups; None of too few trials.

    Parameters
    ----------
    log_y, log_x : arrays of shape (n_trials,), NaN where there is no logarithm; -log_x judges y · x
    keys : array of shape (n_trials,)
    least : groups of fewer trials say nothing
    trials : fewer in all say nothing
    """
    rows = _grouped(np.isfinite(log_y) & np.isfinite(log_x), keys, least)
    if len(rows) < trials:
        return None
    ratio = group(log_y[rows] - log_x[rows], keys[rows])
    middle = np.exp(ratio.median())
    half = float(np.quantile(ratio.distance(), COVERED))
    own = float(np.quantile(ratio.with_values(log_y[rows]).distance(), COVERED))
    return Closeness(half, own, float(middle.min()), float(middle.max()))


def rank_correlation(y: FloatArray, x: FloatArray, keys: IntArray) -> tuple[float, int]:
    """Return Spearman's correlation of ranks inside groups, over all groups, and how many different x there are."""
    rows = _grouped(np.isfinite(y) & np.isfinite(x), keys)
    if len(rows) < LEAST_TRIALS:
        return 0.0, 0
    a, b = _ranks(y[rows], keys[rows]), _ranks(x[rows], keys[rows])
    length = float(np.sqrt((a @ a) * (b @ b)))
    return (float(a @ b) / length if length else 0.0), len(np.unique(x[rows]))


def still_in_repeats(y: FloatArray, x: FloatArray, configuration: IntArray) -> bool:
    """Return whether repeats of a configuration differ in y, but never in x."""
    rows = np.flatnonzero(np.isfinite(y) & np.isfinite(x))
    if not len(rows):
        return False
    moves = group(x[rows], configuration[rows]).distance().max() > 0
    return not moves and bool(group(y[rows], configuration[rows]).distance().max() > 0)


def _grouped(known: BoolArray, keys: IntArray, least: int = LEAST_GROUP) -> IntArray:
    """Return the known rows of groups that have enough of them."""
    rows = np.flatnonzero(known)
    _, of, size = np.unique(keys[rows], return_inverse=True, return_counts=True)
    return rows[size[of] >= least]


def _ranks(values: FloatArray, keys: IntArray) -> FloatArray:
    """Return ranks inside groups, from -1/2 to 1/2, alike values with their mean rank."""
    from pandas import Series

    groups = group(values, keys)
    size = groups.size[groups.of]
    return (Series(values).groupby(groups.of).rank().to_numpy() - (size + 1) / 2) / size
