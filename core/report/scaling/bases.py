"""Errors by base configuration, kernels under a roofline, and groups of kernels that scale alike with their tree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.report.scaling.kernels import Line, Panel, Relative, cluster_colour, parameter_of, slice_along
from core.report.shared.naming import columns_of, row_of
from core.report.shared.svg import thinned
from core.scaling.base_map import BaseMap, ClusterCount
from core.scaling.clusters import Clusters, cluster_means, cut
from core.scaling.outcome import SECONDS
from core.scaling.study import Study, is_time
from core.space.plan import shown
from core.trial import Metric


class Pane(Frozen):
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


class Panes(Frozen):
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
    titles = "mean error (%): error | mean surface (%): mean_surface | best possible cluster (%): best_cluster"
    axes = {axis: value.grid[:, j] for j, axis in enumerate(value.axes)}
    return pd.DataFrame({**axes, **row_of(value, titles)}).sort_values("mean error (%)", kind="stable")


def histogram_table(value: BaseMap) -> pd.DataFrame:
    """Return a row per bin of the errors of all single predictions."""
    ends = [f"{x:g}" for x in value.edges[1:].tolist()] + ["and more"]
    return pd.DataFrame({"from (%)": value.edges, "to (%)": ends, "predictions": value.counts})


def clusters_table(found: tuple[ClusterCount, ...]) -> pd.DataFrame:
    """Return a row per number of clusters."""
    titles = "clusters: n_clusters | network (%): error | best possible cluster (%): best_cluster"
    return pd.DataFrame(columns_of(found, titles))


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


_WORK = ("flop", "fp_", "instruction", "inst", "ops")
_TRAFFIC = ("dram", "traffic", "bytes", "byte", "loaded", "mem", "load")
_MOST_KERNELS = 0.5
"""Share of the kernels that must have counted something, for a counter to be proposed before others."""


class Roofline(Frozen):
    """Kernels by intensity and by the rate that they reach.

    Attributes
    ----------
    intensity : array of shape (n_kernels,), work per traffic
    rate : array of the same shape, work per time at the configuration
    most_rate, most_traffic : the highest work per time, and traffic per time, that any kernel reaches:
        the roofs, which the machine's own may lie above
    configuration : where they ran, in words; "" where each was measured as it was counted
    marked : a kernel, its intensity, measured and predicted rate, NaN where there is none; None marks no kernel
    """

    names: tuple[str, ...]
    work: Metric
    traffic: Metric
    time_unit: str
    intensity: FloatArray
    rate: FloatArray
    most_rate: float
    most_traffic: float
    configuration: str = ""
    marked: tuple[str, float, float, float] | None = None

    @property
    def ridge(self) -> float:
        """The intensity at which both roofs meet."""
        return self.most_rate / self.most_traffic

    def table(self) -> pd.DataFrame:
        """Return a row per kernel."""
        roof = np.minimum(self.most_rate, self.intensity * self.most_traffic)
        by = {f"{self.work.name} per {self.traffic.name}": self.intensity}
        by[f"{self.work.name} per {self.time_unit}"] = self.rate
        return pd.DataFrame({"kernel": self.names, **by, "share of the roof (%)": 100 * self.rate / roof})


def under_roofs(names: Sequence[str], work: Metric, traffic: Metric, unit: str, counts: FloatArray) -> Roofline:
    """Return kernels under the highest rates that they reach.

    Parameters
    ----------
    unit : one of their times, in a word
    counts : array of shape (n_kernels, 3): work, traffic and time of each, all above 0
    """
    done, moved, time = counts.T
    most = float((done / time).max()), float((moved / time).max())
    return Roofline(tuple(names), work, traffic, unit, done / moved, done / time, *most)


def roofline(
    study: Study, response: str, work: str, traffic: str, configuration: int, base: int, kernel: str, predicted: float
) -> Roofline:
    """Return the kernels under their roofs at a configuration, counters as they are at the base.

    Parameters
    ----------
    kernel : the one to mark
    predicted : its predicted time there, in the response's unit; NaN for none

    Raises
    ------
    OptionError
        If the response is no time, or no kernel has both counters.
    """
    metric = study.responses[study.response(response)]
    if not is_time(metric):
        raise OptionError(f"A roofline needs a time, and '{response}' is none. Choose a time as the response.")
    names = [m.name for m in study.counters]
    counts = study.counts_at(base)
    done, moved = counts[:, names.index(work)], counts[:, names.index(traffic)]
    seconds = SECONDS.get(metric.unit, 1.0)
    time = study.surface(response)[:, configuration] * seconds
    known = np.isfinite(time) & (done > 0) & (moved > 0)
    if not known.any():
        raise OptionError(f"No kernel has both {work} and {traffic}. Choose other counters.")
    at = study.kernels.index(kernel) if kernel in study.kernels else -1
    marked = (kernel, float("nan"), float("nan"), float("nan"))
    if at >= 0 and known[at]:
        rates = float(done[at] / time[at]), float(done[at] / (predicted * seconds))
        marked = (kernel, float(done[at] / moved[at]), *rates)
    unit = "s" if metric.unit in SECONDS else {"cycles": "cycle"}.get(metric.unit, metric.unit)
    own, kernels = np.column_stack([done, moved, time])[known], np.array(study.kernels, dtype=object)[known]
    metrics = study.counters[names.index(work)], study.counters[names.index(traffic)]
    found = under_roofs(kernels.tolist(), *metrics, unit, own)
    return replace(found, configuration=study.shown(configuration), marked=marked)


def first_placed(study: Study, kernels: Sequence[str], work: str, traffic: str, base: int) -> str:
    """Return the first of some kernels that counts both work and traffic, the first of all if none does."""
    names = [m.name for m in study.counters]
    counts = study.counts_at(base)
    both = (counts[:, names.index(work)] > 0) & (counts[:, names.index(traffic)] > 0)
    return next((kernel for kernel in kernels if both[study.kernels.index(kernel)]), kernels[0])


def likely(study: Study, base: int, *, traffic: bool) -> str:
    """Return the counter that most likely counts the work, or the traffic to memory, by its name; "" if none does.

    A counter of nothing in most kernels, such as square roots, comes after those that place more of them, and what
    has only the unit of traffic, such as the size of the code, after what has its name.
    """
    counted = (study.counts_at(base) > 0).mean(axis=0) >= _MOST_KERNELS
    names = [m.name.lower() for m in study.counters]
    named = [f"{name} {m.unit}".lower() for name, m in zip(names, study.counters, strict=True)]
    words = _TRAFFIC if traffic else _WORK
    found = [
        (not counted[i], texts is named, place, i)
        for texts in (names, named)
        for place, word in enumerate(words)
        for i, text in enumerate(texts)
        if word in text
    ]
    return study.counters[min(found)[-1]].name if found else ""


MOST_MEMBERS = 25
"""Of more members so many are drawn behind their mean, evenly chosen."""


class Grouped(Frozen):
    """Kernels in groups.

    Attributes
    ----------
    labels : array of shape (n_kernels,), the group of each kernel, 0 for the largest
    means : array of shape (n_groups, n_configurations), mean log surface against the base, more is better
    tree : linkage as SciPy writes it; None where groups come from k-means
    """

    of: Relative
    labels: IntArray
    means: FloatArray
    tree: FloatArray | None

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.means)

    def members(self, group: int) -> tuple[str, ...]:
        """Return the names of a group's kernels."""
        return tuple(self.of.names[i] for i in np.flatnonzero(self.labels == group))

    def behaviour(self, group: int) -> str:
        """Return what most of a group's kernels are bound by; "" of a power or an energy."""
        labels = [self.of.behaviours[i].label for i in np.flatnonzero(self.labels == group)]
        return Counter(labels).most_common(1)[0][0]


