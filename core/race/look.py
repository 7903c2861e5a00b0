"""Where entries fail and where they disagree: per workload, by observed value."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.trial import Frame
from core.validate.crossval import Validation


@dataclass(frozen=True)
class Failures:
    """Each held-out workload's error, workloads sorted by what was observed.

    Attributes
    ----------
    rows : array of shape (n,), row numbers in the frame
    names : per workload
    observed, predicted, ape : arrays of shape (n,); ape in percent, NaN where refused or observed 0
    """

    rows: IntArray
    names: tuple[str, ...]
    observed: FloatArray
    predicted: FloatArray
    ape: FloatArray


@dataclass(frozen=True)
class Disagreement:
    """The workloads of which two entries say the most different things, the most different first.

    Attributes
    ----------
    rows : array of shape (n,), row numbers in the frame
    first, second, observed : arrays of shape (n,), in the response's unit
    factor : array of shape (n,), larger by smaller prediction; inf where one of them is not positive
    """

    rows: IntArray
    names: tuple[str, ...]
    first: FloatArray
    second: FloatArray
    observed: FloatArray
    factor: FloatArray


def failures(frame: Frame, validation: Validation) -> Failures:
    """Return the error of every held-out trial, by observed value (HALWPE, figure 6)."""
    held = np.flatnonzero(validation.fold_of_row >= 0)
    rows = held[np.argsort(frame.y[held], kind="stable")]
    y, predicted = frame.y[rows], validation.predicted[rows]
    ape = np.full(len(rows), np.nan)
    known = y != 0
    ape[known] = 100 * np.abs(predicted[known] / y[known] - 1)
    return Failures(rows, workload_names(frame, rows), y, predicted, ape)


def disagreement(frame: Frame, first: Validation, second: Validation, most: int = 20) -> Disagreement:
    """Return the trials that two entries, held out alike, predict most differently."""
    a, b = first.predicted, second.predicted
    rows = np.flatnonzero(np.isfinite(a) & np.isfinite(b))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where((a > 0) & (b > 0), np.maximum(a, b) / np.minimum(a, b), np.inf)
    ties = np.abs(a - b)
    rows = rows[np.lexsort((-ties[rows], -apart[rows]))][:most]
    return Disagreement(rows, workload_names(frame, rows), a[rows], b[rows], frame.y[rows], apart[rows])


def workload_names(frame: Frame, rows: IntArray) -> tuple[str, ...]:
    """Return `application · input` per row; the machine too where there are several."""
    roles = ["application", "input"] + ["machine"] * (len(set(frame.labels["machine"])) > 1)
    return tuple(" · ".join(t for t in (frame.labels[r][i] for r in roles) if t) for i in rows.tolist())
