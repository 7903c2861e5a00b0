"""Logarithms of the metrics that call for them, so that products become sums."""

import numpy as np

from core.blocks import extremes, row_blocks
from core.codec import FloatArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPass, Pass

SCALES = ("raw", "log", "log1p")


class FittedLog(FittedPass):
    """Which scale each column is on.

    Attributes
    ----------
    names : of the columns, for reasons
    scales : "raw", "log" (natural) or "log1p" per column
    """

    names: tuple[str, ...]
    scales: tuple[str, ...]

    def apply(self, X: FloatArray) -> FloatArray:
        """Return each column on its scale; NaN where a number has no logarithm."""
        out = np.array(X, dtype=np.float64)
        log, more = (np.array([own == scale for own in self.scales], dtype=bool) for scale in SCALES[1:])
        for rows in row_blocks(*out.shape):
            part = out[rows]
            if log.any():
                np.log(np.where(part > 0, part, np.nan), out=part, where=log.all() or log)
            if more.any():
                np.log1p(np.where(part >= 0, part, np.nan), out=part, where=more.all() or more)
        return out

    def check(self, width: int) -> int:
        """Hold names and scales against the width."""
        known = len(self.scales)
        hold(len(self.names) == width == known, f"The log pass knows {known} columns, but gets {width}.")
        hold(set(self.scales) <= set(SCALES), "The log pass has a scale that is none of raw, log, log1p.")
        return width

    def refuse(self, X: FloatArray) -> dict[int, str]:
        """Return the rows whose numbers have no logarithm."""
        reasons: dict[int, str] = {}
        for j, scale in enumerate(self.scales):
            if scale != "raw":
                bad = X[:, j] <= 0 if scale == "log" else X[:, j] < 0
                what = "not positive" if scale == "log" else "negative"
                for i in np.flatnonzero(bad):
                    reasons.setdefault(
                        int(i), f"metric '{self.names[j]}' is {X[i, j]:g}, {what}, and the model needs its logarithm"
                    )
        return reasons


class Log(Pass):
    """Natural logarithm of positive columns over a wide span, log(1 + x) where zeros occur."""

    mode: str = option("auto", choices=("auto", "log", "none")).says(
        "auto decides per metric by sign and span, log takes every metric's logarithm, none leaves all as they are"
    )
    span: float = option(10.0, low=1.0).says(
        "With auto: largest over smallest value from which on a metric is put on the log scale"
    )

    def fit(self, before: Features) -> FittedLog:
        """Choose each column's scale from the training rows.

        Raises
        ------
        FitError
            With mode log, if a column has a negative number.
        """
        ends = np.array(extremes(before.X)).T.tolist()
        scales = tuple(self._scale(name, *own) for name, own in zip(before.names, ends, strict=True))
        return FittedLog(before.names, scales)

    def _scale(self, name: str, low: float, high: float) -> str:
        if self.mode == "none":
            return "raw"
        if self.mode == "log":
            if low < 0:
                raise FitError(
                    f"Metric '{name}' is {low:g} in a trial and has no logarithm there. Use metric_scale=auto."
                )
            return "log" if low > 0 else "log1p"
        if low > 0:
            return "log" if high / low >= self.span else "raw"
        return "log1p" if low == 0 and high >= self.span else "raw"
