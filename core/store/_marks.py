"""Numbers that programs write in place of a result where a run failed."""

import re

import numpy as np

from core.codec import BoolArray, FloatArray
from core.trial import TIMES

_LEAST, _MOST = 8, 0.5
"""Results that show what a result is, and the share of marks among all up to which they are none of them."""
_AGAIN, _BEYOND = 3, 100
"""How often a mark comes that may be a result, and by which factor it is above all of these."""
_FINE, _ABOVE, _FEW = 10, 0.5, 0.25
"""Where 0 is a mark, how many of a clock's steps all times last, at least, which share of their median, and in which
share of all trials 0 is at most: times that come near 0 may be 0."""
_SIGNED = ("", "%", "°C")
"""Units of what may be below 0: shares and changes, temperatures, and what nobody knows."""
_WRITTEN = re.compile(r"10*|9+")
_LIMITS = (2.0**31 - 1, 2.0**32 - 1, 2.0**63, 2.0**64, float(np.finfo(np.float32).max), float(np.finfo(np.float64).max))


def marks_of_failure(y: FloatArray, unit: str) -> BoolArray:
    """Return which values stand for runs that failed, all of them one number; none if no number surely does.

    It is -1 where all else is above 0 and has a unit, 0 where a clock would have told smaller times than all others
    are, or a power of ten, nines or the largest number of a type, again and again, far beyond all others, which differ.

    Parameters
    ----------
    unit : of the values; times are above 0, and so is what is counted or measured in most other units
    """
    known = y[~np.isnan(y)]
    none: BoolArray = np.zeros(len(y), dtype=np.bool_)
    if not len(known):
        return none
    for mark in (float(known.min()), float(known.max())):
        others = known[known != mark]
        n = len(known) - len(others)
        if len(others) < _LEAST or n > _MOST * len(known) or others.min() <= 0:
            continue
        instant = mark == 0 and unit in TIMES and _AGAIN <= n <= _FEW * len(known) and _far_from_zero(others)
        if (
            (mark == -1 and unit not in _SIGNED)
            or instant
            or (n >= _AGAIN and mark >= _BEYOND * others.max() and _written(mark) and _differ(others))
        ):
            found: BoolArray = y == mark
            return found
    return none


def _far_from_zero(values: FloatArray) -> bool:
    """Whether times are none near 0, and told in steps that are small beside all of them."""
    least, steps = float(values.min()), np.diff(np.unique(values))
    return _differ(values) and bool(least >= _ABOVE * np.median(values) and least >= _FINE * steps.min())


def _differ(values: FloatArray) -> bool:
    return 2 * len(np.unique(values)) > len(values)


def _written(mark: float) -> bool:
    """Whether somebody wrote a number and no clock did."""
    return mark in _LIMITS or _WRITTEN.fullmatch(f"{mark:.0f}") is not None
