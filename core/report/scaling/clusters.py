"""Kernels that scale alike: groups, what each looks like, and the tree that they are cut from.

Values for the view Clusters of the page Scaling, which `core/report/figures/scaling.py` draws.
"""

from collections import Counter

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.report.document.axes import thinned
from core.report.scaling.kernels import Relative
from core.report.scaling.slices import Line, Panel, cluster_colour, parameter_of, slice_along
from core.scaling.clusters import Clusters, cluster_means, cut

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
