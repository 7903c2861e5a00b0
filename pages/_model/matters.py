"""The view of what matters to a model that was not chosen term by term."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.figures.importance import importance_bars
from core.report.model.importance import importance, why_no_selection
from pages._model.cluster import choose_cluster
from pages._ui.charts import table
from pages._ui.pictures import show
from pages._ui.text import literal


def draw(model: FittedPipeline) -> None:
    """Draw shares or length scales as the family has them, or say that it has none."""
    found = importance(model, choose_cluster(model))
    if found is None:
        st.info(literal(why_no_selection(model)))
        return
    st.markdown("This family learns everything at once instead of term by term; this is what mattered to it.")
    st.caption(literal(found.meaning))
    show(importance_bars(found), "importance", download=False)
    table(found.table(), "importance_table", alt=f"The {found.title} of each metric", digits=4)
