"""One sentence where a link asks for what is not there any more, for as long as something else stands in its place."""

from collections.abc import Iterable

import streamlit as st

from pages._ui.choices import in_url
from pages._ui.text import literal, short


def note_missing(key: str, known: Iterable[str]) -> None:
    """Note a choice, of the URL or of this session, that is not among those known; to be called before its widget."""
    asked = next(iter(in_url(key)), None) or st.session_state.get(key)
    if isinstance(asked, str) and asked and asked not in known:
        st.session_state[_place(key)] = (asked, None)


def say_missing(key: str, noun: str, shown: str) -> None:
    """Say what is gone and what is shown instead, until the user chooses; to be called after its widget."""
    asked, instead = st.session_state.get(_place(key), (None, None))
    if asked is None:
        return
    if instead not in (None, shown):
        forget_missing(key)
        return
    st.session_state[_place(key)] = (asked, shown)
    st.warning(
        literal(f"There is no {noun} '{short(asked)}' any more: it was deleted or renamed. Shown is '{short(shown)}'."),
        icon=":material/warning:",
    )


def forget_missing(key: str) -> None:
    """Forget a choice that is gone because this session deleted or renamed it."""
    st.session_state.pop(_place(key), None)


def _place(key: str) -> str:
    return f"_missing_{key}"
