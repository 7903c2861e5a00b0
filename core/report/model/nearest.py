"""The training trials nearest to a row."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray
from core.pipeline import FittedPipeline

if TYPE_CHECKING:
    import pandas as pd

DISTANCE = "distance (standard deviations)"


@dataclass(frozen=True)
class Near:
    """A kept training trial beside a row: its distance in standard deviations, and what was measured of it."""

    trial: str
    distance: float
    response: float

    def __str__(self) -> str:
        return f"{self.trial} at {self.distance:.3g}: {self.response:.6g}"


def nearest_table(model: FittedPipeline, row: FloatArray, n: int = 5) -> "pd.DataFrame":
    """Return the nearest kept trials of one row, shape (n_metrics,), nearest first."""
    import pandas as pd

    kept = model.domain.landmarks
    places, distances = model.domain.nearest(row[None], n if np.isfinite(row).all() else 0)
    own = places[0]
    known = {"trial": [kept.labels[i] for i in own], DISTANCE: distances[0]}
    table = pd.DataFrame({**known, f"measured {model.response}": kept.responses[own]})
    metrics = {str(m): kept.rows[own, j] for j, m in enumerate(model.metrics)} if len(own) else {}
    return pd.concat([table, pd.DataFrame(metrics)], axis=1)


def nearest_trials(model: FittedPipeline, X: FloatArray, n: int) -> tuple[tuple[Near, ...], ...]:
    """Return per row its n nearest kept trials; none where a metric is missing."""
    kept = model.domain.landmarks
    places, distances = model.domain.nearest(X, n)
    rows = zip(places, distances, strict=True)
    pairs = ([(i, d) for i, d in zip(*own, strict=True) if math.isfinite(d)] for own in rows)
    return tuple(tuple(Near(kept.labels[i], float(d), float(kept.responses[i])) for i, d in own) for own in pairs)
