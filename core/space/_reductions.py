"""What is kept of streamed values: a histogram, and the best: the smallest of one, the front of several."""

from collections.abc import Callable

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray

_FINE = 1 << 12
_SHOWN = 128
_GUARDS = 8
"""Points of a front that every new one is held against first."""


class StreamedHistogram:
    """Counts in fine bins over a range that doubles when a value lies outside it."""

    def __init__(self) -> None:
        self.low, self.width = 0.0, 0.0
        self.counts = np.zeros(_FINE, dtype=np.int64)
        self.n, self.smallest, self.largest = 0, np.inf, -np.inf

    def take(self, values: FloatArray) -> None:
        """Count some finite values."""
        if not len(values):
            return
        smallest, largest = float(values.min()), float(values.max())
        self._widen(smallest, largest)
        places = ((values - self.low) * (_FINE / self.width)).astype(np.int32)
        np.clip(places, 0, _FINE - 1, out=places)
        self.counts += np.bincount(places, minlength=_FINE)
        self.n += len(values)
        self.smallest, self.largest = min(self.smallest, smallest), max(self.largest, largest)

    def shown(self) -> tuple[FloatArray, IntArray]:
        """Return edges and counts of at most 128 bins that hold all values."""
        if not self.n:
            return np.zeros(1), np.zeros(0, dtype=np.int64)
        used = np.flatnonzero(self.counts)
        first, last = int(used[0]), int(used[-1])
        merge = 1
        while (last // merge) - (first // merge) + 1 > _SHOWN:
            merge *= 2
        first, last = first // merge, last // merge
        counts = self.counts.reshape(-1, merge).sum(axis=1)[first : last + 1]
        edges: FloatArray = self.low + self.width / _FINE * merge * np.arange(first, last + 2, dtype=np.float64)
        return edges, counts.astype(np.int64)

    def _widen(self, smallest: float, largest: float) -> None:
        if not self.n:
            room = max(1e-9 * max(abs(smallest), abs(largest)), 1e-300)
            self.low, self.width = smallest - room, largest - smallest + 2 * room
        while smallest < self.low:
            self._merge(upward=False)
        while largest > self.low + self.width:
            self._merge(upward=True)

    def _merge(self, *, upward: bool) -> None:
        """Make the bins twice as wide; what was counted fills the lower or the upper half."""
        merged = self.counts.reshape(-1, 2).sum(axis=1)
        empty = np.zeros_like(merged)
        self.counts = np.concatenate([merged, empty] if upward else [empty, merged])
        self.low -= 0.0 if upward else self.width
        self.width *= 2


class Kept:
    """The best of streamed points, low where good: the most so many of one value, or the front of several.

    Of equal points that of lower rank is kept.
    """

    def __init__(self, n_values: int, most: int) -> None:
        self.most = most
        self.values, self.ranks = np.empty((n_values, 0)), np.empty(0, dtype=np.int64)

    def take(self, values: FloatArray, ranks: Callable[[IntArray], IntArray]) -> None:
        """Consider points, values of shape (n_values, n); those that are not finite are not kept.

        Parameters
        ----------
        ranks : gives the ranks of some places
        """
        near = self._front_near(values) if len(values) > 1 else self._near(values[0])
        if not len(near):
            return
        values = np.hstack([self.values, values[:, near]])
        found = np.concatenate([self.ranks, ranks(near)])
        order = np.lexsort((found, values[0]))[: self.most] if len(values) == 1 else np.argsort(found)
        chosen = order if len(values) == 1 else order[front(values[:, order])]
        self.values, self.ranks = values[:, chosen], found[chosen]

    def _near(self, values: FloatArray) -> IntArray:
        """Return the places of values that may be among the smallest."""
        full = len(self.ranks) >= self.most
        limit = float(self.values[0, -1]) if full and self.most else np.finfo(np.float64).max
        near = np.flatnonzero(values <= limit)
        if len(near) > self.most > 0:
            near = near[values[near] <= np.partition(values[near], self.most - 1)[self.most - 1]]
        return near if self.most else near[:0]

    def _front_near(self, values: FloatArray) -> IntArray:
        """Return the places of points that neither the best of each value nor some of the front so far beat."""
        near = np.flatnonzero(np.isfinite(values).all(axis=0))
        if not len(near):
            return near
        values = values if len(near) == values.shape[1] else values[:, near]
        best = values[:, np.argmin(values, axis=1)]
        left = np.flatnonzero(np.all([np.any(values <= guard, axis=0) for guard in best.T[:, :, None]], axis=0))
        near, values = near[left], values[:, left]
        some = np.linspace(0, len(self.ranks) - 1, min(len(self.ranks), _GUARDS)).astype(np.int64)
        for guard in np.hstack([best, self.values[:, some]]).T[:, :, None]:
            keep = np.any(values < guard, axis=0) | np.all(values == guard, axis=0)
            near, values = near[keep], values[:, keep]
        return near


def front(values: FloatArray) -> IntArray:
    """Return the places of points that no other is as good as in all rows, shape (n_goals, n), low where good.

    Of equal points the first is kept.
    """
    places = np.lexsort(values[::-1])
    if len(values) == 2:  # in the order of the first, each must be below all before it in the second
        second = values[1, places]
        ahead: BoolArray = second < np.minimum.accumulate(np.concatenate([[np.inf], second[:-1]]))
        return places[ahead]
    left, i = values[:, places], 0
    while i < len(places):
        keep = np.any(left < left[:, i : i + 1], axis=0)
        keep[i] = True
        places, left = places[keep], left[:, keep]
        i = int(keep[: i + 1].sum())
    return places
