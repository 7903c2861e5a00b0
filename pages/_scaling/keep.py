"""Taking a scaling model away: saved under a name, or as JSON."""

import streamlit as st

from core.report.scaling.kept import card_values, default_name
from core.scaling.model_file import write_scaling
from core.scaling.scaling_model import ScalingModel
from pages._ui.charts import download
from pages._ui.database import store
from pages._ui.text import file_name, literal


def draw(model: ScalingModel) -> None:
    """Offer to save the model, for the Models page, and to download it."""
    usual = default_name(model)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = (
            st.text_input(
                "Name",
                value=usual,
                key="scaling_model_name",
                max_chars=120,
                width=320,
                help="What the model is called on the Models page.",
            ).strip()
            or usual
        )
        if st.button("Save", key="scaling_model_save", icon=":material/save:", type="primary"):
            store().save_model(name, write_scaling(model), **card_values(model))
            st.toast(literal(f"Saved as “{name}”. It is on the Models page."), icon=":material/check:")
        download(
            "Model as JSON",
            lambda: write_scaling(model),
            file_name(name, ".json"),
            "scaling_model_download",
            help="To be read here again, or by `ridgeline scale predict`.",
        )
