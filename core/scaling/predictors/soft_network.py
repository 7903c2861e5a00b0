"""The paper's network with all clusters mixed by probability instead of the likeliest alone."""

from dataclasses import dataclass
from typing import ClassVar

from core.progress import Progress, silent
from core.scaling.predictors._network import NetworkOptions, NetworkState
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class SoftNetworkLearnt(NetworkState):
    """Surfaces weighed by the network's outputs."""


@dataclass(frozen=True)
class SoftNetwork(NetworkOptions):
    """A kernel between two behaviours scales between their surfaces."""

    label: ClassVar[str] = "Clusters mixed by a neural network"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> SoftNetworkLearnt:
        """Cluster the surfaces and train the network."""
        surfaces, networks, n_inputs = self.learn(lesson)
        return SoftNetworkLearnt(surfaces, True, networks, n_inputs)
