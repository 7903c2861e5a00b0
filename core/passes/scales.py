"""Scales: logarithms of the metrics that call for them, so that products become sums, and standard scores."""

from collections.abc import Sequence

import numpy as np

from core.blocks import extremes, row_blocks
from core.codec import FloatArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPass, Pass
from core.scale import LARGEST

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


class FittedStandardize(FittedPass):
    """Centre and scale per column, arrays of shape (n_columns,)."""

    mean: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Return (X - mean) / scale."""
        scores: FloatArray = X - self.mean
        scores /= self.scale
        return scores

    def check(self, width: int) -> int:
        """Hold mean and scale against the width."""
        check_centre(self.mean, self.scale, width)
        return width


class Standardize(Pass):
    """Subtract the mean and divide by the sample standard deviation (n - 1)."""

    def fit(self, before: Features) -> FittedStandardize:
        """Learn mean and standard deviation; a constant column gets scale 1.

        Raises
        ------
        FitError
            If a number is too large to have a square.
        """
        return FittedStandardize(*centre_and_scale(before.X, before.names))


def centre_and_scale(X: FloatArray, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return mean and sample standard deviation per column, 1 where a column is constant.

    Raises
    ------
    FitError
        If a number is too large to have a square.
    """
    size = check_size(X, names)
    mean = X.mean(axis=0)
    scale = spread(X, mean, 1) if len(X) > 1 else np.ones(X.shape[1])
    return mean, np.where(scale > 1e-12 * size, scale, 1.0)


def spread(X: FloatArray, mean: FloatArray, ddof: int = 0) -> FloatArray:
    """Return the standard deviation per column of X about its means."""
    square = np.sum([((X[rows] - mean) ** 2).sum(axis=0) for rows in row_blocks(*X.shape)], axis=0)
    return np.asarray(np.sqrt(square / (len(X) - ddof)))


def products(X: FloatArray, centre: FloatArray, unit: FloatArray) -> FloatArray:
    """Return Z'Z, or ZZ' where that is smaller, of Z = (X - centre) · unit."""
    if len(X) < X.shape[1]:
        Z = (X - centre) * unit
        return np.asarray(Z @ Z.T)
    found = np.zeros((X.shape[1], X.shape[1]))
    for rows in row_blocks(*X.shape):
        Z = (X[rows] - centre) * unit
        found += Z.T @ Z
    return found


def check_size(X: FloatArray, names: Sequence[str]) -> FloatArray:
    """Return the largest size per column.

    Raises
    ------
    FitError
        If a number is too large to have a square, or a metric's are all so small that theirs are 0.
    """
    low, high = extremes(X) if len(X) else (np.zeros(X.shape[1]),) * 2
    sizes: FloatArray = np.maximum(high, -low)
    for name, size in zip(names, sizes.tolist(), strict=True):
        if not size <= LARGEST:
            raise FitError(
                f"Metric '{name}' reaches {size:g}; numbers beyond {LARGEST:g} have no square. "
                "Give it a larger unit or leave it out."
            )
        if 0 < size < 1 / LARGEST:
            raise FitError(
                f"Metric '{name}' reaches {size:g} at most; the squares of numbers below {1 / LARGEST:g} are 0. "
                "Give it a smaller unit or leave it out."
            )
    return sizes


def check_centre(mean: FloatArray, scale: FloatArray, width: int) -> None:
    """Raise ModelFileError unless both have the width and every scale is positive."""
    fits = mean.shape == (width,) == scale.shape
    hold(fits, f"A pass centres {mean.shape} and scales {scale.shape}, but gets {width} columns.")
    hold(bool((scale > 0).all()), "A pass divides by a scale that is not positive.")
