"""A model that is taken away: saved under a name for the Models page, or as JSON."""

from collections.abc import Callable

import streamlit as st

from pages._ui.charts import download
from pages._ui.text import literal


def offer(usual: str, keys: tuple[str, str, str], keep: Callable[[str], object], content: Callable[[], bytes]) -> None:
    """Let the user name a model, save it or download it.

    Parameters
    ----------
    usual : what it is called unless the user says otherwise
    keys : of the name, of the button that saves, and of the one that downloads
    keep : saves it under a name
    """
    help = "What the model is called on the Models page."
    name = st.text_input("Name", value=usual, key=keys[0], max_chars=120, width=420, help=help).strip() or usual
    if st.button("Save", key=keys[1], icon=":material/save:", type="primary"):
        keep(name)
        st.toast(literal(f"Saved as “{name}”. It is on the Models page."), icon=":material/check:")
    download("Download JSON", content, f"{name}.json", keys[2])
