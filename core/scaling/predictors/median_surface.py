"""The median surface: at each configuration every kernel scales like the median of those that are known."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.progress import Progress, silent
from core.scaling.predictors.base import Lesson, Predictor
from core.scaling.predictors.mean_surface import MeanSurfaceLearnt


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
