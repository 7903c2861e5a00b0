"""Extremely randomised trees: the mean of deep trees whose splits are drawn at random."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models.parts.trees import AveragedTrees, TreesModel
from core.progress import Progress, silent


@dataclass(frozen=True)
class ExtraTreesModel(TreesModel):
    """The mean of the trees."""

    def spread_among(self, X: FloatArray) -> FloatArray | None:
        """Return the standard deviation over the trees."""
        return self.spread(X)


@dataclass(frozen=True)
class ExtraTrees(AveragedTrees):
    """Many deep trees, averaged.

    References
    ----------
    Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label: ClassVar[str] = "Extremely randomised trees"
    slowness = 1

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ExtraTreesModel:
        """Grow the trees."""
        from sklearn.tree import ExtraTreeRegressor

        return self.grown(ExtraTreesModel, ExtraTreeRegressor, X, y)


def resampled(X: FloatArray, y: FloatArray, trees: int, seed: int) -> ExtraTreesModel:
    """Return trees each grown on trials drawn with replacement, so that they disagree about trials that they know, too.

    Raises
    ------
    FitError
        If there are too few trials, or nothing to predict.
    """
    from sklearn.tree import ExtraTreeRegressor

    return ExtraTrees(trees=trees, seed=seed).grown(ExtraTreesModel, ExtraTreeRegressor, X, y, drawn=True)
