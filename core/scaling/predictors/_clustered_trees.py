"""What predictors share whose trees recognise clusters."""

from dataclasses import dataclass

from core.codec import FloatArray
from core.scaling.predictors._clustered import ClusteredLearnt
from core.scaling.predictors._trees import Trees


@dataclass(frozen=True)
class ClusteredTrees(ClusteredLearnt):
    """Trees that say how likely each cluster is."""

    trees: Trees

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the trees' sum."""
        return self.trees.predict(features)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees."""
        super().check(n_features, n_configurations)
        self.trees.check(n_features, len(self.of_clusters))
