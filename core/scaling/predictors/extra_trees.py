"""Extremely randomised trees from counters to the components of the surface."""

from dataclasses import dataclass
from typing import ClassVar

from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._tree_scores import AveragedTrees, TreeScoresLearnt
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class ExtraTreesLearnt(TreeScoresLearnt):
    """The mean of the trees."""


@dataclass(frozen=True)
class ExtraTrees(AveragedTrees):
    """Many deep trees whose splits are drawn at random; each leaf is a training kernel's surface.

    References
    ----------
    Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label: ClassVar[str] = "Extremely randomised trees"

    max_features: float = option(
        1.0, low=0.01, high=1.0, label="Share of features per split", help="Of how many features each split may choose"
    )

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ExtraTreesLearnt:
        """Grow the trees."""
        from sklearn.ensemble import ExtraTreesRegressor

        return ExtraTreesLearnt(*self.grow(ExtraTreesRegressor, lesson))
