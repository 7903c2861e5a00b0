"""Choices that go with the user from page to page and stand in the URL of each.

Streamlit binds a widget to the URL of its own page and forgets it on the next one; what is kept
here fills the gap, so that the dataset chosen on one page is the dataset of all.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitAPIException

DATASET, RESPONSE, METRICS, WHERE = "dataset", "response", "metrics", "where"
_PAGE, _KEPT, _CARRIED = "_page", "_kept_choices", "_carried_choices"


def enter(page: str) -> None:
    """Take over what was chosen on other pages, where the URL of this one says nothing else."""
    entered = st.session_state.get(_PAGE) != page
    st.session_state[_PAGE] = page
    st.session_state[_CARRIED] = {}
    if not entered:
        return
    for key, value in _kept().items():
        if key not in st.query_params:
            st.session_state[key] = value
            st.session_state[_CARRIED][key] = value
            with suppress(StreamlitAPIException):
                st.query_params[key] = value


def prefer(key: str, value: Any) -> None:
    """Make `value` the choice from the next run on, on whatever page."""
    _kept()[key] = value
    st.session_state[_PAGE] = None


def drop(key: str) -> None:
    """Forget a choice on all pages."""
    _kept().pop(key, None)


def keep(key: str, value: Any) -> None:
    """Remember a choice that a widget of this page shows.

    After the browser's back button Streamlit draws the default although the URL says otherwise;
    then the page runs once more.
    """
    carried = st.session_state.get(_CARRIED, {}).pop(key, None)
    if carried is not None and carried != value:
        st.session_state[_PAGE] = None
        st.rerun()
    _kept()[key] = value


def drop_unknown(key: str, options: Sequence[str]) -> None:
    """Forget a choice, or the part of it, that is not among the options any more."""
    value = st.session_state.get(key)
    known = [v for v in value if v in options] if isinstance(value, list) else value
    if known == value and (isinstance(value, list) or value in options):
        return
    st.session_state.get(_CARRIED, {}).pop(key, None)
    if isinstance(value, list):
        st.session_state[key] = known
    elif value is not None:
        del st.session_state[key]


def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    return kept
