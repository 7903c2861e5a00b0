"""Where intervals cover what they should: over all trials, by quartile of the response, and in the worst group."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.validate.scores import Scores

QUARTERS = 4
LEAST = 5
"""Trials of a group from which on its share says something."""


@dataclass(frozen=True)
class Coverage:
    """Shares of held-out trials inside their interval, in percent; None where there is none.

    Attributes
    ----------
    quartiles : of the trials with the smallest measured responses first
    worst_group : the group of at least five trials with the smallest share, "" if there is none
    """

    overall: float | None
    quartiles: tuple[float, ...]
    worst_group: str
    worst_share: float | None

    @property
    def worst_quartile(self) -> float | None:
        """The smallest share of a quartile."""
        return min(self.quartiles, default=None)


def coverage_of(y: FloatArray, low: FloatArray, high: FloatArray, groups: Mapping[str, Scores]) -> Coverage:
    """Return where intervals cover.

    Parameters
    ----------
    y, low, high : arrays of shape (n_trials,), NaN where there is no interval
    groups : scores per held-out group, with their own coverage
    """
    known = np.isfinite(low) & np.isfinite(high)
    if not known.any():
        return Coverage(None, (), "", None)
    inside = ((y >= low) & (y <= high))[known]
    parts = np.array_split(inside[np.argsort(y[known], kind="stable")], QUARTERS)
    shares = {name: s.coverage_90 for name, s in groups.items() if s.n >= LEAST and s.coverage_90 is not None}
    worst = min(shares, key=lambda name: (shares[name], name), default="")
    quartiles = tuple(float(100 * part.mean()) for part in parts if len(part))
    return Coverage(float(100 * inside.mean()), quartiles, worst, shares.get(worst))
