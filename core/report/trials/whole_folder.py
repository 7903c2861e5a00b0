"""All rows of a Parquet folder as the pages show trials: a table of metrics, a distribution, correlations."""

import numpy as np
import pandas as pd

from core.report.trials.metrics import MOST_BINS, MOST_METRICS, Correlation, Distribution, arranged
from core.store.folders import QUANTILES, FolderSummary, MetricSummary


def metric_table(summary: FolderSummary) -> pd.DataFrame:
    """Return a row per metric: how many rows know it, its mean, its range, and quantiles between."""
    rows = summary.metrics
    quantiles = {
        f"{100 * q:g} %": [m.quantiles[i] if m.quantiles else None for m in rows] for i, q in enumerate(QUANTILES)
    }
    return pd.DataFrame(
        {
            "metric": [m.metric.name for m in rows],
            "unit": [m.metric.unit for m in rows],
            "rows with a value": [m.n_values for m in rows],
            "about so many different": [m.n_distinct for m in rows],
            "mean": [m.mean for m in rows],
            "lowest": [m.low for m in rows],
            **quantiles,
            "highest": [m.high for m in rows],
        }
    )


def whole_distribution(summary: FolderSummary, name: str) -> Distribution:
    """Return how a metric is distributed over all rows, in at most 60 bins."""
    metric = _find(summary, name)
    if not metric.n_values or metric.low is None or metric.high is None:
        nan = float("nan")
        empty = np.zeros(1, dtype=np.int64)
        return Distribution(metric.metric, np.array([0.0, 1.0]), empty, False, nan, nan, nan, metric.n_missing)
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
    names = [summary.metrics[j].metric.name for j in varying]
    constant = tuple(summary.metrics[j].metric.name for j in others if j not in varying)
    return arranged(R[np.ix_(varying, varying)], R[varying, at], names, response, "linear", constant, summary.n_trials)


def _find(summary: FolderSummary, name: str) -> MetricSummary:
    return next(m for m in summary.metrics if m.metric.name == name)


def _wider(metric: MetricSummary) -> tuple[np.ndarray, np.ndarray]:
    """Return some neighbouring bins as one."""
    edges, counts = metric.edges, np.array(metric.counts, dtype=np.int64)
    if edges[0] == edges[-1]:
        room = abs(float(edges[0])) / 2 or 0.5
        return np.array([edges[0] - room, edges[0] + room]), counts[:1]
    step = -(-len(counts) // MOST_BINS)
    at = np.arange(0, len(counts), step)
    return np.append(edges[at], edges[-1]), np.add.reduceat(counts, at)
