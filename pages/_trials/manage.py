"""Rename a dataset, or delete it after asking once more.

The buttons' keys carry the dataset: pressed where another tab deleted it meanwhile, they do nothing to the next one.
"""

import streamlit as st

from pages._trials import receipts
from pages._trials.view import show_dataset
from pages._ui.database import store
from pages._ui.state import card_of, note_gone
from pages._ui.text import count, literal


def draw_manage(name: str) -> None:
    """Offer a new name, and deletion behind a question."""
    with st.container(horizontal=True):
        with st.popover("Rename …", icon=":material/edit:", key="rename_open"):
            _rename(name)
        with st.popover("Delete …", icon=":material/delete:", key="delete_open"):
            _delete(name)


def _rename(name: str) -> None:
    new_name = st.text_input("New name", name, key=f"rename_{name}", max_chars=120)
    if st.button("Rename", key=f"do_rename_{name}", type="primary"):
        store().datasets.rename(name, new_name or "")
        receipts.leave()
        show_dataset((new_name or "").strip())


def _delete(name: str) -> None:
    trials = count(card_of(name).n_trials, "trial")
    st.markdown(f"**{literal(name)}** with {trials} is deleted for good. Models that were trained from it stay.")
    if st.button("Delete for good", key=f"delete_for_good_{name}", type="primary"):
        store().datasets.delete(name)
        note_gone(name)
        receipts.leave()
        st.rerun()
