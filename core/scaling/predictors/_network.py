"""What the paper's network and its softer variant share."""

from dataclasses import dataclass

from core.codec import FloatArray
from core.option import option
from core.progress import Progress, silent
from core.scaling.classifier import Networks, train_networks
from core.scaling.predictors._clustered import Clustered, ClusteredLearnt
from core.scaling.predictors._hold import hold
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class NetworkState(ClusteredLearnt):
    """A network that recognises clusters.

    Attributes
    ----------
    networks : one network
    n_inputs : it sees the first so many features: counters and responses at the base
    """

    networks: Networks
    n_inputs: int

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the network's outputs, made to sum to 1."""
        found: FloatArray = self.networks.probabilities(features[:, : self.n_inputs])[0]
        return found

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the network's widths."""
        super().check(n_features, n_configurations)
        hold(len(self.networks) == 1 and 0 < self.n_inputs <= n_features, "its network does not fit its features")
        self.networks.check(self.n_inputs, len(self.of_clusters))


@dataclass(frozen=True)
class NetworkOptions(Clustered):
    """Options of the network."""

    penalty: float = option(
        0.1, low=0.0, high=100.0, label="Penalty", help="Of squared weights; more is smoother and less sure of itself"
    )
    iterations: int = option(
        80, low=1, high=10000, label="Iterations", expert=True, help="Passes over all kernels while training"
    )

    def learn(self, lesson: Lesson, progress: Progress = silent) -> tuple[FloatArray, Networks, int]:
        """Return the clusters' surfaces, the trained network and its number of inputs."""
        found = self.clusters(lesson)
        inputs = lesson.features[:, : lesson.n_plain]
        networks = train_networks(
            inputs[None],
            found.labels,
            found.n_clusters,
            penalty=self.penalty,
            iterations=self.iterations,
            seed=self.seed,
        )
        return found.from_base(lesson.base), networks, lesson.n_plain
