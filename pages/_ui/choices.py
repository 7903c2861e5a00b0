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
    st.sidebar.caption(f"{page} {dict(st.query_params)} {st.session_state.get('dataset')}")


def shared_url() -> dict[str, Any]:
    """Return the choices that go along to another page, as URL parameters."""
    return {key: value for key, value in _kept().items() if value}


def prefer(key: str, value: Any) -> None:
    """Make `value` the choice from the next run on, on whatever page."""
    _kept()[key] = value
    st.session_state[_PAGE] = None


def drop(key: str) -> None:
    """Forget a choice on all pages."""
    _kept().pop(key, None)


def keep(key: str, value: Any, default: Any) -> None:
    if value == default:
        drop(key)
    else:
        _kept()[key] = value


def drop_unknown(key: str, options: Sequence[str], default: str | None = None) -> None:
    """Put the default (the first option) in place of a choice that is not among the options any more.

    Of several choices those that are left stay. The value is set, never deleted: only then does
    the browser show what the page goes by.
    """
    value = st.session_state.get(key)
    if isinstance(value, list):
        known: Any = [v for v in value if v in options]
    else:
        known = value if value is None or value in options or not options else default or options[0]
    if known != value:
        st.session_state.get(_CARRIED, {}).pop(key, None)
        st.session_state[key] = known


def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = st.session_state.setdefault(_KEPT, {})
    return kept
