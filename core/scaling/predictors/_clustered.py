"""What predictors by clusters share: surfaces of clusters, and a choice or a mixture of them."""

from abc import abstractmethod
from dataclasses import dataclass

from core.codec import FloatArray
from core.scaling.clusters import Clustering, ClusterOptions, Clusters
from core.scaling.predictors._scores import Trees
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold


@dataclass(frozen=True)
class ClusteredLearnt(Learnt):
    """Clusters' surfaces and something that says how likely each cluster is.

    Attributes
    ----------
    of_clusters : array of shape (n_clusters, n_configurations), log surfaces relative to the base
    soft : whether surfaces are mixed by probability; the likeliest alone speaks if not
    """

    of_clusters: FloatArray
    soft: bool

    @abstractmethod
    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return how likely each cluster is, array of shape (n, n_clusters)."""

    def surfaces(self, asked: Asked) -> FloatArray:
        """Walk the likeliest cluster's surface, or the mixture of them all."""
        shares = self.probabilities(asked.features)
        return shares @ self.of_clusters if self.soft else self.of_clusters[shares.argmax(axis=1)]

    def cluster(self, asked: Asked) -> tuple[int, ...]:
        """Return each kernel's likeliest cluster."""
        return tuple(self.probabilities(asked.features).argmax(axis=1).tolist())

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the surfaces."""
        shape = self.of_clusters.shape
        hold(len(shape) == 2 and shape[0] > 0 and shape[1] == n_configurations, "its clusters do not fit its grid")


@dataclass(frozen=True)
class Clustered(ClusterOptions, Predictor):
    """Options of predictors by clusters."""

    def clusters(self, lesson: Lesson) -> Clusters:
        """Group the training kernels by what does not depend on the base: each surface about its own mean."""
        return self.clustering.fit(lesson.log - lesson.log.mean(axis=1, keepdims=True))

    @property
    def clustering(self) -> Clustering:
        """The clusters' own options."""
        return Clustering(self.n_clusters, self.method, self.components, self.scale, self.seed)


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
