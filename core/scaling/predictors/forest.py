"""A random forest from counters to the components of the surface."""

from dataclasses import dataclass
from typing import ClassVar

from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores
from core.scaling.predictors._tree_scores import TreeScoresLearnt
from core.scaling.predictors._trees import averaged
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class ForestLearnt(TreeScoresLearnt):
    """The mean of the trees."""


@dataclass(frozen=True)
class Forest(Scores):
    """Many deep trees, each on kernels drawn with replacement.

    References
    ----------
    Breiman 2001, Random forests.
    """

    label: ClassVar[str] = "Random forest"

    trees: int = option(100, low=1, high=5000, label="Trees", help="More are steadier, and slower")
    max_features: float = option(
        0.4, low=0.01, high=1.0, label="Share of features per split", help="Of how many features each split may choose"
    )
    min_leaf: int = option(
        1, low=1, high=1000, label="Least kernels per leaf", help="More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestLearnt:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestRegressor

        basis, scores = self.basis(lesson)
        forest = RandomForestRegressor(
            n_estimators=self.trees, max_features=self.max_features, min_samples_leaf=self.min_leaf,
            random_state=self.seed,
        )  # fmt: skip
        forest.fit(lesson.features, scores if scores.shape[1] > 1 else scores.ravel())
        return ForestLearnt(basis, averaged(forest, scores.shape[1]))
