"""The view of the formula in full: every weight, and what the model was made from."""

import streamlit as st

from core.pipeline import FittedPipeline
from core.report.formula import formula
from pages._ui.text import count, file_name, literal


def draw(model: FittedPipeline) -> None:
    """Draw the formula with every weight, the clusters, and the notes."""
    written = formula(model)
    st.caption(
        "Every number is rounded to four digits here; the downloaded JSON has them all. "
        "ln is the natural logarithm, and sign(x)·|x|^0.5 a square root that keeps its sign."
    )
    st.code(written.text(), language=None, wrap_lines=True)
    st.download_button(
        "Formula as text", written.text().encode(), file_name("formula", ".txt"), "text/plain",
        key="formula_text", on_click="ignore", type="tertiary", icon=":material/download:",
    )  # fmt: skip
    for i, member in enumerate(model.clusters):
        if len(model.clusters) > 1:
            note = f": {member.note}" if member.note else ""
            st.markdown(literal(f"Cluster {i + 1}, {count(member.n_trials, 'trial')}{note}."))
    for note in model.notes:
        st.caption(literal(f"{note[:1].upper()}{note[1:]}."))
