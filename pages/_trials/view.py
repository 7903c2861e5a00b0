"""What the first view of the Trials page is called, and the way to it."""

import streamlit as st

from pages._ui.choices import DATASET, set_choice

DATASET_VIEW, KEY = "Dataset", "trials_view"
_NEXT = "_next_view"


def show_dataset(name: str) -> None:
    """Run the page again with this dataset in view."""
    set_choice(DATASET, name)
    st.session_state[_NEXT] = DATASET_VIEW
    st.rerun()


def take_next() -> None:
    """Turn to the view that the last run asked for; to be called before the views are drawn."""
    wanted = st.session_state.pop(_NEXT, None)
    if wanted is not None:
        st.session_state[KEY] = wanted
