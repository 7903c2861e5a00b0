"""Random forest: the mean of deep trees, each grown on a random draw of the trials."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import BoolArray, FloatArray
from core.models.base import Model
from core.models.parts.trees import AveragedTrees, TreesModel, times_drawn
from core.progress import Progress, silent


@dataclass(frozen=True)
class ForestModel(TreesModel):
    """The mean of the trees."""

    def total(self, X: FloatArray, counted: BoolArray) -> FloatArray:
        """Return the sum of the trees that count for each row; `counted` is of shape (n_trees, n)."""
        return self._over_trees(X, lambda each, rows: np.where(counted[:, rows], each, 0.0).sum(axis=0))


@dataclass(frozen=True)
class Forest(AveragedTrees):
    """Many deep trees, averaged.

    References
    ----------
    Breiman 2001, Random Forests.
    """

    label: ClassVar[str] = "Random forest"
    slowness = 4

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ForestModel:
        """Grow the trees."""
        from sklearn.tree import DecisionTreeRegressor

        return self.grown(ForestModel, DecisionTreeRegressor, X, y, drawn=True)

    def out_of_bag(self, model: Model, X: FloatArray) -> FloatArray | None:
        """Return what the trees of `fit` say of each trial that was not drawn for them, array of shape (n_trials,).

        NaN for a trial that was drawn for every tree. Which were drawn follows from the seed.

        References
        ----------
        Breiman 2001, section 3.1.
        """
        if not isinstance(model, ForestModel):
            return None
        rng = np.random.RandomState()
        left = np.array([times_drawn(rng, seed, len(X)) == 0 for seed in self._seeds()])
        total, n = model.total(X, left), left.sum(axis=0)
        return np.asarray(np.divide(total, n, out=np.full(len(X), np.nan), where=n > 0))
