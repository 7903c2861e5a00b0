"""Taking a scaling model away: saved under a name, or as JSON."""

import streamlit as st

from core.report.scaling.kept import card_values, default_name
from core.scaling.model_file import write_scaling
from core.scaling.scaling_model import ScalingModel
from pages._ui.database import store
from pages._ui.saving import offer


def draw(model: ScalingModel) -> None:
    """Offer to save the model, for the Models page, and to download it."""

    def keep(name: str) -> None:
        store().save_model(name, write_scaling(model), **card_values(model))

    keys = ("scaling_model_name", "scaling_model_save", "scaling_model_download")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        offer(default_name(model), keys, keep, lambda: write_scaling(model))
