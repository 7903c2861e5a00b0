"""Choices that all pages share, in the URL of each: dataset, response, metrics, filters, repeats.

Streamlit binds a widget to the URL of its own page only. Here the URL is the one truth: links
between pages carry it along, a change of it (a link, the back button) changes the widgets, and a
change of a widget changes it. Defaults stay out of it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from pages._ui.text import short_distinct

DATASET, RESPONSE, METRICS, WHERE, REPEATS = SHARED = ("dataset", "response", "metrics", "where", "repeats")
_LONGEST = 60
_PAGE, _SEEN, _DEFAULTS = "_page", "_seen_choices", "_default_choices"


def enter(page: str) -> None:
    """Begin a page; on another one than before its widgets are new, and the URL says what they show."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_SEEN] = {}


def choose_one(
    label: str, options: Sequence[str], default: str, key: str, help: str, words: Mapping[str, str] | None = None
) -> str:
    """Let the user choose one option in the sidebar; `words` say what options are called."""
    url = st.query_params.get_all(key)
    if _is_news(key, url):
        st.session_state[key] = url[-1] if url and url[-1] in options else default
    elif not url and [st.session_state[key]] == _recall(_DEFAULTS, key):  # another dataset's default
        st.session_state[key] = default
    drop_unknown(key, options, default)
    _remember(_DEFAULTS, key, [default])
    said = {**short_distinct(options, _LONGEST), **(words or {})}
    chosen = st.sidebar.selectbox(label, options, key=key, help=help, format_func=lambda o: said.get(o, o)) or default
    _write(key, [] if chosen == default else [chosen])
    return chosen


def pick(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None = None,
    *,
    usual: str | None = None,
    words: Callable[[str], str] = str,
) -> str:
    """Let the user choose one option from a list that the URL knows; the usual one is the first, if none is named.

    A choice that is not among the options any more makes way for the usual one.
    """
    usual = _offered(options, key, usual)
    chosen = st.selectbox(
        label, options, options.index(usual), key=key, help=help, format_func=words, bind="query-params"
    )
    return usual if chosen is None else chosen


def switch(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None = None,
    *,
    usual: str | None = None,
    words: Callable[[str], str] = str,
    **shown: Any,
) -> str:
    """Let the user choose one option of a few in a row, as `pick` does; `shown` is how Streamlit draws it."""
    usual = _offered(options, key, usual)
    known: Any = {"required": True, "bind": "query-params", **shown}
    chosen: str | None = st.segmented_control(
        label, options, default=usual, key=key, help=help, format_func=words, **known
    )
    return usual if chosen is None else chosen


def pick_several(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None = None,
    *,
    usual: Sequence[str] = (),
    words: Callable[[str], str] = str,
    on: Any = st,
    **shown: Any,
) -> tuple[str, ...]:
    """Let the user choose any number of options from a list that the URL knows; those that are gone are left out."""
    if not shown.get("accept_new_options"):
        drop_unknown(key, options)
    known: Any = {"default": list(usual) or None, "bind": "query-params", **shown}
    return tuple(on.multiselect(label, options, key=key, help=help, format_func=words, **known))


def toggle(label: str, key: str, help: str | None = None) -> bool:
    """Let the user switch something on that is off; the URL knows it."""
    return st.toggle(label, key=key, help=help, bind="query-params")


def whole(label: str, low: int, high: int, usual: int, key: str, help: str | None = None) -> int:
    """Let the user type a whole number; the URL knows it."""
    return int(st.number_input(label, low, high, usual, key=key, help=help, bind="query-params"))


def _offered(options: Sequence[str], key: str, usual: str | None) -> str:
    found = usual if usual is not None and usual in options else options[0]
    drop_unknown(key, options, found)
    return found


def choose_several(
    label: str, options: Sequence[str], key: str, help: str, placeholder: str, own: bool = False
) -> tuple[str, ...]:
    """Let the user choose any number of options (or, with `own`, type others) in the sidebar."""
    url = st.query_params.get_all(key)
    if _is_news(key, url):
        st.session_state[key] = url
    if own:
        options = [*options, *(text for text in st.session_state[key] if text not in options)]
    drop_unknown(key, options)
    said = short_distinct(options, _LONGEST)
    chosen = st.sidebar.multiselect(
        label,
        options,
        key=key,
        help=help,
        placeholder=placeholder,
        accept_new_options=own,
        format_func=lambda o: said.get(o, o),
    )
    _write(key, chosen)
    return tuple(chosen)


def choose_token(
    label: str, options: Sequence[str], key: str, help: str, words: Callable[[str], str], gone: Callable[[str], bool]
) -> str:
    """Let the user choose an option by its words, or type another; the URL keeps the option itself.

    Parameters
    ----------
    options : the default first
    words : what an option, or a typed text, is called; a link with the words is understood, too
    gone : whether an option that is not among these (any more) makes way for the default
    """
    url = st.query_params.get_all(key)
    if _is_news(key, url):
        st.session_state[key] = url[-1] if url else options[0]
    asked = st.session_state[key]
    known = {words(option): option for option in options}
    if asked in known or (asked not in options and gone(asked)):
        st.session_state[key] = known.get(asked, options[0])
    asked = st.session_state[key] or options[0]
    offered = options if asked in options else [*options, asked]  # else the browser would send its words for it
    chosen = st.selectbox(label, offered, key=key, help=help, format_func=words, accept_new_options=True) or options[0]
    _write(key, [] if chosen == options[0] else [chosen])
    return chosen


def set_choice(key: str, value: str) -> None:
    """Make `value` the shared choice from the next run on."""
    st.query_params[key] = value


def shared_url() -> dict[str, list[str]]:
    """Return the shared choices as URL parameters, for links to other pages."""
    found = {key: _now(key) for key in SHARED}
    return {key: values for key, values in found.items() if values}


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
        st.session_state[key] = known


def _is_news(key: str, url: list[str]) -> bool:
    """Whether the URL says something that this session's widget does not know yet."""
    return key not in st.session_state or _recall(_SEEN, key) != url


def _now(key: str) -> list[str]:
    """Return what a choice's widget says in this run, also before it is drawn."""
    url = st.query_params.get_all(key)
    if _is_news(key, url):
        return url
    value = st.session_state[key]
    values = value if isinstance(value, list) else [value]
    return [] if values == _recall(_DEFAULTS, key) else values


def _write(key: str, values: list[str]) -> None:
    """Put a choice into the URL, if it is not there."""
    if st.query_params.get_all(key) != values:
        if values:
            st.query_params[key] = values
        else:
            del st.query_params[key]
    _remember(_SEEN, key, values)


def _remember(what: str, key: str, values: list[str]) -> None:
    st.session_state[what] = {**st.session_state.get(what, {}), key: values}


def _recall(what: str, key: str) -> list[str] | None:
    found: list[str] | None = st.session_state.get(what, {}).get(key)
    return found
