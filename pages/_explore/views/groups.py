"""The Clusters view: how many the trials ask for, and what is in each."""

import streamlit as st

from core.report.figures.components import cluster_curves
from core.report.trials.components import profile_table
from pages._explore.values import CLUSTERS, Shown, cluster_choice_of
from pages._ui.choices import act
from pages._ui.drawn import show, table

TITLE, PLACE = "Clusters", 4

_WIDTHS = {"stands out by (standard deviations)": 330, "application": 200, "input": 160, "machine": 160}
_ROW_PX = 108
"""High enough for five lines of the words that a cluster is told by."""


def draw(shown: Shown) -> None:
    """Draw what each number of clusters is worth, and describe the chosen ones."""
    found, frame = shown.clusters(), shown.frame
    help = (
        "The silhouette is near 1 where trials lie close to their own cluster and far from the next, and near 0 where "
        "clusters run into each other. Inertia always falls; look for the bend."
    )
    st.header("How many clusters", anchor=False, help=help)
    choice = cluster_choice_of(frame, shown.options)
    if choice.best is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            said = f"The silhouette is largest with **{choice.best}** clusters; **{len(found.sizes)}** are shown."
            st.markdown(said, width="content")
            if choice.best != len(found.sizes):
                act(f"Show {choice.best}", "best_clusters", "", st.session_state.__setitem__, CLUSTERS, choice.best)
    show(cluster_curves(choice, len(found.sizes)), "cluster_curves")
    st.header("What is in each", anchor=False)
    profiles = profile_table(found, shown.components, frame)
    alt = "Clusters with their sizes, traits and most frequent members"
    wide = {name: st.column_config.TextColumn(width=px) for name, px in _WIDTHS.items() if name in profiles}
    table(profiles, "cluster_profiles", alt=alt, column_config=wide, row_height=_ROW_PX)
