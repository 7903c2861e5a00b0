"""Random forest: the mean of deep trees, each grown on a random draw of the trials."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.codec import FloatArray
from core.models.parts.trees import AveragedTrees, TreesModel, check_trials, learnt, span_of
from core.progress import Progress, silent


@dataclass(frozen=True)
class ForestModel(TreesModel):
    """The mean of the trees."""


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
        return learnt(ForestModel, self._grown(X, y).estimators_, span_of(y))

    def out_of_bag(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return what the trees say of each trial that was not drawn for them, array of shape (n_trials,).

        NaN for a trial that was drawn for every tree.

        References
        ----------
        Breiman 2001, section 3.1.
        """
        forest = self._grown(X, y)
        total, n = np.zeros(len(y)), np.zeros(len(y))
        for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            left = np.setdiff1d(np.arange(len(y)), drawn)
            if len(left):
                total[left] += tree.predict(X[left])
            n[left] += 1
        return np.asarray(span_of(y) * np.divide(total, n, out=np.full(len(y), np.nan), where=n > 0))

    def _grown(self, X: FloatArray, y: FloatArray) -> Any:
        """Return a fitted forest of scikit-learn, of the response in `span_of` its own."""
        from sklearn.ensemble import RandomForestRegressor

        check_trials(X, y, self.least_trials, "A forest")
        forest = RandomForestRegressor(n_estimators=self.trees, random_state=self.seed, **self._options())
        return forest.fit(X, y / span_of(y))
