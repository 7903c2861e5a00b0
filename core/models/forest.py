"""Random forest: the mean of deep trees, each grown on a random draw of the trials."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.models.base import Model
from core.models.parts.columns import BoolArray
from core.models.parts.trees import AveragedTrees, TreesModel, check_trials, learnt, span_of
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
        from sklearn.ensemble import RandomForestRegressor

        check_trials(X, y, self.least_trials, "A forest")
        forest = RandomForestRegressor(n_estimators=self.trees, random_state=self.seed, **self._options())
        return learnt(ForestModel, forest.fit(X, y / span_of(y)).estimators_, span_of(y))

    def out_of_bag(self, model: Model, X: FloatArray) -> FloatArray | None:
        """Return what the trees of `fit` say of each trial that was not drawn for them, array of shape (n_trials,).

        NaN for a trial that was drawn for every tree. Which were drawn follows from the seed: it is read from stumps.

        References
        ----------
        Breiman 2001, section 3.1.
        """
        from sklearn.ensemble import RandomForestRegressor

        if not isinstance(model, ForestModel):
            return None
        stumps = RandomForestRegressor(n_estimators=self.trees, random_state=self.seed, max_depth=1)
        left = np.ones((self.trees, len(X)), dtype=bool)
        for own, drawn in zip(left, stumps.fit(X[:, :1], X[:, 0]).estimators_samples_, strict=True):
            own[drawn] = False
        total, n = model.total(X, left), left.sum(axis=0)
        return np.asarray(np.divide(total, n, out=np.full(len(X), np.nan), where=n > 0))
