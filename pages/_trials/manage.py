"""Rename a dataset, or delete it after asking once more."""

import streamlit as st

from pages._trials import receipts
from pages._trials.view import show_dataset
from pages._ui.database import store
from pages._ui.page import guard
from pages._ui.state import card_of
from pages._ui.text import count, literal


def draw_manage(name: str) -> None:
    """Offer a new name, and deletion behind a question."""
    with st.form("rename_form", border=False):
        new_name = st.text_input("New name", name, key=f"rename_{name}", max_chars=120)
        if st.form_submit_button("Rename", key="rename"):
            store().rename_dataset(name, new_name or "")
            receipts.leave()
            show_dataset((new_name or "").strip())
    if st.button("Delete this dataset …", key="delete", icon=":material/delete:"):
        _confirm(name)


@st.dialog("Delete the dataset?")
def _confirm(name: str) -> None:
    with guard():
        trials = count(card_of(name).n_trials, "trial")
        st.markdown(f"**{literal(name)}** with {trials} is deleted for good. Models that were trained from it stay.")
        if st.button("Delete for good", key="delete_for_good", type="primary"):
            store().delete_dataset(name)
            receipts.leave()
            st.rerun()
        if st.button("Keep it", key="delete_not"):
            st.rerun()
