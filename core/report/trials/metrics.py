"""Metrics over trials: how each is distributed, and how they go together, alike ones side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.passes.base import Features
from core.passes.log import Log
from core.trial import Frame, Metric

MOST_BINS = 60


@dataclass(frozen=True)
class Distribution:
    """Counts of trials in bins.

    Attributes
    ----------
    metric : what was measured, with its unit
    edges : array of shape (n_bins + 1,), in the metric's unit
    counts : array of shape (n_bins,)
    log : whether the bins are equally wide in the logarithm
    low, median, high : of all trials; NaN if there are none
    n_missing : trials without a value
    """

    metric: Metric
    edges: FloatArray
    counts: IntArray
    log: bool
    low: float
    median: float
    high: float
    n_missing: int

    @property
    def n(self) -> int:
        """How many trials have a value."""
        return int(self.counts.sum())


def distribution(values: FloatArray, metric: Metric, log: bool | None = None) -> Distribution:
    """Count values of shape (n_trials,) in about 2·n^(1/3) bins (Rice's rule), at most 60.

    Positive values that span more than a decade are binned by their logarithm; `log` asks for
    it, or for equally wide bins, whatever they span. Values at or below 0 have no logarithm.
    """
    known = values[np.isfinite(values)]
    missing = len(values) - len(known)
    if not len(known):
        nan = float("nan")
        return Distribution(metric, np.array([0.0, 1.0]), np.zeros(1, dtype=np.int64), False, nan, nan, nan, missing)
    low, high = float(known.min()), float(known.max())
    by_log = low > 0 and (high / low > 10 if log is None else log)
    edges = _edges(low, high, min(MOST_BINS, int(np.ceil(2 * len(known) ** (1 / 3)))), by_log)
    counts = np.histogram(known, bins=edges)[0].astype(np.int64)
    return Distribution(metric, edges, counts, by_log, low, float(np.median(known)), high, missing)


def _edges(low: float, high: float, bins: int, log: bool) -> FloatArray:
    if low == high:
        room = abs(low) / 2 or 0.5
        return np.array([low - room, low + room])
    edges = np.geomspace(low, high, bins + 1) if log else np.linspace(low, high, bins + 1)
    edges[0], edges[-1] = low, high
    return edges if (np.diff(edges) > 0).all() else np.array([low, high])


MOST_METRICS = 60
METHODS = ("linear", "rank")


@dataclass(frozen=True)
class Correlation:
    """Correlations of metrics with each other and with the response.

    Attributes
    ----------
    names : metrics in the order shown, each standing for its group
    groups : per name, the metrics it stands for, itself first
    matrix : array of shape (n_names, n_names), -1 to 1
    with_response : array of shape (n_names,)
    response : the response's name
    method : "linear" (Pearson, on the scale that a model would use) or "rank" (Spearman)
    constant : metrics left out because they never vary
    n_trials : trials behind it
    """

    names: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    matrix: FloatArray
    with_response: FloatArray
    response: str
    method: str
    constant: tuple[str, ...]
    n_trials: int

    @property
    def grouped(self) -> bool:
        """Whether a name stands for more than itself."""
        return any(len(group) > 1 for group in self.groups)

    @property
    def labels(self) -> tuple[str, ...]:
        """The names, with how many more they stand for."""
        more = (len(group) - 1 for group in self.groups)
        return tuple(f"{n} (+{m})" if m else n for n, m in zip(self.names, more, strict=True))


def correlation(frame: Frame, method: str = "linear", most: int = MOST_METRICS) -> Correlation:
    """Correlate the metrics of a frame; more than `most` are grouped by how alike they are.

    Alike means a large absolute correlation; the order is that of the leaves of an average-
    linkage tree of 1 - |r|, turned so that neighbours are alike (Bar-Joseph, Gifford, Jaakkola
    2001). A group is shown by the member most correlated with the others.
    """
    columns, names, constant = _varying(frame)
    columns, y = _on_scale(columns, names, frame, method)
    R = _pearson(columns)
    with_y = _pearson(np.column_stack([columns, y]))[-1, :-1] if np.ptp(y) > 0 else np.zeros(len(names))
    return arranged(R, with_y, names, frame.response.name, method, constant, len(frame), most)


def arranged(
    R: FloatArray,
    with_response: FloatArray,
    names: Sequence[str],
    response: str,
    method: str,
    constant: tuple[str, ...],
    n_trials: int,
    most: int = MOST_METRICS,
) -> Correlation:
    """Return known correlations in the order that shows what goes together; see `correlation`.

    Parameters
    ----------
    R : array of shape (n_metrics, n_metrics)
    with_response : array of shape (n_metrics,)
    """
    groups = [[j] for j in range(len(names))] if len(names) <= most else _groups(R, most)
    shown = [_middle(R, group) for group in groups]
    order = _leaf_order(R[np.ix_(shown, shown)])
    rows = [shown[i] for i in order]
    return Correlation(
        names=tuple(names[j] for j in rows),
        groups=tuple(_named(groups[i], shown[i], names) for i in order),
        matrix=R[np.ix_(rows, rows)],
        with_response=with_response[rows],
        response=response,
        method=method,
        constant=constant,
        n_trials=n_trials,
    )


def _varying(frame: Frame) -> tuple[FloatArray, tuple[str, ...], tuple[str, ...]]:
    varies = np.ptp(frame.X, axis=0) > 1e-12 * np.abs(frame.X).max(axis=0, initial=0.0)
    kept = tuple(n for n, v in zip(frame.names, varies, strict=True) if v)
    gone = tuple(n for n, v in zip(frame.names, varies, strict=True) if not v)
    return frame.X[:, varies], kept, gone


def _on_scale(X: FloatArray, names: tuple[str, ...], frame: Frame, method: str) -> tuple[FloatArray, FloatArray]:
    """Return metrics and response as ranks, or with logarithms where they span decades."""
    both = np.column_stack([X, frame.y])
    if method == "rank":
        from scipy.stats import rankdata

        ranked = rankdata(both, axis=0)
        return ranked[:, :-1], ranked[:, -1]
    scaled = Log().fit(Features((*names, "response"), both)).apply(both)
    return scaled[:, :-1], scaled[:, -1]


def _pearson(columns: FloatArray) -> FloatArray:
    Z = columns - columns.mean(axis=0)
    length = np.sqrt((Z**2).sum(axis=0))
    Z /= np.where(length > 0, length, 1.0)
    R: FloatArray = np.clip(Z.T @ Z, -1.0, 1.0)
    np.fill_diagonal(R, 1.0)
    return R


def _tree(R: FloatArray) -> FloatArray:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    distance = np.round(1 - np.abs(R), 12)
    np.fill_diagonal(distance, 0.0)
    return linkage(squareform(distance, checks=False), "average", optimal_ordering=len(R) <= 200)


def _leaf_order(R: FloatArray) -> list[int]:
    if len(R) < 3:
        return list(range(len(R)))
    from scipy.cluster.hierarchy import leaves_list

    return [int(j) for j in leaves_list(_tree(R))]


def _groups(R: FloatArray, most: int) -> list[list[int]]:
    from scipy.cluster.hierarchy import fcluster

    group_of = fcluster(_tree(R), most, "maxclust")
    return [[int(j) for j in np.flatnonzero(group_of == g)] for g in np.unique(group_of)]


def _middle(R: FloatArray, group: list[int]) -> int:
    inside = np.abs(R[np.ix_(group, group)]).sum(axis=1)
    return group[int(np.argmax(np.round(inside, 9)))]


def _named(group: list[int], shown: int, names: Sequence[str]) -> tuple[str, ...]:
    return (names[shown], *(names[j] for j in group if j != shown))
