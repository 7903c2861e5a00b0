"""The Clusters view: kernels that scale alike, cut from a tree by their number, each as a small multiple."""

import streamlit as st

from core.report.figures.scaling import dendrogram_tree
from core.report.scaling.bases import across_and_up
from core.report.scaling.clusters import Grouped, branches, group_panels, grouped, groups_table
from core.report.scaling.slices import moving
from core.scaling.clusters import KMEANS, METHODS, WARD, Clustering, Clusters
from pages._scaling.drawing import draw_panels
from pages._scaling.study import Asked
from pages._ui.charts import table
from pages._ui.choices import pick
from pages._ui.columns import short_numbers, short_texts
from pages._ui.page import guard
from pages._ui.pictures import show

_TITLES = {KMEANS: "k-means", WARD: "Ward's tree, Euclidean distance", "ward-spearman": "Ward's tree, rank correlation"}


def draw(asked: Asked) -> None:
    """Draw the groups; the slider of their number alone runs again."""
    st.caption(
        "Kernels whose surfaces have the same shape, whatever their size. A new kernel is recognised as one of them "
        "by its counters, and walks along that cluster's mean."
    )
    _bench(asked)


@st.fragment
def _bench(asked: Asked) -> None:
    with guard():
        found = asked.relative
        axes = [asked.study.axes[i].name for i in moving(asked.study.grid)]
        most = min(40, len(found.names) - 1)
        with st.grid(3, min_column_width=220, vertical_alignment="bottom"):
            method = pick(
                "Method",
                (WARD, *(m for m in METHODS if m != WARD)),
                "scaling_method",
                "The paper uses a tree on rank correlation, or k-means.",
                words=_TITLES.__getitem__,
            )
            n = st.slider(
                "Clusters",
                1,
                max(most, 2),
                min(12, max(most, 2)),
                key="scaling_clusters",
                bind="query-params",
                help="Cuts the tree where the dashed line is.",
            )
            usual = asked.study.axes[across_and_up(asked.study.grid)[0]].name
            along = pick("Curves over", axes, "scaling_along", usual=usual)
        fitted = _clusters(asked.key, asked.response, method, n if method == KMEANS else 1, asked)
        value = grouped(found, fitted, n)
        place = [a.name for a in asked.study.axes].index(along)
        draw_panels(group_panels(value, asked.base, place), "cluster_curves")
        st.caption("Thick: the cluster's mean; thin: its kernels (of many, some). Largest cluster first.")
        _tree(value)
        rows = groups_table(value)
        alt = "The clusters with their members"
        table(short_texts(rows, 80), "cluster_table", alt=alt, values=rows, column_config=short_numbers(rows, 3))


def _tree(value: Grouped) -> None:
    if value.tree is None:
        st.caption("k-means has no tree. Choose one of Ward's for a dendrogram.")
        return
    st.subheader("The tree that they are cut from", anchor=False)
    show(dendrogram_tree(branches(value)), "dendrogram")


@st.cache_resource(max_entries=32, ttl="1h", show_spinner=False)
def _clusters(key: str, response: str, method: str, n: int, _asked: Asked) -> Clusters:
    return Clustering(n_clusters=n, method=method).fit(_asked.relative.centred)
