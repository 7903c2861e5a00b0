"""Random forest: the mean of deep trees, each grown on a random draw of the trials."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.models._trees import TreesModel, check_trials, learnt
from core.models.base import Family
from core.option import option
from core.progress import Progress, silent


@dataclass(frozen=True)
class ForestModel(TreesModel):
    """The mean of the trees."""


@dataclass(frozen=True)
class Forest(Family):
    """Many deep trees, averaged.

    References
    ----------
    Breiman 2001, Random Forests.
    """

    label: ClassVar[str] = "Random forest"

    trees: int = option(200, low=1, high=5000, label="Trees", help="More are steadier, and slower")
    max_features: float = option(
        1.0, low=0.01, high=1.0, label="Share of metrics per split", help="Of how many metrics each split may choose"
    )
    min_leaf: int = option(
        1, low=1, high=1000, label="Least trials per leaf", help="More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of the random draws")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ForestModel:
        """Grow the trees."""
        from sklearn.ensemble import RandomForestRegressor

        check_trials(X, y, self.least_trials, "A forest")
        forest = RandomForestRegressor(
            n_estimators=self.trees, max_features=self.max_features, min_samples_leaf=self.min_leaf,
            random_state=self.seed,
        )  # fmt: skip
        return learnt(ForestModel, forest.fit(X, y))
