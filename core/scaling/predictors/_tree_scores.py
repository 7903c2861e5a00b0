"""What regressions of surfaces by trees share."""

from dataclasses import dataclass

from core.codec import FloatArray
from core.scaling.predictors._scores import ScoresLearnt
from core.scaling.predictors._trees import Trees


@dataclass(frozen=True)
class TreeScoresLearnt(ScoresLearnt):
    """Trees whose leaves are scores of the components."""

    trees: Trees

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the trees' sum; for a mean, the leaves were divided when they were learnt."""
        return self.trees.predict(features)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees."""
        super().check(n_features, n_configurations)
        self.trees.check(n_features, len(self.basis.axes))
