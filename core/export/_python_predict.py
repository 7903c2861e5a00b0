"""What an exported model of Python says of rows of metrics: one after another, or all at once with NumPy."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.export._python_frame import predicted
from core.export._python_ops import Columns, Plain

METRICS: list[str] = []
PROGRAM: dict[str, Any] = {}
VECTORS: list[tuple[Any, ...]] = []


class Prediction(NamedTuple):
    """What the model says of a row; value, low and high are NaN where it is refused or there is no interval."""

    value: float
    low: float
    high: float
    flags: int
    cluster: int

    @property
    def in_domain(self) -> bool:
        """Whether the row is inside what the model was trained on."""
        return self.flags == 0


def predict_row(x: Sequence[float]) -> Prediction:
    """Predict one row of metrics, in the order and the units of METRICS."""
    if len(x) != len(METRICS):
        raise ValueError(f"the model needs {len(METRICS)} metrics, got {len(x)}")
    return Prediction(*predicted(PROGRAM, [float(v) for v in x], Plain))


def predict(rows: Iterable[Sequence[float]]) -> list[Prediction]:
    """Predict rows of metrics; with NumPy all at once, else one after another."""
    if np is None:
        return [predict_row(row) for row in rows]
    found = predict_arrays(np.asarray(list(rows), dtype=float).reshape(-1, len(METRICS)))
    return [Prediction(*row) for row in zip(*(column.tolist() for column in found))]  # noqa: B905


def predict_arrays(X: Any) -> tuple[Any, ...]:
    """Predict rows of an array of shape (n, n_metrics): value, low, high, flags, cluster."""
    with np.errstate(all="ignore"):
        return predicted(PROGRAM, list(np.asarray(X, dtype=float).T), Columns)
