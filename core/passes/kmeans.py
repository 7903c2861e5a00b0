"""k-means: groups of alike trials by squared Euclidean distance."""

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError, hold
from core.option import option
from core.passes.base import Features, FittedPartition, FittedPass, Partition
from core.passes.scales import centre_and_scale, check_centre, check_size
from core.threads import one_thread


class FittedKMeans(FittedPartition):
    """The clusters' centres.

    Attributes
    ----------
    mean, scale : arrays of shape (n_columns,), taken from a row before distances
    centres : array of shape (n_clusters, n_columns), largest cluster first
    sizes : array of shape (n_clusters,), training trials
    inertia : sum of squared distances of training trials to their centres
    """

    mean: FloatArray
    scale: FloatArray
    centres: FloatArray
    sizes: IntArray
    inertia: float

    def apply(self, X: FloatArray) -> FloatArray:
        """Return squared distances of shape (n, n_clusters)."""
        with np.errstate(over="ignore"):
            Z = (X - self.mean) / self.scale
            return np.column_stack([((Z - centre) ** 2).sum(axis=1) for centre in self.centres])

    def features(self, before: Features) -> Features:
        """Return the distances as columns."""
        names = tuple(f"distance to cluster {i + 1}" for i in range(len(self.centres)))
        return Features(names, self.apply(before.X), before.metrics)

    def check(self, width: int) -> int:
        """Hold the arrays against each other and the width; return the number of clusters."""
        check_centre(self.mean, self.scale, width)
        shape = self.centres.shape
        hold(shape[1:] == (width,), f"The clusters' centres have shape {shape}, but get {width} columns.")
        hold(len(self.sizes) == len(self.centres), "There are not as many cluster sizes as centres.")
        return len(self.centres)


class KMeans(Partition):
    """k-means++ with restarts, squared Euclidean distance (Eiger, II-B)."""

    clusters: int = option(3, low=1, high=1000, help="How many clusters; never more than there are different trials")
    restarts: int = option(25, low=1, high=1000, help="Random starts, of which the tightest clusters are kept")
    standardize: bool = option(False, help="Whether columns are brought to unit variance before distances")
    seed: int = option(0, low=0, high=2**31 - 1, help="Of the random starts")

    def fit(self, before: Features) -> FittedKMeans:
        """Learn the centres from the training rows.

        Raises
        ------
        FitError
            If there are no rows, or a number has no square.
        """
        X = before.X
        if not len(X):
            raise FitError("Clusters need at least 1 trial, got 0.")
        check_size(X, before.names)
        mean, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        if self.standardize:
            mean, scale = centre_and_scale(X, before.names)
        Z = (X - mean) / scale
        k = min(self.clusters, len(np.unique(Z, axis=0)))
        centres, inertia, nearest = _cluster(Z, k, self.restarts, self.seed)
        sizes = np.bincount(nearest, minlength=k)
        order = np.lexsort([*centres.T[::-1], -sizes])
        return FittedKMeans(mean, scale, centres[order], sizes[order].astype(np.int64), inertia)

    def notes(self, fitted: FittedPass) -> tuple[str, ...]:
        """Say so if there are fewer different trials than clusters asked for."""
        made = len(fitted.centres) if isinstance(fitted, FittedKMeans) else self.clusters
        if made == self.clusters:
            return ()
        return (f"{made} clusters instead of {self.clusters}, because no more trials differ from each other",)


def _cluster(Z: FloatArray, k: int, restarts: int, seed: int) -> tuple[FloatArray, float, IntArray]:
    if k == 1:
        centre = Z.mean(axis=0)
        return centre[None, :], float(((Z - centre) ** 2).sum()), np.zeros(len(Z), dtype=np.int64)
    from sklearn.cluster import KMeans as Lloyd

    with one_thread():  # sums in one order, so that threads cannot change a digit
        fitted = Lloyd(k, n_init=restarts, random_state=seed, tol=0.0, max_iter=500).fit(Z)
    return fitted.cluster_centers_, float(fitted.inertia_), fitted.labels_.astype(np.int64)
