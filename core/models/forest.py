"""Random forest: the mean of deep trees, each grown on a random draw of the trials."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._trees import AveragedTrees, TreesModel
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

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ForestModel:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestRegressor

        return self._grow(ForestModel, RandomForestRegressor, X, y)
