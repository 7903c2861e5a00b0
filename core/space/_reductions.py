"""What is kept of streamed values: a histogram, the k smallest, the front of two."""

import numpy as np

from core.codec import FloatArray, IntArray

_FINE = 1 << 12
_SHOWN = 128


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


class Smallest:
    """The k smallest values and their ranks; of equal values those of lower rank."""

    def __init__(self, k: int) -> None:
        self.k = k
        self.values, self.ranks = np.empty(0), np.empty(0, dtype=np.int64)

    @property
    def limit(self) -> float:
        """What a value must not be above to be kept."""
        return float(self.values[-1]) if len(self.values) >= self.k else np.inf

    def take(self, values: FloatArray, ranks: IntArray) -> None:
        """Consider some values."""
        if not self.k or not len(values):
            return
        values, ranks = np.concatenate([self.values, values]), np.concatenate([self.ranks, ranks])
        if len(values) > self.k:
            edge = np.partition(values, self.k - 1)[self.k - 1]
            sure, tied = np.flatnonzero(values < edge), np.flatnonzero(values == edge)
            tied = tied[np.argsort(ranks[tied], kind="stable")[: self.k - len(sure)]]
            keep = np.concatenate([sure, tied])
            values, ranks = values[keep], ranks[keep]
        order = np.lexsort((ranks, values))
        self.values, self.ranks = values[order], ranks[order]


class Front:
    """The points to which no other is at least as small in both values (and smaller in one)."""

    def __init__(self) -> None:
        self.first, self.second = np.empty(0), np.empty(0)
        self.ranks = np.empty(0, dtype=np.int64)

    def candidates(self, first: FloatArray, second: FloatArray) -> IntArray:
        """Return the places that no point of the front is as good as."""
        if not len(self.first):
            return np.arange(len(first), dtype=np.int64)
        place = np.searchsorted(self.first, first, side="right") - 1
        return np.flatnonzero((place < 0) | (self.second[place] > second))

    def take(self, first: FloatArray, second: FloatArray, ranks: IntArray) -> None:
        """Consider some points."""
        first, second = np.concatenate([self.first, first]), np.concatenate([self.second, second])
        ranks = np.concatenate([self.ranks, ranks])
        order = np.lexsort((ranks, second, first))
        first, second, ranks = first[order], second[order], ranks[order]
        before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]]) if len(second) else second
        keep = second < before
        self.first, self.second, self.ranks = first[keep], second[keep], ranks[keep]
