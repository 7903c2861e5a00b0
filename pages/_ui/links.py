"""Ways from one page to another that take choices along."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages._ui.choices import SHARED, shared_url

RACE_AT_ONCE = "race_at_once"
"""Of the session: whether the race that the Compare page shows next starts without being asked."""


def page_link(path: str, label: str, icon: str) -> None:
    """Draw a link to another page, such as "pages/model.py", that keeps dataset, response and filters."""
    st.page_link(path, label=label, icon=icon, query_params=shared_url())


def open_page(path: str, widgets: Mapping[str, Any], url: Mapping[str, str | list[str]]) -> None:
    """Go to another page with its widgets set, and the same choices in its URL.

    Parameters
    ----------
    path : such as "pages/model.py"
    widgets : value by widget key, of the type that the widget returns
    url : the same as URL parameters, the shared choices of `choices.py` too; widgets at their
        default are left out
    """
    for key, value in widgets.items():
        if key not in SHARED:
            st.session_state[key] = value
    st.switch_page(path, query_params={**shared_url(), **url})
