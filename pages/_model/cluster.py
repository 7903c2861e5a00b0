"""Which cluster's model a view tells of."""

import streamlit as st

from core.pipeline import FittedPipeline
from pages._ui.choices import pick
from pages._ui.text import literal


def choose_cluster(model: FittedPipeline) -> int:
    """Let the user choose a cluster, counted from 0; a model without clusters asks nothing."""
    if len(model.clusters) == 1:
        return 0
    names = _names(model)
    cluster = names.index(pick("Cluster", names, "story_cluster"))
    member = model.clusters[cluster]
    if member.note:
        st.caption(literal(f"Cluster {cluster + 1}: {member.note}."))
    return cluster


def cluster_in_view(model: FittedPipeline) -> int:
    """Return the cluster that was chosen, counted from 0; the first where none was, or it is gone."""
    names, chosen = _names(model), st.session_state.get("story_cluster")
    return names.index(chosen) if chosen in names else 0


def choose_place(label: str, n: int, key: str) -> int:
    """Let the user step through 1 to n; one that is past the end is the last."""
    if n == 1:
        return 1
    if not 1 <= int(st.session_state.get(key, 1)) <= n:
        st.session_state[key] = n
    return int(st.slider(label, 1, n, key=key, bind="query-params"))


def _names(model: FittedPipeline) -> list[str]:
    return [f"cluster {i + 1}" for i in range(len(model.clusters))]
