"""The Clusters view: kernels that scale alike, cut from a tree by their number, each as a small multiple."""

import pandas as pd
import streamlit as st

from core.report.figures.scaling import dendrogram_tree
from core.report.scaling.bases import Grouped, across_and_up, branches, group_panels, grouped, groups_table
from core.report.scaling.kernels import cluster_colour, moving
from core.scaling.clusters import KMEANS, METHODS, WARD, Clustering, Clusters
from pages._scaling.study import Asked, draw_panels
from pages._ui.choices import pick
from pages._ui.database import kept
from pages._ui.drawn import count, short_numbers, short_texts, show, table
from pages._ui.page import fragment, instrument

TITLE, PLACE = "Clusters", 2

_TITLES = {KMEANS: "k-means", WARD: "Ward's tree, Euclidean distance", "ward-spearman": "Ward's tree, rank correlation"}
_CURVES = (
    "Kernels of one cluster have surfaces of the same shape, whatever their size. "
    "Thick: the cluster's mean; thin: its kernels (of many, some). Largest cluster first."
)


@fragment()
def draw(asked: Asked) -> None:
    """Draw the groups, their tree and who is in each; this alone runs again when one of its choices changes."""
    found = asked.relative
    head, _, controls, picture = instrument()
    with controls:
        method, n, along = _choose(asked)
    value = grouped(found, clusters_of(asked, method, n if method == KMEANS else 1), n)
    place = [a.name for a in asked.study.axes].index(along)
    rows = groups_table(value)
    with head:
        _headline(rows)
    with picture, st.grid(2, min_column_width=480, gap="medium"):
        with st.container(gap="small"):
            draw_panels([group_panels(value, asked.base, place)], "cluster_curves", _CURVES)
        _tree(value)
    alt = "The clusters with their members"
    table(_coloured(short_texts(rows, 80)), "cluster_table", alt=alt, values=rows, column_config=short_numbers(rows, 3))


def _choose(asked: Asked) -> tuple[str, int, str]:
    """Let the user choose the method, the number of clusters, and the axis that curves run over."""
    most = max(min(40, len(asked.relative.names) - 1), 2)
    help = "Cuts the tree where the dashed line is."
    usual = min(12, max(most // 3, 1))  # as the paper, but of three kernels or more each
    n = st.slider("Clusters", 1, most, usual, key="scaling_clusters", bind="query-params", help=help)
    offered = (WARD, *(m for m in METHODS if m != WARD))
    help = "The paper uses a tree on rank correlation, or k-means."
    method = pick("Method", offered, "scaling_method", help, words=_TITLES.__getitem__)
    axes = [asked.study.axes[i].name for i in moving(asked.study.grid)]
    usual = asked.study.axes[across_and_up(asked.study.grid)[0]].name
    return method, n, pick("Curves over", axes, "scaling_along", usual=usual)


def _headline(rows: pd.DataFrame) -> None:
    with st.grid(3, min_column_width=108, gap="small"):
        st.metric("Clusters", f"{len(rows)}")
        st.metric("In the largest", count(int(rows["kernels"].iloc[0]), "kernel"))
        alone = int((rows["kernels"] == 1).sum())
        st.metric("Kernels alone", f"{alone}", help="They scale as no other one does: clusters of one kernel.")


def _coloured(rows: pd.DataFrame) -> "pd.io.formats.style.Styler":
    """Return the table with each cluster's number in its colour of curves and tree."""
    return rows.style.map(lambda i: f"background-color: {cluster_colour(int(i) - 1)}; color: white", subset=["cluster"])


def _tree(value: Grouped) -> None:
    if value.tree is None:
        st.caption("k-means has no tree. Choose one of Ward's for a dendrogram.")
        return
    with st.container(height=520, border=False):
        show(dendrogram_tree(branches(value)), "dendrogram")


@kept(lambda asked, method, n: (asked.key, asked.response, asked.base, method, n), 32)
def clusters_of(asked: Asked, method: str, n: int) -> Clusters:
    """Return the kernels' surfaces in clusters, or the tree from which they are cut."""
    return Clustering(n_clusters=n, method=method).grouped(asked.relative.centred)
