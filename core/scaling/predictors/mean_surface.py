"""The mean surface: every kernel scales like the average of those that are known."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.progress import Progress, silent
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold


@dataclass(frozen=True)
class MeanSurfaceLearnt(Learnt):
    """One surface.

    Attributes
    ----------
    mean : array of shape (n_configurations,), mean log surface
    """

    mean: FloatArray

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean for every kernel."""
        return np.tile(self.mean, (len(asked.features), 1))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the width."""
        hold(self.mean.shape == (n_configurations,), "its mean surface does not fit its grid")


@dataclass(frozen=True)
class MeanSurface(Predictor):
    """What every predictor has to beat."""

    label: ClassVar[str] = "Mean surface"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MeanSurfaceLearnt:
        """Average the log surfaces."""
        return MeanSurfaceLearnt(lesson.log.mean(axis=0))


@dataclass(frozen=True)
class MedianSurfaceLearnt(MeanSurfaceLearnt):
    """One surface."""


@dataclass(frozen=True)
class MedianSurface(Predictor):
    """A baseline that a few unusual kernels do not move."""

    label: ClassVar[str] = "Median surface"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MedianSurfaceLearnt:
        """Take the median of the log surfaces at each configuration."""
        return MedianSurfaceLearnt(np.median(lesson.log, axis=0))
