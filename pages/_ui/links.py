"""Ways from one page to another that take choices along."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages._ui.choices import prefer

SHARED = ("dataset", "response", "metrics", "where")


def open_page(path: str, widgets: Mapping[str, Any], url: Mapping[str, str | list[str]]) -> None:
    """Go to another page with its widgets set, and the same choices in its URL.

    Parameters
    ----------
    path : such as "pages/model.py"
    widgets : value by widget key, of the type that the widget returns
    url : the same as URL parameters; widgets at their default are left out
    """
    for key, value in widgets.items():
        if key in SHARED:
            prefer(key, value)
        st.session_state[key] = value
    st.switch_page(path, query_params=dict(url))
