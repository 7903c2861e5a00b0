"""What an exported model of Python says of rows, all at once with NumPy; its command line and self-test."""
# ruff: noqa: B905  # exported files run on older Pythons too, whose zip knows no strict

import csv
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.export._python_frame import predicted
from core.export._python_nodes import Columns, Plain

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
    return [Prediction(*row) for row in zip(*(column.tolist() for column in found))]


def predict_arrays(X: Any) -> tuple[Any, ...]:
    """Predict rows of an array of shape (n, n_metrics): value, low, high, flags, cluster."""
    with np.errstate(all="ignore"):
        return predicted(PROGRAM, list(np.asarray(X, dtype=float).T), Columns)


TOLERANCE = 1e-9


def self_test() -> float:
    """Return the largest relative difference to the test vectors; infinite where flags differ."""
    ways = [[predict_row(x) for x, *_ in VECTORS], *([predict([x for x, *_ in VECTORS])] if np else [])]
    least = [hundredth(column) for column in list(zip(*VECTORS))[1:4]]
    return max(difference(p, vector, least) for way in ways for p, vector in zip(way, VECTORS))


def hundredth(expected: Sequence[float]) -> float:
    """Return a hundredth of the median size: a sum that is nearer to 0 has lost its digits, here as in the model."""
    sizes = sorted(abs(v) for v in expected if math.isfinite(v))
    return max(0.01 * sizes[len(sizes) // 2], 1e-300) if sizes else 1e-300


def difference(p: Prediction, vector: Sequence[Any], least: Sequence[float]) -> float:
    """Return the largest relative difference of value, low and high, those nearer to 0 than `least` by that."""
    _, *expected, flags = vector
    if p.flags != flags:
        return math.inf
    worst = 0.0
    for own, right, size in zip(p, expected, least):
        if math.isnan(right) != math.isnan(own):
            return math.inf
        if not math.isnan(right) and own != right:
            worst = max(worst, abs(own - right) / max(abs(right), size))
    return worst


def number(text: str) -> float:
    """Return a cell's number, NaN where it holds none, also of what Python alone takes for one, such as 6_4."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def main(arguments: Sequence[str]) -> int:
    """Predict the rows of a CSV file, or test the model against its own vectors."""
    if list(arguments) == ["--self-test"]:
        worst = self_test()
        print(f"{len(VECTORS)} test vectors, largest relative difference {worst:.3g}")
        return 0 if worst <= TOLERANCE else 1
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python model.py FILE.csv | --self-test", file=sys.stderr)
        return 2
    with open(arguments[0], newline="", encoding="utf-8-sig") as file:
        table = list(csv.reader(file))
    missing = [name for name in METRICS if not table or name not in table[0]]
    if missing:
        of, sign, text = missing[0].partition("=")
        means = f", which is 1 where {of} is {text!r} and else 0" if sign and table and of in table[0] else ""
        print(f"{arguments[0]} has no column {missing[0]!r}{means}", file=sys.stderr)
        return 2
    places = [table[0].index(name) for name in METRICS]
    out = csv.writer(sys.stdout)
    out.writerow([*table[0], "prediction", "low", "high", "in_domain", "flags"])
    whole = [row + [""] * (len(table[0]) - len(row)) for row in table[1:] if row]
    for row, p in zip(whole, predict([[number(row[j]) for j in places] for row in whole])):
        known = ["" if math.isnan(v) else repr(v) for v in p[:3]]
        out.writerow([*row, *known, str(p.in_domain).lower(), p.flags])
    return 0
