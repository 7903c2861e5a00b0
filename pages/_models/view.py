"""What the views of the Models page that others lead to are called, and what its next run shall show."""

import streamlit as st

from pages._ui.choices import set_choice

SAVED_VIEW, COMPARE_VIEW = "Saved models", "Compare two"
PREDICT_VIEW, UPLOAD_VIEW = "Predict from a file", "Upload a model"
KEY, MODEL, SOURCE, FIRST, SECOND = "models_view", "model", "predict_with", "first_model", "second_model"
_NEXT = "_next_models_view"


def show_view(view: str, **choices: str) -> None:
    """Run the page again with this view, and these models in its widgets."""
    st.session_state[_NEXT] = view
    for key, value in choices.items():
        set_choice(key, value)
    st.rerun()


def choose_model(label: str) -> None:
    """Run the page again with this model in detail."""
    show_view(SAVED_VIEW, **{MODEL: label})


def take_next() -> None:
    """Set what the last run asked for; to be called before the widgets are drawn."""
    if _NEXT in st.session_state:
        st.session_state[KEY] = st.session_state.pop(_NEXT)
