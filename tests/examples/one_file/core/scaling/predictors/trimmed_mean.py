"""The mean surface without the kernels that scale least and most."""

from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold


class TrimmedMeanLearnt(Learnt):
    """One surface for all kernels, array of shape (n_configurations,)."""

    surface: FloatArray

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return it for every kernel."""
        return np.tile(self.surface, (len(asked.features), 1))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the width."""
        hold(self.surface.shape == (n_configurations,), "its surface does not fit its grid")


class TrimmedMean(Predictor):
    """The mean of the kernels in the middle, at each configuration."""

    label: ClassVar[str] = "Trimmed mean"

    trimmed: float = option(0.1, low=0.0, high=0.4, help="Share of the kernels left out at either end")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> TrimmedMeanLearnt:
        """Average what is left of the log surfaces."""
        from scipy.stats import trim_mean

        return TrimmedMeanLearnt(np.asarray(trim_mean(lesson.log, self.trimmed, axis=0)))
