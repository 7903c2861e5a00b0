"""Forests from counters to the components of the surface."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.option import like, option
from core.progress import Progress, silent
from core.registry import companion
from core.scaling.predictors._scores import Scores, ScoresLearnt, Trees, averaged, grown
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class ForestLearnt(ScoresLearnt):
    """Trees whose leaves are scores of the components."""

    trees: Trees

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the trees' sum; for a mean, the leaves were divided when they were learnt."""
        return self.trees.predict(features)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees."""
        super().check(n_features, n_configurations)
        self.trees.check(n_features, len(self.basis.axes))


@dataclass(frozen=True)
class Forest(Scores):
    """Many deep trees, each on kernels drawn with replacement.

    References
    ----------
    Breiman 2001, Random forests.
    """

    label: ClassVar[str] = "Random forest"
    grower: ClassVar[str] = "RandomForestRegressor"

    trees: int = option(100, low=1, high=5000, help="More are steadier, and slower")
    max_features: float = option(
        0.4, low=0.01, high=1.0, label="Share of features per split", help="Of how many features each split may choose"
    )
    min_leaf: int = option(
        1, low=1, high=1000, label="Least kernels per leaf", help="More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestLearnt:
        """Grow the trees."""
        basis, scores = self.basis(lesson)
        trees = grown(self.grower, lesson.features, scores, self.trees, self.seed, self.max_features, self.min_leaf)
        return companion(type(self), ForestLearnt)(basis, averaged(trees, scores.shape[1]))


@dataclass(frozen=True)
class ExtraTreesLearnt(ForestLearnt):
    """The mean of the trees."""


@dataclass(frozen=True)
class ExtraTrees(Forest):
    """Many deep trees whose splits are drawn at random; each leaf is a training kernel's surface.

    References
    ----------
    Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label = "Extremely randomised trees"
    grower = "ExtraTreesRegressor"

    max_features: float = like(Forest, "max_features", 1.0)
