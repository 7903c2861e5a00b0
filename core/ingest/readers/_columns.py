"""Metrics in the order that a file says them, and their cells: one by one, or in blocks of rows and columns."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from core.codec import FloatArray, IntArray
from core.ingest.readers._base_units import scale_of
from core.trial import Kind, Metric

one_metric = lru_cache(1 << 14)(Metric)
"""Files of one tool have the same metrics, file by file."""


@dataclass
class Columns:
    """Metrics in the order they came, and the cells that are known; rows are trials or keys."""

    keys: dict[tuple[str, ...], int] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    places: dict[tuple[str, str, str], int] = field(default_factory=dict)
    by_name: dict[str, int] = field(default_factory=dict)
    cells: dict[int, dict[int, float]] = field(default_factory=dict)
    labels: dict[str, dict[int, str]] = field(default_factory=dict)
    blocks: list[tuple[IntArray, IntArray, FloatArray]] = field(default_factory=list)
    blocked: set[int] = field(default_factory=set)

    def row(self, *key: str) -> int:
        """Return the row of a key."""
        return self.keys.setdefault(key, len(self.keys))

    def spread(self, place: int) -> dict[int, float]:
        """Return the cells of a column, those that came in a block among them."""
        cells = self.cells.setdefault(place, {})
        if place in self.blocked:
            self.blocked.remove(place)
            for rows, places, values in self.blocks:
                for j in np.flatnonzero(places == place).tolist():
                    pairs = zip(rows.tolist(), values[:, j].tolist(), strict=True)
                    cells.update((row, value) for row, value in pairs if value == value)
                    values[:, j] = np.nan
        return cells

    def place(self, name: str, base: str, kind: Kind, qualifier: str = "") -> int:
        """Return the column of a metric; another unit, or a qualifier, makes another column."""
        found = self.places.get((name, base, qualifier))
        if found is not None:
            return found
        own = f"{name} [{qualifier}]" if qualifier else name
        own = f"{own} [{base or 'no unit'}]" if own in self.by_name else own
        self.places[(name, base, qualifier)] = place = len(self.metrics)
        self.by_name.setdefault(own, place)
        self.metrics.append(one_metric(own, kind, base))
        return place

    def block_of(self, asked: tuple[tuple[str, str, Kind], ...]) -> list[int]:
        """Return the columns of several metrics for a block of cells; -1 for one that has cells already."""
        if not self.metrics:
            fresh = _fresh(asked)
            self.metrics, self.places, self.by_name = [*fresh.metrics], {**fresh.places}, {**fresh.by_name}
            if len(fresh.metrics) == len(asked):
                self.blocked = set(range(len(asked)))
                return list(range(len(asked)))
        found = []
        for name, unit, kind in asked:
            place = self.place(name, scale_of(unit)[0], kind)
            free = place not in self.blocked and not self.cells.get(place)
            found.append(place if free else -1)
            self.blocked.add(place)
        return found

    def known(self, n_rows: int) -> tuple[list[int], tuple[Metric, ...], FloatArray]:
        """Return the columns that have a cell at all, with their metrics and cells."""
        values = self.matrix(n_rows)
        places = np.flatnonzero(~np.isnan(values).all(axis=0)).tolist()
        return places, tuple(self.metrics[place] for place in places), np.ascontiguousarray(values[:, places])

    def matrix(self, n_rows: int) -> FloatArray:
        """Return the cells as an array of shape (n_rows, none_metrics), NaN where there is none."""
        values = np.full((n_rows, len(self.metrics)), np.nan)
        for block_rows, places, block in self.blocks:
            values[np.ix_(block_rows, places)] = block
        for place, column in self.cells.items():
            rows = np.fromiter(column, dtype=np.int64, count=len(column))
            values[rows, place] = np.fromiter(column.values(), dtype=np.float64, count=len(column))
        return values

    def texts(self, n_rows: int) -> dict[str, tuple[str, ...]]:
        """Return the labels, one text per row, "" where there is none."""
        return {name: tuple(cells.get(i, "") for i in range(n_rows)) for name, cells in self.labels.items()}


@lru_cache(256)
def scales_of(asked: tuple[tuple[str, str, Kind], ...]) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Return factors and divisors that make values of some metrics base units, and which of them change the unit."""
    scales = [scale_of(unit) for _, unit, _ in asked]
    converted = tuple(j for j, (unit, scale) in enumerate(zip(asked, scales, strict=True)) if unit[1] != scale[0])
    return np.array([s[1] for s in scales], dtype=float), np.array([s[2] for s in scales], dtype=float), converted


@lru_cache(256)
def _fresh(asked: tuple[tuple[str, str, Kind], ...]) -> Columns:
    """Return the columns of a file that begins with some metrics, as files of one tool all do."""
    columns = Columns()
    for name, unit, kind in asked:
        columns.place(name, scale_of(unit)[0], kind)
    return columns
