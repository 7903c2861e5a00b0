"""One sentence where a link asks for what is not there any more, for as long as something else stands in its place."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._ui.choices import in_url, pick
from pages._ui.text import literal, short


def pick_known(
    label: str,
    options: Sequence[str],
    key: str,
    noun: str,
    help: str | None = None,
    known: Sequence[str] = (),
    **more: Any,
) -> str:
    """Let the user choose as `pick` does; until then a choice, of the URL or of this session, that is gone is said so.

    Parameters
    ----------
    known : what is there beside the options, as a search leaves some out
    """
    place = f"_missing_{key}"
    asked = next(iter(in_url(key)), None) or st.session_state.get(key)
    if isinstance(asked, str) and asked and asked not in (*options, *known):
        st.session_state[place] = (asked, None)
    shown = pick(label, options, key, help, **more)
    gone, instead = st.session_state.get(place, (None, None))
    if gone is not None and instead not in (None, shown):
        del st.session_state[place]
    elif gone is not None:
        st.session_state[place] = (gone, shown)
        said = f"There is no {noun} '{short(gone)}' any more: it was deleted or renamed. Shown is '{short(shown)}'."
        st.warning(literal(said), icon=":material/warning:")
    return shown
