"""What an exported model of Python says of rows of metrics: one after another, or all at once with NumPy."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.export._python_arrays import back_rows, flags_rows, output_rows
from core.export._python_row_nodes import Refused, interpolated, leverage_row
from core.export._python_rows import REFUSED, back, flags_row, output_row

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


def half_width(program: dict[str, Any], z: float, x: Sequence[float], cluster: int) -> float:
    """Return half of the interval's width on the model's scale."""
    band = program["band"]
    if band is None:
        return math.nan
    half: float = band["widths"][cluster]
    if band["by"] == "none":
        return half
    difficulty = leverage_row(program["reach"], x) if band["by"] == "leverage" else z
    return half * interpolated(difficulty, band["knots"], band["factors"])


def predict_row(x: Sequence[float]) -> Prediction:
    """Predict one row of metrics, in the order and the units of METRICS."""
    if len(x) != len(METRICS):
        raise ValueError(f"the model needs {len(METRICS)} metrics, got {len(x)}")
    flags = flags_row(PROGRAM, x)
    try:
        z, cluster = output_row(PROGRAM, x)
        value = back(PROGRAM, z, x)
        if not math.isfinite(value):
            raise Refused("too large to be a number")
    except (Refused, OverflowError):
        return Prediction(math.nan, math.nan, math.nan, flags | REFUSED, 0)
    half = half_width(PROGRAM, z, x, cluster)
    low, high = back(PROGRAM, z - half, x), back(PROGRAM, z + half, x)
    if not (math.isfinite(low) and math.isfinite(high) and low <= value <= high):
        low = high = math.nan
    return Prediction(value, low, high, flags, cluster)


def predict(rows: Iterable[Sequence[float]]) -> list[Prediction]:
    """Predict rows of metrics; with NumPy all at once, else one after another."""
    if np is None:
        return [predict_row(row) for row in rows]
    found = predict_arrays(np.asarray(list(rows), dtype=float).reshape(-1, len(METRICS)))
    return [Prediction(*row) for row in zip(*(column.tolist() for column in found))]


def predict_arrays(X: Any) -> tuple[Any, ...]:
    """Predict rows of an array of shape (n, n_metrics): value, low, high, flags, cluster."""
    with np.errstate(all="ignore"):
        flags, leverage = flags_rows(PROGRAM, X)
        z, cluster = output_rows(PROGRAM, X)
        value = back_rows(PROGRAM, z, X)
        refused = ~np.isfinite(value)
        half = _half_arrays(z, leverage, cluster)
        low, high = back_rows(PROGRAM, z - half, X), back_rows(PROGRAM, z + half, X)
        known = np.isfinite(low) & np.isfinite(high) & (low <= value) & (value <= high) & ~refused
        found = [np.where(where, v, np.nan) for where, v in ((~refused, value), (known, low), (known, high))]
        return (*found, flags | np.where(refused, REFUSED, 0), np.where(refused, 0, cluster))


def _half_arrays(z: Any, leverage: Any, cluster: Any) -> Any:
    band = PROGRAM["band"]
    if band is None:
        return np.full(len(z), np.nan)
    half = np.array(band["widths"])[cluster]
    if band["by"] == "none":
        return half
    return half * np.interp(leverage if band["by"] == "leverage" else z, band["knots"], band["factors"])