def grouped(of: Relative, clusters: Clusters, n_groups: int) -> Grouped:
    """Return the groups of a clustering; a tree is cut into `n_groups`, k-means stays as it was fitted."""
    labels = clusters.labels if clusters.linkage is None else cut(clusters.linkage, n_groups)
    order = np.argsort(-np.bincount(labels), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    labels = place[labels]
    return Grouped(of, labels, cluster_means(of.log, labels), clusters.linkage)


def group_panels(value: Grouped, configuration: int, axis: int) -> tuple[Panel, ...]:
    """Return a panel per group along an axis through one configuration: the mean in front, members behind."""
    of, study = value.of, value.of.study
    places = slice_along(study.grid, configuration, axis)
    levels = parameter_of(study.axes[axis], study.grid[places, axis])
    panels = []
    for group in range(value.n_groups):
        rows = np.flatnonzero(value.labels == group)
        drawn = rows[thinned(len(rows), MOST_MEMBERS)]
        behind = [Line(of.names[i], np.exp(of.log[i, places]), behind=True) for i in drawn]
        mean = Line("mean", np.exp(value.means[group, places]))
        kernels = "kernel" if len(rows) == 1 else "kernels"
        title = ", ".join(filter(None, (f"{group + 1}: {len(rows)} {kernels}", value.behaviour(group))))
        panels.append(Panel(title, levels, str(of.what), (*behind, mean), colour=cluster_colour(group)))
    return tuple(panels)


def groups_table(value: Grouped) -> pd.DataFrame:
    """Return a row per group."""
    axes = value.of.study.axes
    rows = [value.labels == group for group in range(value.n_groups)]
    each = np.array([b.elasticity for b in value.of.behaviours])
    slopes = np.round([each[r].mean(axis=0) for r in rows], 6)
    behaviours = [value.behaviour(group) for group in range(value.n_groups)]
    return pd.DataFrame(
        {
            "cluster": np.arange(value.n_groups) + 1,
            "kernels": [int(r.sum()) for r in rows],
            **({"behaviour of most": behaviours} if any(behaviours) else {}),
            **{f"reacts to {axis.name}": slopes[:, j] for j, axis in enumerate(axes)},
            "largest ÷ smallest of the mean": [float(np.exp(np.ptp(mean))) for mean in value.means],
            "members": [", ".join(value.members(group)) for group in range(value.n_groups)],
        }
    )


class Branches(Frozen):
    """The lines of a dendrogram.

    Attributes
    ----------
    x, y : arrays of shape (n_kernels - 1, 4), the corners of each junction; leaves are at 0, 1, 2 and so on
    group : array of shape (n_kernels - 1,), the group that all below a junction belongs to; -1 above the cut
    leaves, leaf_groups : kernels from left to right, and their groups
    at : the height of the cut
    """

    x: FloatArray
    y: FloatArray
    group: IntArray
    leaves: tuple[str, ...]
    leaf_groups: IntArray
    at: float

    def table(self) -> pd.DataFrame:
        """Return a row per kernel, from left to right."""
        return pd.DataFrame({"kernel": self.leaves, "cluster": self.leaf_groups + 1})


def branches(value: Grouped) -> Branches:
    """Return the lines of the tree that groups were cut from."""
    from scipy.cluster.hierarchy import dendrogram

    tree = value.tree
    assert tree is not None, "k-means has no tree"
    drawn = dendrogram(tree, no_plot=True)
    x = (np.array(drawn["icoord"]) - 5) / 10
    y = np.array(drawn["dcoord"])
    leaves = np.array(drawn["leaves"], dtype=np.int64)
    heights = np.sort(tree[:, 2])
    k = value.n_groups
    upper = heights[-(k - 1)] if k > 1 else heights[-1] * 1.05
    lower = heights[-k] if k <= len(heights) else 0.0
    at = float((upper + lower) / 2) if k > 1 else float(upper)
    labels = value.labels[leaves]
    group = np.where(y.max(axis=1) > at, -1, labels[np.clip(np.round(x[:, 0]).astype(np.int64), 0, len(leaves) - 1)])
    return Branches(x, y, group.astype(np.int64), tuple(value.of.names[i] for i in leaves), labels, at)
