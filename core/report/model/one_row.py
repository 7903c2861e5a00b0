"""One row of metrics by hand: where to begin, and what a model says of it."""

from collections.abc import Mapping

import numpy as np

from core.codec import FloatArray, Frozen
from core.pipeline import FittedPipeline
from core.report.model.card import UNKNOWN, ranges
from core.report.model.summary import importance
from core.trial import Metric

MOST = 24
"""Metrics that are offered; the others stay where they begin."""


class Dial(Frozen):
    """A metric to be set.

    Attributes
    ----------
    number : of the metric in the model
    low, high : its trained range; None where the model's file does not say
    start : in the middle of the range, by its logarithm where that spans more than a decade
    """

    number: int
    metric: Metric
    low: float | None
    high: float | None
    start: float


class OneAnswer(Frozen):
    """What a model says of one row; NaN where there is no prediction or no interval."""

    value: float
    low: float
    high: float
    why: str


def dials(model: FittedPipeline) -> tuple[Dial, ...]:
    """Return the metrics of a model that can be set, the most important first where the model tells."""
    starts = _starts(model)
    found = importance(model)
    names = [*(found.names if found else ()), *model.names]
    order = [model.names.index(name) for name in dict.fromkeys(names) if name in model.names][:MOST]
    known = ranges(model)
    return tuple(Dial(j, known[j].metric, known[j].low, known[j].high, float(starts[j])) for j in order)


def row_of(model: FittedPipeline, values: Mapping[int, float]) -> FloatArray:
    """Return a row of metrics, some set by their number, all others where they begin."""
    row = _starts(model)
    row[list(values)] = list(values.values())
    return row


def answer_one(model: FittedPipeline, row: FloatArray) -> OneAnswer:
    """Return what a model says of a row."""
    said = model.predict(row[None, :])
    value, low, high = (float(v[0]) for v in (said.value, said.low, said.high))
    return OneAnswer(value, low, high, said.why[0])


def _starts(model: FittedPipeline) -> FloatArray:
    low, high = model.domain.low, model.domain.high
    known = (np.abs(low) < UNKNOWN) & (np.abs(high) < UNKNOWN)
    wide = known & (low > 0) & (high > 10 * low)
    with np.errstate(all="ignore"):
        middle = np.where(wide, np.sqrt(np.maximum(low, 0.0)) * np.sqrt(np.maximum(high, 0.0)), low / 2 + high / 2)
    digits = [float(f"{v:.4g}") for v in np.where(known, middle, 1.0).tolist()]
    return np.asarray(np.clip(np.array(digits), low, high))
