"""Proof of an export: what was written is compiled and run, and compared with the model itself."""

import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from core.codec import FloatArray, Frozen
from core.export.base import Answers, CannotRunError, Exporter, FailedRunError, answers, rows
from core.pipeline import FittedPipeline

TOLERANCE = 1e-12
FLOOR = 1e-2
"""Of the median size: what is nearer to 0 is compared by that much."""


class Proof(Frozen):
    """How an exported file compares with its model.

    Attributes
    ----------
    largest_relative_difference : of predictions and their bounds; NaN where nothing was run
    n : rows that were compared
    flags_equal : whether refusals and domain flags agree in every row; None for forms that have none
    runner : what compiled or ran it, such as "cc (Debian 12.2.0) 12.2.0"
    why_not : why nothing was run, or ""
    failed : how it failed by itself, as by its own test, or ""
    plain_difference : the same as the largest relative difference, but without a least size of what is divided by
    """

    largest_relative_difference: float
    n: int
    flags_equal: bool | None
    runner: str
    seconds: float
    why_not: str = ""
    failed: str = ""
    plain_difference: float = float("nan")

    @property
    def holds(self) -> bool:
        """Whether the file says the same as the model, to 1e-12."""
        return self.flags_equal is not False and self.largest_relative_difference <= TOLERANCE

    @property
    def sentence(self) -> str:
        """Return the proof as people read it."""
        if self.why_not:
            return self.why_not
        if self.failed:
            return f"it fails by itself: {self.failed}"
        flags = {True: ", the same flags in all", False: ", but other flags in some", None: " inside the trained range"}
        said = f"{self.n:,} rows, largest relative difference {self.largest_relative_difference:.2g}"
        return f"{said}{flags[self.flags_equal]} ({self.runner}, {self.seconds:.1f} s)"


def prove(exporter: Exporter, model: FittedPipeline, n: int = 10_000) -> Proof:
    """Write a model, run what was written on n rows, and compare; or say why it was not run."""
    started = time.perf_counter()
    reason = exporter.can_express(model)
    if reason:
        return Proof(float("nan"), 0, None, "", 0.0, reason)
    X = rows(model, n, inside=exporter.only_values)
    with tempfile.TemporaryDirectory(prefix="ridgeline-") as folder:
        try:
            found = exporter.run(model, exporter.write(model), X, Path(folder))
        except CannotRunError as error:
            return Proof(float("nan"), 0, None, "", time.perf_counter() - started, str(error))
        except FailedRunError as error:
            return Proof(float("nan"), 0, None, "", time.perf_counter() - started, failed=str(error))
    right = answers(exporter.said(model), X)
    flags = None if exporter.only_values else bool(np.array_equal(found.flags, right.flags))
    worst = partial(largest_difference, found, right, only_values=exporter.only_values)
    return Proof(worst(), n, flags, found.runner, time.perf_counter() - started, plain_difference=worst(floor=0.0))


def largest_difference(found: Answers, right: Answers, *, only_values: bool = False, floor: float = FLOOR) -> float:
    """Return the largest relative difference of predictions and their bounds; infinite if one alone is missing.

    A form that has predictions alone is compared where there is one; it does not know of refusals.
    """
    if only_values:
        known = np.isfinite(right.value)
        return relative_difference(found.value[known], right.value[known], floor)
    pairs = [(found.value, right.value), (found.low, right.low), (found.high, right.high)]
    return max(relative_difference(a, b, floor) for a, b in pairs)


def relative_difference(found: FloatArray, right: FloatArray, floor: float = FLOOR) -> float:
    """Return the largest |found - right| / |right|, where both are numbers.

    What is nearer to 0 than a hundredth of the median size is compared by that hundredth: where a sum
    crosses 0 it has lost its digits, in the model as in what was exported.

    Parameters
    ----------
    floor : that share of the median size
    """
    if not np.array_equal(np.isnan(found), np.isnan(right)):
        return float("inf")
    known = np.isfinite(right) & (found != right)
    if not known.any():
        return 0.0
    least = max(floor * float(np.median(np.abs(right[np.isfinite(right)]))), np.finfo(np.float64).tiny)
    return float((np.abs(found[known] - right[known]) / np.maximum(np.abs(right[known]), least)).max())
