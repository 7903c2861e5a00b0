"""The paper's method: clusters of surfaces, and a three-layer network that recognises them by counters."""

import numpy as np

from core.codec import FloatArray
from core.option import option
from core.progress import Progress, silent
from core.registry import companion
from core.scaling.classifier import Networks, train_networks
from core.scaling.clusters import Clusters
from core.scaling.predictors._scores import Clustered, ClusteredLearnt
from core.scaling.predictors.base import Lesson, hold


class NetworkLearnt(ClusteredLearnt):
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
        return np.asarray(self.networks.probabilities(features[:, : self.n_inputs])[0])

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the network's widths."""
        super().check(n_features, n_configurations)
        hold(len(self.networks) == 1 and 0 < self.n_inputs <= n_features, "its network does not fit its features")
        self.networks.check(self.n_inputs, len(self.of_clusters))


class Network(Clustered):
    """Linear input, sigmoid hidden layer as wide as there are clusters, one sigmoid output per cluster.

    References
    ----------
    Greathouse, Loh 2018, Machine learning for performance and power modeling of heterogeneous
    systems, section 4, figures 4 to 7.
    """

    label = "Clusters and a neural network (the paper)"
    soft = False

    penalty: float = option(0.1, low=0.0, high=100.0).says(
        "Of squared weights; more is smoother and less sure of itself"
    )
    iterations: int = option(80, low=1, high=10000, expert=True, help="Passes over all kernels while training")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> NetworkLearnt:
        """Cluster the surfaces and train the network."""
        found, inputs = self.clusters(lesson), lesson.features[None, :, : lesson.n_plain]
        cls = companion(type(self), NetworkLearnt)
        return cls(found.from_base(lesson.base), self.soft, self.trained(inputs, found), lesson.n_plain)

    def trained(self, inputs: FloatArray, found: Clusters) -> Networks:
        """Return a network per lot of inputs, array of shape (n_networks, n_kernels, n_inputs), that knows clusters."""
        labels, k = found.labels, found.n_clusters
        return train_networks(inputs, labels, k, penalty=self.penalty, iterations=self.iterations, seed=self.seed)


class SoftNetworkLearnt(NetworkLearnt):
    """Surfaces weighed by the network's outputs."""


class SoftNetwork(Network):
    """A kernel between two behaviours scales between their surfaces."""

    label, soft = "Clusters mixed by a neural network", True
