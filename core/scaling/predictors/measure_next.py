"""One more measured configuration, chosen to help most, beside the counters at the base."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.option import like, option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores, Trees, averaged, grown
from core.scaling.predictors.base import Asked, Lesson, MeasuredLearnt, hold
from core.scaling.predictors.forest import Forest
from core.scaling.surfaces import Components, most_telling


@dataclass(frozen=True)
class MeasureNextLearnt(MeasuredLearnt):
    """Trees over the counters and what was measured at the chosen configurations."""

    basis: Components
    trees: Trees

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the trees' surfaces, put right where they were measured."""
        found = self.basis.rebuilt(self.trees.predict(np.hstack([asked.features, self.there(asked)])))
        return np.where(np.isfinite(asked.measured), asked.measured, found)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees too."""
        super().check(n_features, n_configurations)
        hold(self.basis.axes.shape[1:] == (n_configurations,), "its components do not fit its grid")
        self.trees.check(n_features + len(self.points), len(self.basis.axes))


@dataclass(frozen=True)
class MeasureNext(Scores):
    """Extremely randomised trees that see the response at one more configuration, too."""

    label: ClassVar[str] = "One more measurement, where it helps most"
    n_measurements: ClassVar[int] = 1

    points: int = option(1, low=1, high=10, label="Measurements", help="Configurations to measure besides the base")
    trees: int = like(Forest, "trees")
    seed: int = like(Forest, "seed")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MeasureNextLearnt:
        """Choose the configurations, then grow trees that know the surfaces there."""
        points = most_telling(lesson.log, self.points)
        basis, scores = self.basis(lesson)
        seen = np.hstack([lesson.features, lesson.log[:, points]])
        forest = grown("ExtraTreesRegressor", seen, scores, self.trees, self.seed)
        return MeasureNextLearnt(points, basis, averaged(forest, scores.shape[1]))
