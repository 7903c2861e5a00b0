"""Metrics in the order that a file says them, and their cells; rows are trials, machines or inputs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from core.codec import FloatArray
from core.trial import Kind, Metric

Cells = Mapping[int, float | None]
"""Values of one metric by row; None and NaN are missing."""
one_metric = lru_cache(1 << 14)(Metric)
"""Files of one tool have the same metrics, file by file."""


@dataclass
class Columns:
    """Metrics in the order they came, and the cells that are known, by row."""

    keys: dict[tuple[str, ...], int] = field(default_factory=dict)
    metrics: list[Metric] = field(default_factory=list)
    places: dict[tuple[str, str, str], int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    cells: list[dict[int, float]] = field(default_factory=list)
    labels: dict[str, dict[int, str]] = field(default_factory=dict)

    def row(self, *key: str) -> int:
        """Return the row of a key."""
        return self.keys.setdefault(key, len(self.keys))

    def place(self, name: str, base: str, kind: Kind, qualifier: str = "") -> int:
        """Return the column of a metric; another unit, or a qualifier, makes another column."""
        key = (name, base, qualifier)
        if key not in self.places:
            own = f"{name} [{qualifier}]" if qualifier else name
            own = f"{own} [{base or 'no unit'}]" if own in self.names else own
            self.names.add(own)
            self.places[key] = len(self.metrics)
            self.metrics.append(one_metric(own, kind, base))
            self.cells.append({})
        return self.places[key]

    def known(self, n_rows: int) -> tuple[list[int], tuple[Metric, ...], FloatArray]:
        """Return the columns that have a cell at all, with their metrics and cells.

        The cells are an array of shape (n_rows, n_columns), NaN where there is none.
        """
        places = [place for place, cells in enumerate(self.cells) if cells]
        cells = [self.cells[place] for place in places]
        values = np.full((n_rows, len(places)), np.nan)
        columns = np.repeat(np.arange(len(places)), [*map(len, cells)])
        values[[row for own in cells for row in own], columns] = [value for own in cells for value in own.values()]
        return places, tuple(self.metrics[place] for place in places), values

    def texts(self, n_rows: int) -> dict[str, tuple[str, ...]]:
        """Return the labels, one text per row, "" where there is none."""
        return {name: tuple(cells.get(i, "") for i in range(n_rows)) for name, cells in self.labels.items()}
