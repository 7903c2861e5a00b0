"""Gradient boosting from counters to each component of the surface."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores, as_trees
from core.scaling.predictors.base import Lesson
from core.scaling.predictors.forest import ForestLearnt


@dataclass(frozen=True)
class BoostingLearnt(ForestLearnt):
    """The sum of the trees."""


@dataclass(frozen=True)
class Boosting(Scores):
    """Small trees, each on what the ones before leave.

    References
    ----------
    Friedman 2001, Greedy function approximation: a gradient boosting machine; 2002, Stochastic gradient boosting.
    """

    label: ClassVar[str] = "Gradient boosting"

    rounds: int = option(150, low=1, high=5000, help="Trees per component")
    rate: float = option(0.1, low=0.001, high=1.0, label="Learning rate", help="How much of each tree is taken")
    depth: int = option(3, low=1, high=20, help="Of each tree")
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BoostingLearnt:
        """Boost each component."""
        from sklearn.ensemble import GradientBoostingRegressor

        basis, scores = self.basis(lesson)
        k = scores.shape[1]
        trees, values = [], []
        for j, target in enumerate(scores.T):
            progress(j / k, f"boosting component {j + 1} of {k}")
            model = GradientBoostingRegressor(
                n_estimators=self.rounds,
                learning_rate=self.rate,
                max_depth=self.depth,
                subsample=0.7,
                max_features=0.5,
                random_state=self.seed,
            ).fit(lesson.features, target)
            for tree in (estimator.tree_ for estimator in model.estimators_[:, 0]):
                trees.append(tree)
                values.append(_in_column(self.rate * tree.value[:, 0, 0], j, k))
        return BoostingLearnt(basis, as_trees(trees, values, scores.mean(axis=0)))


def _in_column(values: FloatArray, j: int, k: int) -> FloatArray:
    found = np.zeros((len(values), k))
    found[:, j] = values
    return found
