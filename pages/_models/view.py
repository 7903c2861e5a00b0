"""The two views of the Models page, and what the next run of it shall show."""

import streamlit as st

SAVED_VIEW, PREDICT_VIEW = VIEWS = ("Saved models", "Predict from a file")
KEY, MODEL, SOURCE = "models_view", "model", "predict_with"
_NEXT = "_next_models_view"


def show_view(view: str, source: str) -> None:
    """Run the page again with this view and this model to predict with."""
    st.session_state[_NEXT] = {KEY: view, SOURCE: source}
    st.rerun()


def choose_model(label: str) -> None:
    """Run the page again with this model in detail."""
    st.session_state[_NEXT] = {MODEL: label}
    st.rerun()


def take_next() -> None:
    """Set what the last run asked for; to be called before the widgets are drawn."""
    for key, value in st.session_state.pop(_NEXT, {}).items():
        st.session_state[key] = value
