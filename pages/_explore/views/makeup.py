"""The Components view: how many, and what each is made of."""

import streamlit as st

from core.report.figures.components import loadings_map, scree
from pages._explore.values import Shown
from pages._ui.choices import switch
from pages._ui.drawn import count, literal, show

TITLE, PLACE = "Components", 3

LOADINGS = ("both", "after", "before")


def draw(shown: Shown) -> None:
    """Draw scree plot and loadings before and after rotation."""
    value = shown.components
    columns = count(len(value.metrics), "column")
    help = "A loading is the correlation of a metric with a component."
    if value.rotated:
        help += " Varimax turns the components until each has few strong loadings, so that it can be named by them."
    with st.grid(2, min_column_width=480, gap="medium"):
        with st.container():
            st.header("How many components", anchor=False)
            st.caption(
                f"{count(len(value), 'component')} stand for {columns} and keep {100 * value.kept_share:.1f} % "
                "of what varies in them."
            )
            show(scree(value), "scree")
        with st.container():
            st.header("What they are made of", anchor=False, help=help)
            chosen = switch("After varimax, or before", LOADINGS, "loadings") if value.rotated else LOADINGS[0]
            show(loadings_map(value, chosen), "loadings_map")
    with st.expander("The components by name", expanded=len(value) <= 12):
        st.markdown("\n".join(f"- {literal(title)}" for title in value.titles))
