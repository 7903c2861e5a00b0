"""The errors of every possible base as tables: a map over two axes, panes for the others, a box per axis value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray, IntArray
from core.scaling.base_map import BaseMap
from core.scaling.cluster_count import ClusterCount
from core.space.plan import shown
from core.trial import Metric


@dataclass(frozen=True)
class Pane:
    """The bases that share the values of all axes but two.

    Attributes
    ----------
    bases : array of shape (n,), their numbers
    column, row : arrays of the same shape, their places among the levels of the two axes
    """

    title: str
    bases: IntArray
    column: IntArray
    row: IntArray


@dataclass(frozen=True)
class Panes:
    """All bases in panes over two axes."""

    across: str
    up: str
    columns: FloatArray
    rows: FloatArray
    panes: tuple[Pane, ...]


def across_and_up(grid: FloatArray) -> tuple[int, int]:
    """Return the axis with the most levels and the next one; twice the same where a single one moves."""
    levels = [-len(np.unique(column)) for column in grid.T]
    order = [int(i) for i in np.argsort(levels, kind="stable") if levels[i] < -1]
    return order[0], order[1] if len(order) > 1 else order[0]


def panes(value: BaseMap, across: int, up: int, axes: Sequence[Metric]) -> Panes:
    """Return the bases over two axes (or one, if both are the same), a pane per combination of the others."""
    grid = value.grid
    columns, column = np.unique(grid[:, across], return_inverse=True)
    rows, row = np.unique(grid[:, up], return_inverse=True) if up != across else (np.zeros(1), np.zeros(len(grid)))
    others = [i for i in range(grid.shape[1]) if i not in (across, up)]
    kinds, kind = np.unique(grid[:, others], axis=0, return_inverse=True)
    found = []
    for i, values in enumerate(kinds.tolist()):
        bases = np.flatnonzero(kind.ravel() == i)
        title = ", ".join(f"{value.axes[j]} {shown(x)}" for j, x in zip(others, values, strict=True))
        found.append(Pane(title, bases, column[bases].astype(np.int64), row[bases].astype(np.int64)))
    return Panes(str(axes[across]), "" if up == across else str(axes[up]), columns, rows, tuple(found))


def base_table(value: BaseMap) -> pd.DataFrame:
    """Return a row per base, the best first."""
    table = pd.DataFrame(
        {
            **{axis: value.grid[:, j] for j, axis in enumerate(value.axes)},
            "mean error (%)": value.error,
            "mean surface (%)": value.mean_surface,
            "best possible cluster (%)": value.best_cluster,
        }
    )
    return table.sort_values("mean error (%)", kind="stable")


def histogram_table(value: BaseMap) -> pd.DataFrame:
    """Return a row per bin of the errors of all single predictions."""
    ends = [f"{x:g}" for x in value.edges[1:].tolist()] + ["and more"]
    return pd.DataFrame({"from (%)": value.edges, "to (%)": ends, "predictions": value.counts})


def clusters_table(found: tuple[ClusterCount, ...]) -> pd.DataFrame:
    """Return a row per number of clusters."""
    return pd.DataFrame(
        {
            "clusters": [f.n_clusters for f in found],
            "network (%)": [f.error for f in found],
            "best possible cluster (%)": [f.best_cluster for f in found],
        }
    )


def base_sentence(value: BaseMap, base: int, texts: tuple[str, ...]) -> str:
    """Say which base is best and what the chosen one costs."""
    best, good = value.best_base, value.as_good
    over = f" ± {value.spread[best]:.2g} over folds and seeds" if np.isfinite(value.spread[best]) else ""
    said = f"{texts[best]} has the smallest mean error, {value.error[best]:.3g} %{over}"
    if len(good) > 1:
        said += f"; {len(good) - 1:,} other bases are no worse by more than noise, so none is best"
    other = f"the chosen one, {texts[base]}, has {value.error[base]:.3g} %"
    tied = " and is one of these" if base in good and base != best else ""
    said += "; it is the one chosen" if best == base else f"; {other}{tied}"
    return (
        f"{said}. From there the mean surface errs by {value.mean_surface[base]:.3g} %, the best possible cluster by "
        f"{value.best_cluster[base]:.3g} %. {value.n_predictions:,} predictions were scored."
    )
