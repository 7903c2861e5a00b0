"""A word where no metric tells applications (or inputs, or machines) apart, and a way to model one of them."""

import streamlit as st

from core.trial import Frame
from pages._model.values import untold_of
from pages._ui.choices import WHERE, in_url, set_url
from pages._ui.text import count, literal


def draw(frame: Frame) -> None:
    """Say that trials of several names are alike in every metric, and offer to model those of one name."""
    found = untold_of(frame)
    if found is None:
        return
    names = list(found.names)
    st.info(
        literal(
            f"These are trials of {count(len(names), found.role)} with the same metrics, so no model can tell them "
            f"apart: it predicts something between them. Model one {found.role} at a time."
        ),
        icon=":material/filter_alt:",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(f"One {found.role}", names, key="untold", width=320) or names[0]
        if st.button("Model it alone", key="model_one", type="primary"):
            set_url(WHERE, [*in_url(WHERE), f"{found.role}={chosen}"])
            st.rerun()
