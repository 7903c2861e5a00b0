"""What the views of the Explore page show, and what is computed for them, kept by the digest of the frame."""

from collections.abc import Hashable

from streamlit.delta_generator import DeltaGenerator

from core.frozen import Frozen
from core.report.shared.naming import trial_names
from core.report.trials import components as parts
from core.report.trials.components import ClusterChoice, Clusters, ComponentOptions, Components
from core.report.trials.metrics import correlation
from core.trial import Frame, Metric
from pages._ui.database import kept

CLUSTERS = "explore_clusters"
"""What the number of clusters is known by."""


def _of(frame: Frame, *more: object) -> Hashable:
    return (frame.digest(), repr(more))


components_of = kept(_of, 8)(parts.components)
"""The components of a frame."""
names_of = kept(_of, 4)(trial_names)
"""A name per trial."""
correlation_of = kept(_of, 8)(correlation)
"""The correlations of a frame's metrics, by one of the methods."""


@kept(_of, 16, "Clustering the trials …")
def clusters_of(frame: Frame, options: ComponentOptions, k: int) -> Clusters:
    """Return the trials of a frame in k clusters."""
    return parts.clusters(components_of(frame, options).scores, k)


@kept(_of, 8, "Trying 1 to 10 clusters …")
def cluster_choice_of(frame: Frame, options: ComponentOptions) -> ClusterChoice:
    """Return what every number of clusters is worth."""
    return parts.cluster_choice(components_of(frame, options).scores)


class Shown(Frozen):
    """What every view is given.

    Attributes
    ----------
    frame : the trials; of a folder a sample of them
    k : how many clusters
    controls : where a view's own choices stand beside those of the page
    counters : the dataset's metrics; of a folder none
    """

    dataset: str
    frame: Frame
    options: ComponentOptions
    k: int
    controls: DeltaGenerator
    folder: bool
    counters: tuple[Metric, ...]

    @property
    def components(self) -> Components:
        """The metrics' components."""
        return components_of(self.frame, self.options)

    def clusters(self, k: int = 0) -> Clusters:
        """Return the trials in as many clusters as were chosen, or in k."""
        return clusters_of(self.frame, self.options, k or self.k)


def usual_clusters(frame: Frame) -> int:
    """Return how many clusters there are to begin with."""
    return min(3, len(frame))
