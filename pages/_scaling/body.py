"""The Scaling page: which study, which base; then one view of it."""

import streamlit as st

from pages._scaling.study import choose_study
from pages._scaling.views import bases
from pages._ui.drawn import literal
from pages._ui.forms import page_link
from pages._ui.page import draw_open, views_of
from pages._ui.state import offer_sample

VIEWS = views_of("scaling")


def draw(dataset: str | None) -> None:
    """Draw the choices, then the view that is open."""
    if dataset is None:
        return
    bases.take_clicked()
    asked = choose_study(dataset)
    if asked is None:
        _without_axes(dataset)
        return
    if asked.study.is_scattered:
        st.info(
            "Most of these configurations were measured with one kernel alone, so that no two kernels can be compared. "
            "Choose fewer axes, or look at the trials as points of a design space."
        )
        page_link("pages/design_space.py", "Open the Design space page", ":material/tune:")
        return
    draw_open(VIEWS, "scaling_view", asked)


def _without_axes(dataset: str) -> None:
    """Say what is missing, and lead on to the sample."""
    st.info(
        literal(
            f"Dataset {dataset} has no numbers that were set before a run, such as cores, clocks or bandwidth, "
            "so there is nothing to scale over. Import a dataset with such columns, or begin with the sample."
        )
    )
    offer_sample("scaling", "scaling_sample", ":material/stacked_line_chart:")
