"""Candidates as a selection wants them: centred and measured, written out or not."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray

BoolArray = npt.NDArray[np.bool_]

BLOCK = 1 << 19
"""Numbers that are centred at a time, so that they stay in the cache between the passes."""
CACHED, SEVERAL = 1 << 22, 16
"""Numbers beyond which candidates are read from memory in each pass, and vectors that are then taken at once."""
SMALLEST = 1e-290
"""Length under which a column is nothing but zeros and rounding."""


@dataclass(frozen=True)
class Candidates(ABC):
    """What a selection asks of its candidates.

    Attributes
    ----------
    means, norms : arrays of shape (n_candidates,): candidate = mean + z, z of length norm
    peaks : array of shape (n_candidates,), the largest |z|, or more where that is less than norm / √2
    """

    means: FloatArray
    norms: FloatArray
    peaks: FloatArray

    @property
    @abstractmethod
    def n_trials(self) -> int:
        """How long a candidate is."""

    @property
    @abstractmethod
    def loss(self) -> FloatArray | float:
        """How many times the rounding of a product of z itself `times` has, per candidate or for all."""

    @property
    @abstractmethod
    def together(self) -> int:
        """How many vectors `times` takes at once, for hardly more than the time of one."""

    @abstractmethod
    def times(self, v: FloatArray) -> FloatArray:
        """Return z · v of every candidate, array of shape (n_candidates,); of `together` vectors, one row for each."""

    @abstractmethod
    def row(self, j: int) -> FloatArray:
        """Return z of one candidate, array of shape (n_trials,), of its own."""

    @abstractmethod
    def only(self, usable: BoolArray) -> Self:
        """Return the candidates with products of 0 where they are not usable."""

    @property
    def varies(self) -> BoolArray:
        """Which candidates are not constant beyond rounding."""
        size = np.sqrt(self.n_trials) * np.abs(self.means)
        return np.asarray(self.bounded & (self.norms > 1e-12 * size) & (self.norms > SMALLEST))

    @property
    def bounded(self) -> BoolArray:
        """Which candidates are finite, and far enough from infinity to be added up."""
        return self.norms < 1 / SMALLEST

    def leverage(self) -> FloatArray:
        """Return per candidate the largest share of its squared length that one trial has."""
        with np.errstate(all="ignore"):
            share: FloatArray = (self.peaks / self.norms) ** 2
        return share


@dataclass(frozen=True)
class Columns(Candidates):
    """Candidates written out, one per row.

    Attributes
    ----------
    Z : array of shape (n_candidates, n_trials)
    """

    Z: FloatArray

    @property
    def n_trials(self) -> int:
        """How long a candidate is."""
        return int(self.Z.shape[1])

    loss = 1.0
    """None."""

    @property
    def together(self) -> int:
        """Several where the candidates are read from memory."""
        return SEVERAL if self.Z.size > CACHED else 1

    def times(self, v: FloatArray) -> FloatArray:
        """Return z · v of every candidate: one pass over them."""
        return np.asarray((self.Z @ v.T).T)

    def row(self, j: int) -> FloatArray:
        """Return z of one candidate."""
        return np.asarray(self.Z[j].copy())

    def only(self, usable: BoolArray) -> Self:
        """Return the candidates themselves, with zeros written over those that are not usable."""
        self.Z[~usable] = 0.0
        return self


def columns(candidates: FloatArray, *, intercept: bool = True) -> Columns:
    """Centre candidates in place (where there is an intercept) and measure them.

    Parameters
    ----------
    candidates : array of shape (n_candidates, n_trials), used up; may hold numbers that are not
        finite
    """
    n_candidates, n = candidates.shape
    means, norms, peaks = np.zeros(n_candidates), np.empty(n_candidates), np.empty(n_candidates)
    average = np.full(n, 1 / n)
    rows = max(1, BLOCK // n)
    with np.errstate(all="ignore"):
        for start in range(0, n_candidates, rows):
            part = slice(start, start + rows)
            Z = candidates[part]
            if intercept:
                means[part] = Z @ average
                Z -= means[part, None]
            norms[part] = np.sqrt(np.vecdot(Z, Z))
            peaks[part] = np.maximum(Z.max(axis=1), -Z.min(axis=1))
        odd = np.flatnonzero(((norms > 1e140) | (norms < 1e-140)) & (peaks > 0))
        scaled = candidates[odd] / peaks[odd, None]
        norms[odd] = peaks[odd] * np.sqrt(np.vecdot(scaled, scaled))  # squares of these leave the range
    return Columns(means, norms, peaks, candidates)
