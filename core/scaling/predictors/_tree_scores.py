"""What regressions of surfaces by trees share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.codec import FloatArray
from core.option import option
from core.scaling.predictors._scores import Scores, ScoresLearnt
from core.scaling.predictors._trees import Trees, averaged
from core.scaling.predictors.base import Lesson
from core.scaling.surfaces import Components


@dataclass(frozen=True)
class TreeScoresLearnt(ScoresLearnt):
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
class AveragedTrees(Scores):
    """Options of many deep trees whose mean is the prediction."""

    trees: int = option(100, low=1, high=5000, label="Trees", help="More are steadier, and slower")
    max_features: float = option(
        0.4, low=0.01, high=1.0, label="Share of features per split", help="Of how many features each split may choose"
    )
    min_leaf: int = option(
        1, low=1, high=1000, label="Least kernels per leaf", help="More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of the random draws")

    def grow(self, regressor: Callable[..., Any], lesson: Lesson) -> tuple[Components, Trees]:
        """Return the components of the surfaces, and the trees that one of scikit-learn's forests learns of them."""
        basis, scores = self.basis(lesson)
        forest = regressor(
            n_estimators=self.trees,
            max_features=self.max_features,
            min_samples_leaf=self.min_leaf,
            random_state=self.seed,
        )
        forest.fit(lesson.features, scores if scores.shape[1] > 1 else scores.ravel())
        return basis, averaged(forest, scores.shape[1])
