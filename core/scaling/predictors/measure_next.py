"""One more measured configuration, chosen to help most, beside the counters at the base."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import PredictError
from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._hold import hold
from core.scaling.predictors._scores import Scores
from core.scaling.predictors._trees import Trees, averaged
from core.scaling.predictors.base import Asked, Learnt, Lesson
from core.scaling.surfaces import Components, covariance, next_configurations


@dataclass(frozen=True)
class MeasureNextLearnt(Learnt):
    """Trees over the counters and what was measured at the chosen configurations.

    Attributes
    ----------
    points : array of shape (n_points,), the configurations to measure, best first
    """

    points: IntArray
    basis: Components
    trees: Trees

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the trees' surfaces, put right where they were measured."""
        there = asked.measured[:, self.points]
        if not np.isfinite(there).all():
            raise PredictError("A kernel is not measured at the configurations that this model asks for.")
        found = self.basis.rebuilt(self.trees.predict(np.hstack([asked.features, there])))
        return np.where(np.isfinite(asked.measured), asked.measured, found)

    def wants(self) -> tuple[int, ...]:
        """Return where a kernel is to be measured besides the base."""
        return tuple(self.points.tolist())

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees and the points."""
        hold(bool(((self.points >= 0) & (self.points < n_configurations)).all()), "it measures where nothing is")
        hold(self.basis.axes.shape[1:] == (n_configurations,), "its components do not fit its grid")
        self.trees.check(n_features + len(self.points), len(self.basis.axes))


@dataclass(frozen=True)
class MeasureNext(Scores):
    """Extremely randomised trees that see the response at one more configuration, too."""

    label: ClassVar[str] = "One more measurement, where it helps most"
    n_measurements: ClassVar[int] = 1

    points: int = option(1, low=1, high=10, label="Measurements", help="Configurations to measure besides the base")
    trees: int = option(100, low=1, high=5000, label="Trees", help="More are steadier, and slower")
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MeasureNextLearnt:
        """Choose the configurations, then grow trees that know the surfaces there."""
        from sklearn.ensemble import ExtraTreesRegressor

        chosen = next_configurations(covariance(lesson.log), self.points)
        points = np.array([step.configuration for step in chosen], dtype=np.int64)
        basis, scores = self.basis(lesson)
        forest = ExtraTreesRegressor(n_estimators=self.trees, random_state=self.seed)
        forest.fit(np.hstack([lesson.features, lesson.log[:, points]]), scores)
        return MeasureNextLearnt(points, basis, averaged(forest, scores.shape[1]))
