"""What the Explore page computes, kept by the digest of the frame and the options."""

from collections.abc import Hashable

from core.report.shared.naming import trial_names
from core.report.trials.clusters import ClusterChoice, Clusters, cluster_choice, clusters
from core.report.trials.components import ComponentOptions, Components, components
from core.report.trials.metrics import Correlation, correlation
from core.trial import Frame
from pages._ui.kept import kept


def _of(frame: Frame, *more: object) -> Hashable:
    return (frame.digest(), repr(more))


@kept(_of, 8)
def components_of(frame: Frame, options: ComponentOptions) -> Components:
    """Return the components of a frame."""
    return components(frame, options)


@kept(_of, 4)
def names_of(frame: Frame) -> tuple[str, ...]:
    """Return a name per trial."""
    return trial_names(frame)


@kept(_of, 8)
def correlation_of(frame: Frame, method: str) -> Correlation:
    """Return the correlations of a frame."""
    return correlation(frame, method)


@kept(_of, 16, "Clustering the trials …")
def clusters_of(frame: Frame, options: ComponentOptions, k: int) -> Clusters:
    """Return the trials of a frame in k clusters."""
    return clusters(components_of(frame, options).scores, k)


@kept(_of, 8, "Trying 1 to 10 clusters …")
def cluster_choice_of(frame: Frame, options: ComponentOptions) -> ClusterChoice:
    """Return what every number of clusters is worth."""
    return cluster_choice(components_of(frame, options).scores)
