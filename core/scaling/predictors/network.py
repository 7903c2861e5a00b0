"""The paper's method: clusters of surfaces, and a three-layer network that recognises them by counters."""

from dataclasses import dataclass
from typing import ClassVar

from core.progress import Progress, silent
from core.scaling.predictors._network import NetworkOptions, NetworkState
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class NetworkLearnt(NetworkState):
    """The cluster with the highest output, and its surface."""


@dataclass(frozen=True)
class Network(NetworkOptions):
    """Linear input, sigmoid hidden layer as wide as there are clusters, one sigmoid output per cluster.

    References
    ----------
    Greathouse, Loh 2018, Machine learning for performance and power modeling of heterogeneous
    systems, section 4, figures 4 to 7.
    """

    label: ClassVar[str] = "Clusters and a neural network (the paper)"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> NetworkLearnt:
        """Cluster the surfaces and train the network."""
        surfaces, networks, n_inputs = self.learn(lesson)
        return NetworkLearnt(surfaces, False, networks, n_inputs)
