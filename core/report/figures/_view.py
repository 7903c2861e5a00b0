"""What part of a plane to show when a few points lie far outside of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray
from core.report.figures._picture import log_axis, padded

_WIDE = 20.0
_FAR = 100.0
"""Errors of more than so many times the usual one are not drawn: they would press all others to the foot."""


@dataclass(frozen=True)
class View:
    """The ends of an axis, as Plotly wants them: logarithms to base 10 on a log axis."""

    low: float
    high: float
    log: bool

    @property
    def range(self) -> list[float]:
        """Both ends."""
        return [self.low, self.high]

    @property
    def axis(self) -> dict[str, Any]:
        """Type, range and ticks, as `update_xaxes` takes them."""
        kind = log_axis(self.ends) if self.log else {"type": "linear"}
        return {**kind, "range": self.range}

    @property
    def ends(self) -> FloatArray:
        """Both ends in the axis' unit."""
        ends: FloatArray = np.array(self.range)
        return 10.0**ends if self.log else ends

    def hold(self, values: FloatArray) -> FloatArray:
        """Return values, those outside moved to the edge; NaN stays."""
        low, high = self.ends
        held: FloatArray = np.clip(values, low, high)
        return held

    def outside(self, values: FloatArray) -> npt.NDArray[np.bool_]:
        """Return which values lie outside."""
        low, high = self.ends
        return np.asarray((values < low) | (values > high))


def view(core: FloatArray, others: FloatArray, log: bool) -> View:
    """Show all of `core`, and of `others` what lies at most half the span of `core` beyond it."""
    low, high = padded(core, log)
    far_low, far_high = padded(np.concatenate([core, others]), log)
    room = (high - low) / 2
    return View(max(far_low, low - room), min(far_high, high + room), log)


def middle(values: FloatArray, share: float = 0.98) -> FloatArray:
    """Return the values without the outermost ones on both sides."""
    known = values[np.isfinite(values)]
    if len(known) < 3:
        return known
    low, high = np.quantile(known, [(1 - share) / 2, (1 + share) / 2])
    inner: FloatArray = known[(known >= low) & (known <= high)]
    return inner


def edge_note(outside: npt.NDArray[np.bool_], what: str) -> str:
    """Say how many points were moved to the edge."""
    n = int(outside.sum())
    if not n:
        return ""
    lies = "lies" if n == 1 else "lie"
    return f"{n:,} of {len(outside):,} {what} {lies} far outside and {'is' if n == 1 else 'are'} drawn on the edge."


def upwards(errors: FloatArray, wide: float = _WIDE) -> tuple[float, dict[str, Any]]:
    """Return the largest error to draw, and the axis, logarithmic where errors differ widely."""
    known = errors[np.isfinite(errors)]
    if not len(known):
        return 1.0, {"rangemode": "tozero"}
    top, low = min(float(known.max()), _FAR * float(np.median(known))), float(known.min())
    if low <= 0 or top / low <= wide:
        return top, {"rangemode": "tozero"}
    return top, log_axis(np.array([low, top]))
