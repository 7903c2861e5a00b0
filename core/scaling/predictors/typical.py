"""The mean or median surface of the training kernels: of all, or of those with the most similar counters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import option
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


@dataclass(frozen=True)
class NearestKernelsLearnt(Learnt):
    """The training kernels themselves.

    Attributes
    ----------
    points : array of shape (n_kernels, n_plain)
    log : array of shape (n_kernels, n_configurations)
    neighbours : how many speak
    """

    points: FloatArray
    log: FloatArray
    neighbours: int

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean of the nearest surfaces, weighed by 1 / distance."""
        near, distance = nearest(self.points, asked.features[:, : self.points.shape[1]], self.neighbours)
        weight = 1.0 / np.maximum(distance, 1e-9)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.asarray(np.einsum("nk,nkc->nc", weight, self.log[near]))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the kernels."""
        points = self.points
        hold(points.ndim == 2 and 0 < points.shape[1] <= n_features, "its nearest kernels do not fit its features")
        hold(self.log.shape == (len(points), n_configurations) and self.neighbours > 0, "its kernels do not fit")


@dataclass(frozen=True)
class NearestKernels(Predictor):
    """A new kernel scales like the kernels whose counters are most like its own."""

    label: ClassVar[str] = "Nearest kernels"

    neighbours: int = option(3, low=1, high=100, help="How many kernels speak")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> NearestKernelsLearnt:
        """Keep the training kernels."""
        points = np.ascontiguousarray(lesson.features[:, : lesson.n_plain])
        return NearestKernelsLearnt(points, lesson.log, min(self.neighbours, len(points)))


def nearest(points: FloatArray, asked: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
    """Return the n nearest points of each row and their distances, nearest first, ties by number."""
    square = (asked**2).sum(axis=1)[:, None] + (points**2).sum(axis=1) - 2 * asked @ points.T
    near = np.argsort(square, axis=1, kind="stable")[:, :n]
    distance = np.sqrt(np.maximum(np.take_along_axis(square, near, axis=1), 0.0))
    return near.astype(np.int64), distance
