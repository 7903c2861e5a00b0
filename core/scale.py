"""The scale that a response is modelled on, and the way back to its unit."""

from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray
from core.errors import FitError

SCALES = ("raw", "log")


@dataclass(frozen=True)
class ResponseScale:
    """Raw, or the natural logarithm; a model in logs predicts the median, and never below 0."""

    name: str = "raw"

    def forward(self, y: FloatArray) -> FloatArray:
        """Return the response on the model's scale."""
        if self.name == "raw":
            return y
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(y)

    def inverse(self, z: FloatArray) -> FloatArray:
        """Return the model's output in the response's unit; too large for a number becomes inf."""
        if self.name == "raw":
            return z
        with np.errstate(over="ignore"):
            return np.exp(z)


def choose_scale(name: str, y: FloatArray) -> ResponseScale:
    """Return the scale that `raw`, `log` or `auto` means for these responses.

    `auto` is the logarithm for a positive response that spans more than a decade.

    Raises
    ------
    FitError
        If `log` is asked for and a response is not positive.
    """
    if name == "auto":
        positive = bool(y.min() > 0)
        return ResponseScale("log" if positive and y.max() / y.min() > 10 else "raw")
    if name == "log" and y.min() <= 0:
        raise FitError(
            f"A response of {y.min():g} has no logarithm. Choose the raw scale, or leave out trials at or below 0."
        )
    return ResponseScale(name)
