"""Which kernels scale alike: clusters of surfaces by k-means or Ward's linkage, and what a kernel is bound by."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError
from core.option import Options, option
from core.scaling.surfaces import components
from core.threads import one_thread
from core.trial import Metric

KMEANS, WARD, WARD_SPEARMAN = METHODS = ("kmeans", "ward", "ward-spearman")
LOG, RATIO = SCALES = ("log", "ratio")


class Clusters(Frozen):
    """Kernels that scale alike, and the surface of each group.

    Attributes
    ----------
    labels : array of shape (n_kernels,), each kernel's cluster, 0 to n_clusters - 1, by first appearance
    surfaces : array of shape (n_clusters, n_configurations), mean log surface of each cluster
    linkage : array of shape (n_kernels - 1, 4) as SciPy writes it; None for k-means
    """

    labels: IntArray
    surfaces: FloatArray
    linkage: FloatArray | None

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.surfaces)

    def from_base(self, base: int) -> FloatArray:
        """Return the clusters' log surfaces relative to a configuration."""
        return self.surfaces - self.surfaces[:, [base]]


class Clustering(Options):
    """How surfaces become clusters."""

    n_clusters: int = option(12, low=1, high=200, label="Clusters", help="How many scaling behaviours there are")
    method: str = option(KMEANS, choices=METHODS).says(
        "k-means, or Ward's linkage on Euclidean or on Spearman rank correlation distance"
    )
    components: int = option(10, low=0, high=100).says(
        "Principal components that surfaces are reduced to before they are compared; 0 for none"
    )
    scale: str = option(LOG, choices=SCALES, expert=True).says(
        "Compare logarithms of surfaces, or ratios to the base as the paper does"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of every random draw")

    def grouped(self, log_surfaces: FloatArray) -> Clusters:
        """Group log surfaces of shape (n_kernels, n_configurations).

        Raises
        ------
        FitError
            If there are no two kernels.
        """
        if len(log_surfaces) < 2:
            raise FitError(f"Clusters need at least 2 kernels, got {len(log_surfaces)}.")
        points = self.points(log_surfaces)
        k = min(self.n_clusters, len(np.unique(points, axis=0)))
        tree = None if self.method == KMEANS else linkage(points, spearman=self.method == WARD_SPEARMAN)
        labels = kmeans(points, k, self.seed) if tree is None else cut(tree, k)
        return Clusters(labels, cluster_means(log_surfaces, labels), tree)

    def points(self, log_surfaces: FloatArray) -> FloatArray:
        """Return what is compared: scores of components, or surfaces as their components rebuild them for ranks."""
        surfaces = np.exp(log_surfaces) if self.scale == RATIO else log_surfaces
        if not self.components:
            return surfaces
        reduced = components(surfaces, self.components)
        scores = reduced.scores(surfaces)
        return reduced.rebuilt(scores) if self.method == WARD_SPEARMAN else scores


def kmeans(points: FloatArray, n_clusters: int, seed: int = 0) -> IntArray:
    """Return the clusters of scikit-learn's k-means (10 starts), numbered by first appearance."""
    from sklearn.cluster import KMeans

    with one_thread():  # so few points that threads would only wait for each other
        found = KMeans(n_clusters, n_init=10, random_state=seed).fit(points)
    return by_appearance(found.labels_)


def linkage(points: FloatArray, *, spearman: bool = False) -> FloatArray:
    """Return Ward's linkage as scipy.cluster.hierarchy writes it, on Euclidean distance or 1 − ρ."""
    from scipy.cluster.hierarchy import linkage as scipy_linkage
    from scipy.spatial.distance import squareform

    told = squareform(spearman_distance(points), checks=False) if spearman else points
    return np.asarray(scipy_linkage(told, "ward"), dtype=np.float64)


def cut(tree: FloatArray, n_clusters: int) -> IntArray:
    """Return at most so many clusters of a dendrogram (SciPy's fcluster, maxclust), by first appearance."""
    from scipy.cluster.hierarchy import fcluster

    return by_appearance(fcluster(tree, n_clusters, "maxclust"))


def spearman_distance(surfaces: FloatArray) -> FloatArray:
    """Return 1 − Spearman's rank correlation of each pair of rows; a surface that is flat has correlation 0.

    References
    ----------
    Spearman 1907; Greathouse, Loh 2018, section 3.
    """
    from scipy.stats import rankdata

    ranks = rankdata(surfaces, axis=1)
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    size = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    unit = np.divide(ranks, size, out=np.zeros_like(ranks), where=size > 0)
    distance = np.clip(1.0 - unit @ unit.T, 0.0, 2.0)
    np.fill_diagonal(distance, 0.0)
    return np.asarray((distance + distance.T) / 2)


def cluster_means(log_surfaces: FloatArray, labels: IntArray) -> FloatArray:
    """Return the mean log surface of each cluster."""
    hit = (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
    return np.asarray((hit.T @ log_surfaces) / hit.sum(axis=0)[:, None])


def by_appearance(labels: "np.ndarray[tuple[int, ...], np.dtype[np.int32]] | IntArray") -> IntArray:
    """Number clusters in the order in which they appear, from 0 on."""
    from pandas import factorize

    return np.asarray(factorize(np.asarray(labels))[0], dtype=np.int64)


COMPUTE, BANDWIDTH, BALANCED, FLAT = ("compute-bound", "bandwidth-bound", "balanced", "not scaling")
_MEMORY_WORDS = ("mem", "dram", "bandwidth", "bw", "gddr", "hbm", "uncore")


class Behaviour(Frozen):
    """A kernel's label, and how performance reacts to each axis.

    Attributes
    ----------
    elasticity : per axis, the mean of d log performance / d log axis: 1 means as much faster as the
        axis is raised, 0 not at all
    """

    label: str
    elasticity: tuple[float, ...]


class Behaviours(Options):
    """Where one behaviour ends and another begins."""

    flat: float = option(0.2, low=0.0, high=1.0, label="Not scaling below").says(
        "A kernel that gains less than this share of what compute and bandwidth together gain does not scale"
    )
    clear: float = option(0.6, low=0.5, high=1.0, label="Clear from").says(
        "The share of a kernel's gain that one side must have alone"
    )

    def of(self, axes: Sequence[Metric], grid: FloatArray, log_performance: FloatArray) -> tuple[Behaviour, ...]:
        """Label log performance surfaces of shape (n_kernels, n_configurations), without NaN.

        An axis is bandwidth's if its name speaks of memory or bandwidth, else it is compute's.
        """
        slopes = elasticities(grid, log_performance)
        memory = np.array([is_memory(axis.name) for axis in axes])
        return tuple(self._one(row, memory) for row in slopes)

    def _one(self, slopes: FloatArray, memory: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> Behaviour:
        raised = np.maximum(slopes, 0.0)
        compute = float(raised[~memory].max(initial=0.0))
        bandwidth = float(raised[memory].max(initial=0.0))
        total = compute + bandwidth
        most = self.clear * (total if 0 < memory.sum() < len(memory) else 1.0)
        name = BANDWIDTH if bandwidth >= most else COMPUTE if compute >= most else BALANCED
        return Behaviour(FLAT if total < self.flat else name, tuple(slopes.tolist()))


def is_memory(axis: str) -> bool:
    """Whether an axis is bandwidth's: its name speaks of memory or bandwidth."""
    return any(word in axis.lower() for word in _MEMORY_WORDS)


def elasticities(grid: FloatArray, log_values: FloatArray) -> FloatArray:
    """Return the slope of each log surface along the logarithm of each axis, all axes fitted together.

    Parameters
    ----------
    log_values : array of shape (n_kernels, n_configurations)

    Returns
    -------
    ndarray of shape (n_kernels, n_axes); 0 for an axis that does not vary
    """
    columns = np.log(grid) if (grid > 0).all() else grid / np.maximum(np.abs(grid).max(axis=0), 1e-300)
    C = columns - columns.mean(axis=0)
    solution = np.linalg.lstsq(C, (log_values - log_values.mean(axis=1, keepdims=True)).T, rcond=1e-10)[0]
    return np.asarray(solution.T)
