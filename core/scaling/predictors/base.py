"""The contract of a predictor: options learn from training kernels' surfaces; what they learnt is plain data."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import PredictError, holder
from core.option import Options
from core.progress import Progress, silent

hold = holder("The model file does not hold together:")


class Lesson(Frozen):
    """What a predictor learns from.

    Attributes
    ----------
    log : array of shape (n_kernels, n_configurations), log surfaces relative to the base, holes filled
    features : array of shape (n_kernels, n_features), standardised
    n_plain : the first so many features are the counters and responses themselves
    base : the base configuration
    grid : array of shape (n_configurations, n_axes)
    groups : array of shape (n_kernels,), equal for kernels that are held out together
    """

    log: FloatArray
    features: FloatArray
    n_plain: int
    base: int
    grid: FloatArray
    groups: IntArray

    def take(self, rows: IntArray) -> "Lesson":
        """Return the lesson of some kernels."""
        return replace(self, log=self.log[rows], features=self.features[rows], groups=self.groups[rows])

    def asked(self, points: Sequence[int]) -> "Asked":
        """Return the kernels as they are asked for when they were measured at the base and some configurations."""
        there = np.unique([self.base, *points])
        measured = np.full(self.log.shape, np.nan)
        measured[:, there] = self.log[:, there]
        return Asked(self.features, measured)


class Asked(Frozen):
    """Kernels to predict.

    Attributes
    ----------
    features : array of shape (n, n_features)
    measured : array of shape (n, n_configurations), log values relative to the base where they are
        known (0 at the base), NaN elsewhere
    """

    features: FloatArray
    measured: FloatArray


class Learnt(Frozen, ABC):
    """What a predictor learnt: exactly what prediction and JSON need."""

    @abstractmethod
    def surfaces(self, asked: Asked) -> FloatArray:
        """Return log surfaces relative to the base, array of shape (n, n_configurations)."""

    @abstractmethod
    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the state against the widths it is used with.

        Raises
        ------
        ModelFileError
            If it does not fit.
        """

    def wants(self) -> tuple[int, ...]:
        """Return the configurations besides the base at which a kernel is to be measured, best first."""
        return ()


class MeasuredLearnt(Learnt):
    """What predicts from the response at a few more configurations.

    Attributes
    ----------
    points : array of shape (n_points,), the configurations to measure, best first
    """

    points: IntArray

    def there(self, asked: Asked) -> FloatArray:
        """Return what was measured at the points, or raise PredictError where something was not."""
        found = asked.measured[:, self.points]
        if not np.isfinite(found).all():
            raise PredictError("A kernel is not measured at the configurations that this model asks for.")
        return found

    def wants(self) -> tuple[int, ...]:
        """Return where a kernel is to be measured besides the base."""
        return tuple(self.points.tolist())

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the points."""
        hold(bool(((self.points >= 0) & (self.points < n_configurations)).all()), "it measures where nothing is")


class Predictor(Options, ABC):
    """A way to predict surfaces, called like its file."""

    n_measurements: ClassVar[int] = 0
    """Configurations besides the base at which a kernel has to be measured."""

    @abstractmethod
    def fit(self, lesson: Lesson, progress: Progress = silent) -> Learnt:
        """Learn from the training kernels and from nothing else.

        Raises
        ------
        FitError
            If they are too few.
        """
