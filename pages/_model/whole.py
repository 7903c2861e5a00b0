"""The view of the formula in full: every weight, and what the model was made from."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.model.formula import formula, notation
from core.report.model.rounds import has_rounds
from core.report.model.summary import knots_table
from pages._model.cluster import choose_cluster
from pages._ui.charts import table
from pages._ui.text import count, file_name, literal


def draw(model: FittedPipeline) -> None:
    """Draw the formula with every weight, the clusters, and the notes."""
    written = formula(model)
    for said in notation(model):
        st.caption(said)
    st.code(written.text(), language=None, wrap_lines=True)
    st.download_button(
        "Formula as text",
        written.text().encode(),
        file_name("formula", ".txt"),
        "text/plain",
        key="formula_text",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )
    _knots(model)
    for i, member in enumerate(model.clusters):
        if len(model.clusters) > 1:
            note = f": {member.note}" if member.note else ""
            st.markdown(literal(f"Cluster {i + 1}, {count(member.n_trials, 'trial')}{note}."))
    for note in model.notes:
        st.caption(literal(f"{note[:1].upper()}{note[1:]}."))


def _knots(model: FittedPipeline) -> None:
    shown = knots_table(model, choose_cluster(model)) if has_rounds(model) else None
    if shown is None:
        return
    st.header("What the splines add at their knots", anchor=False)
    st.caption("Every term is 0 at its first knot. Between knots it is the natural cubic spline through these values.")
    table(shown, "knots", alt="What each term adds at each of its knots")
