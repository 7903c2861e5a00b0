"""Standard scores: mean 0 and standard deviation 1 over the training trials."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import FitError, ModelFileError
from core.passes.base import Features, FittedPass, Pass
from core.progress import Progress, silent
from core.scale import LARGEST


@dataclass(frozen=True)
class FittedStandardize(FittedPass):
    """Centre and scale per column, arrays of shape (n_columns,)."""

    mean: FloatArray
    scale: FloatArray

    def apply(self, X: FloatArray) -> FloatArray:
        """Return (X - mean) / scale."""
        return (X - self.mean) / self.scale

    def features(self, before: Features) -> Features:
        """Return the same columns, standardised."""
        return replace(before, X=self.apply(before.X))

    def check(self, width: int) -> int:
        """Hold mean and scale against the width."""
        check_centre(self.mean, self.scale, width)
        return width


@dataclass(frozen=True)
class Standardize(Pass):
    """Subtract the mean and divide by the sample standard deviation (n - 1)."""

    label: ClassVar[str] = "Standard scores"

    def fit(self, before: Features, progress: Progress = silent) -> FittedStandardize:
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
    check_size(X, names)
    scale = X.std(axis=0, ddof=1) if len(X) > 1 else np.ones(X.shape[1])
    varies = scale > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    return X.mean(axis=0), np.where(varies, scale, 1.0)


def check_size(X: FloatArray, names: Sequence[str]) -> None:
    """Raise FitError if a number is too large to have a square, or a metric's are all so small that theirs are 0."""
    for name, size in zip(names, np.abs(X).max(axis=0, initial=0.0), strict=True):
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


def check_centre(mean: FloatArray, scale: FloatArray, width: int) -> None:
    """Raise ModelFileError unless both have the width and every scale is positive."""
    if mean.shape != (width,) or scale.shape != (width,):
        raise ModelFileError(f"A pass centres {mean.shape} and scales {scale.shape}, but gets {width} columns.")
    if not (scale > 0).all():
        raise ModelFileError("A pass divides by a scale that is not positive.")
