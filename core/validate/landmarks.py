"""What a model keeps of its training trials: some of them, to say what is near, and how metrics were spread."""

from dataclasses import field

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.grouped import evenly

MOST_LANDMARKS = 200
MOST_CELLS = 20_000
"""Numbers that landmarks may take in a model file, as long as there are 20 of them."""
_LEAST = 20
_CANDIDATES = 2000


class Landmarks(Frozen):
    """Training trials kept in the model.

    Attributes
    ----------
    labels : "application · input · machine" of each
    rows : array of shape (n_landmarks, n_metrics)
    responses : array of shape (n_landmarks,), what was measured, in the response's unit
    """

    labels: tuple[str, ...] = ()
    rows: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    responses: FloatArray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.labels)

    def distances(self, X: FloatArray, unit: FloatArray) -> FloatArray:
        """Return |unit @ (x - landmark)| for rows of metrics, shape (n, n_landmarks).

        Parameters
        ----------
        unit : array of shape (k, n_metrics)
        """
        from scipy.spatial.distance import cdist

        if not len(self):
            return np.empty((len(X), 0))
        with np.errstate(over="ignore", invalid="ignore"):
            found: FloatArray = cdist(X @ unit.T, self.rows @ unit.T)
        return found


def choose_landmarks(points: FloatArray, n_metrics: int) -> IntArray:
    """Return which trials to keep, ascending: all if they are few, else those that cover the others best.

    The first is the one nearest to the mean, each further one the trial farthest from all those before it;
    of more than 2,000 trials every n-th is a candidate. Trials at the same place are taken once.

    Parameters
    ----------
    points : array of shape (n_trials, k), in coordinates whose distances count
    n_metrics : that a kept trial takes in a file

    References
    ----------
    Gonzalez 1985, Clustering to minimize the maximum intercluster distance (farthest-point traversal).
    """
    most = min(MOST_LANDMARKS, max(_LEAST, MOST_CELLS // max(n_metrics, 1)))
    if len(points) <= most:
        return np.arange(len(points), dtype=np.int64)
    candidates = np.arange(len(points), dtype=np.int64)[evenly(len(points), _CANDIDATES)]
    own = points[candidates] - points.mean(axis=0)
    size = np.square(own).sum(axis=1)
    chosen = [int(np.argmin(size))]
    nearest = np.full(len(own), np.inf)
    while len(chosen) < min(most, len(own)):
        last = chosen[-1]
        nearest = np.minimum(nearest, size - 2 * (own @ own[last]) + size[last])
        nearest[last] = 0.0
        if nearest.max() <= 1e-12 * size.max():
            break
        chosen.append(int(np.argmax(nearest)))
    return np.sort(candidates[chosen])


LEVELS = np.arange(11) / 10


class Marginals(Frozen):
    """Deciles of the training metrics.

    Attributes
    ----------
    edges : array of shape (n_metrics, 11), from the smallest to the largest value
    shares : array of shape (n_metrics, 11), the share of training trials at or below each edge
    n_trials : behind them; 0 where they were not learnt
    """

    edges: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    shares: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    n_trials: int = 0


def learn_marginals(X: FloatArray) -> Marginals:
    """Return the deciles of training rows of shape (n_trials, n_metrics)."""
    places = np.maximum(np.ceil(len(X) * LEVELS - 1), 0).astype(np.int64)  # numpy's "inverted_cdf"
    edges, shares = (np.empty((X.shape[1], len(LEVELS))) for _ in range(2))
    for j, x in enumerate(X.T):
        ascending = np.sort(x)
        edges[j] = ascending[places]
        shares[j] = ascending.searchsorted(edges[j], side="right")
    shares /= len(X)
    return Marginals(edges, shares, len(X))
