"""Metrics of trials: distributions, correlations in groups, tables by machine and of whole folders."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.passes.base import Features
from core.passes.scales import Log
from core.report.shared.naming import columns_of
from core.store.cards import MetricCard
from core.store.folders import QUANTILES, FolderSummary, MetricSummary
from core.trial import Frame, Kind, Metric

if TYPE_CHECKING:
    import pandas as pd

MOST_BINS = 60


class Distribution(Frozen):
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
        return _nothing(metric, missing)
    low, high = float(known.min()), float(known.max())
    by_log = low > 0 and (high / low > 10 if log is None else log)
    edges = _edges(low, high, min(MOST_BINS, int(np.ceil(2 * len(known) ** (1 / 3)))), by_log)
    counts = np.histogram(known, bins=edges)[0].astype(np.int64)
    return Distribution(metric, edges, counts, by_log, low, float(np.median(known)), high, missing)


def _nothing(metric: Metric, n_missing: int) -> Distribution:
    nan = float("nan")
    return Distribution(metric, np.array([0.0, 1.0]), np.zeros(1, dtype=np.int64), False, nan, nan, nan, n_missing)


def _edges(low: float, high: float, bins: int, log: bool) -> FloatArray:
    if low == high:
        room = abs(low) / 2 or 0.5
        return np.array([low - room, low + room])
    edges = np.geomspace(low, high, bins + 1) if log else np.linspace(low, high, bins + 1)
    edges[0], edges[-1] = low, high
    return edges if (np.diff(edges) > 0).all() else np.array([low, high])


MOST_METRICS = 60
METHODS = ("linear", "rank")


class Correlation(Frozen):
    """Correlations of metrics with each other and with the response.

    Attributes
    ----------
    names : metrics in the order shown, each standing for its group
    groups : per name, the metrics it stands for, itself first
    matrix : array of shape (n_names, n_names), -1 to 1
    with_response : array of shape (n_names,)
    response : the response's name
    constant : metrics left out because they never vary
    n_trials : trials behind it
    """

    names: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    matrix: FloatArray
    with_response: FloatArray
    response: str
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

    Correlations are "linear" (Pearson, on the scale that a model would use) or by "rank" (Spearman).
    Alike means a large absolute correlation; the order is that of the leaves of an average-
    linkage tree of 1 - |r|, turned so that neighbours are alike (Bar-Joseph, Gifford, Jaakkola
    2001). A group is shown by the member most correlated with the others.
    """
    columns, names, constant = _varying(frame)
    columns, y = _on_scale(columns, names, frame, method)
    R = np.atleast_2d(np.corrcoef(columns, rowvar=False))
    with_y = np.corrcoef(columns, y, rowvar=False)[-1, :-1] if np.ptp(y) > 0 else np.zeros(len(names))
    own = tuple((name,) for name in names)
    found = Correlation(names, own, R, with_y, frame.response.name, constant, len(frame))
    return _arranged(found, most)


def _arranged(value: Correlation, most: int = MOST_METRICS) -> Correlation:
    """Return correlations in the order that shows what goes together, of many in groups; see `correlation`."""
    R, names = value.matrix, value.names
    groups = [[j] for j in range(len(names))] if len(names) <= most else _groups(R, most)
    shown = [_middle(R, group) for group in groups]
    order = _leaf_order(R[np.ix_(shown, shown)])
    rows = [shown[i] for i in order]
    return replace(
        value,
        names=tuple(names[j] for j in rows),
        groups=tuple((names[shown[i]], *(names[j] for j in groups[i] if j != shown[i])) for i in order),
        matrix=R[np.ix_(rows, rows)],
        with_response=value.with_response[rows],
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


_METRIC_COLUMNS = (
    "metric: metric.name | unit: metric.unit | rows with a value: n_values | about so many different: n_distinct | "
    "mean | lowest: low"
)


def metric_table(summary: FolderSummary) -> "pd.DataFrame":
    """Return a row per metric: how many rows know it, its mean, its range, and quantiles between."""
    import pandas as pd

    rows = summary.metrics
    quantiles = {
        f"{100 * q:g} %": [m.quantiles[i] if m.quantiles else None for m in rows] for i, q in enumerate(QUANTILES)
    }
    known = columns_of(rows, _METRIC_COLUMNS)
    return pd.DataFrame({**known, **quantiles, "highest": [m.high for m in rows]})


def whole_distribution(summary: FolderSummary, name: str) -> Distribution:
    """Return how a metric is distributed over all rows, in at most 60 bins."""
    metric = next(m for m in summary.metrics if m.metric.name == name)
    if not metric.n_values or metric.low is None or metric.high is None:
        return _nothing(metric.metric, metric.n_missing)
    edges, counts = _wider(metric)
    median = metric.quantiles[QUANTILES.index(0.5)]
    return Distribution(metric.metric, edges, counts, metric.log, metric.low, median, metric.high, metric.n_missing)


def whole_correlation(summary: FolderSummary, response: str) -> Correlation | None:
    """Return the correlations of all metrics that vary, with each other and with a response; None if not counted."""
    if not summary.correlations or len(summary.metrics) > MOST_METRICS:
        return None
    R = np.array(summary.correlations)
    at = [m.metric.name for m in summary.metrics].index(response)
    others = [j for j, m in enumerate(summary.metrics) if j != at and not m.metric.kind.outcome]
    varying = [j for j in others if summary.metrics[j].low != summary.metrics[j].high]
    if len(varying) < 2:
        return None
    names = tuple(summary.metrics[j].metric.name for j in varying)
    constant = tuple(summary.metrics[j].metric.name for j in others if j not in varying)
    matrix, with_response, own = R[np.ix_(varying, varying)], R[varying, at], tuple((name,) for name in names)
    return _arranged(Correlation(names, own, matrix, with_response, response, constant, summary.n_trials))


def _wider(metric: MetricSummary) -> tuple[np.ndarray, np.ndarray]:
    """Return some neighbouring bins as one."""
    edges, counts = metric.edges, np.array(metric.counts, dtype=np.int64)
    if edges[0] == edges[-1]:
        room = abs(float(edges[0])) / 2 or 0.5
        return np.array([edges[0] - room, edges[0] + room]), counts[:1]
    step = -(-len(counts) // MOST_BINS)
    at = np.arange(0, len(counts), step)
    return np.append(edges[at], edges[-1]), np.add.reduceat(counts, at)


def machine_table(trials: "pd.DataFrame", cards: Sequence[MetricCard]) -> "pd.DataFrame":
    """Return a row per machine: its trials, and its machine metrics.

    Parameters
    ----------
    trials : as the store gives them, with a column per metric
    """
    import pandas as pd

    known = [card.metric for card in cards if card.metric.kind is Kind.MACHINE]
    named = trials[trials["machine"] != ""]
    groups = named.groupby("machine", sort=True)
    columns = {str(metric): groups[metric.name].first() for metric in known}
    return pd.DataFrame({"trials": groups.size(), **columns}).reset_index()


def takeover(
    names: Sequence[str],
    values: "pd.DataFrame",
    known: Mapping[str, tuple[str, Mapping[Metric, float], Mapping[str, str]]],
    dataset: str,
) -> dict[str, list[str]]:
    """Return by dataset the machines that it knows and of which nothing is known here."""
    here = values.set_index("machine").drop(columns="trials")
    bare = [name for name in names if name not in here.index or here.loc[name].isna().all()]
    found: dict[str, list[str]] = {}
    for name in bare:
        source = known[name][0] if name in known and known[name][1] else dataset
        if source != dataset:
            found.setdefault(source, []).append(name)
    return found
