"""A random forest from counters to the components of the surface."""

from dataclasses import dataclass
from typing import ClassVar

from core.progress import Progress, silent
from core.scaling.predictors._tree_scores import AveragedTrees, TreeScoresLearnt
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class ForestLearnt(TreeScoresLearnt):
    """The mean of the trees."""


@dataclass(frozen=True)
class Forest(AveragedTrees):
    """Many deep trees, each on kernels drawn with replacement.

    References
    ----------
    Breiman 2001, Random forests.
    """

    label: ClassVar[str] = "Random forest"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestLearnt:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestRegressor

        return ForestLearnt(*self.grow(RandomForestRegressor, lesson))
