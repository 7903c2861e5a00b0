"""Choices that all pages share, in the URL of each: dataset, response, metrics, filters, repeats.

Streamlit binds a widget to the URL of its own page only. Here the URL is the one truth: links
between pages carry it along, a change of it (a link, the back button) changes the widgets, and a
change of a widget changes it. Defaults stay out of it.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import SCRIPT_RUN_CONTEXT_ATTR_NAME, ScriptRunContext
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.query_params import QueryParams, _coerce_value_for_query_url, parse_url_param

DATASET, RESPONSE, METRICS, WHERE, REPEATS = SHARED = ("dataset", "response", "metrics", "where", "repeats")
_PAGE, _SEEN, _DEFAULTS, _REPLACED = "_page", "_seen_choices", "_default_choices", "_replaced_choices"
_UNSENT, _ENTERED, _MOVED, _MOST_REPLACED = "_unsent_choices", "_just_entered", "_moved_on", 50
_USUALS = "_usual_values"
_BEGINNING_S = 0.5
"""How long a run that begins is waited for."""


def enter(page: str) -> None:
    """Begin a page; on another one than before its widgets are new, and the URL says what they show."""
    before = st.session_state.get(_PAGE)
    if before != page:
        st.session_state[_PAGE], st.session_state[_ENTERED] = page, True
        st.session_state[_MOVED] = before is not None
        st.session_state[_SEEN] = {}
        st.session_state[_REPLACED] = {}


def take_own_address() -> None:
    """Let a run that Back or Forward asked for go by its own address.

    Runs have threads of their own, which share what the address says: one that was stopped as it began, because the
    next was asked for within a moment, may put its own there after the next has.
    """
    context = get_script_run_ctx()
    if context is None or not context.is_history_navigation:
        return
    until = time.monotonic() + _BEGINNING_S
    while _others_begin(context) and time.monotonic() < until:
        time.sleep(_BEGINNING_S / 100)
    with context.session_state.query_params() as address:
        address.set_initial_query_params(context.query_string)
        address.populate_from_query_string(context.query_string)


def _others_begin(own: ScriptRunContext) -> bool:
    """Whether another run of a session has not come to its script yet."""
    runs = [getattr(thread, SCRIPT_RUN_CONTEXT_ATTR_NAME, own) for thread in threading.enumerate()]
    return any(run.session_id == own.session_id and not run.has_script_started for run in runs)


def came_by_link() -> bool:
    """Whether the page was entered from another one: what its address says then may be the other's, sent late."""
    return bool(st.session_state[_MOVED])


def in_url(key: str) -> list[str]:
    """Return what the URL says of a choice.

    A browser that asks before it learnt of a change made here says what was there before. That is no news, unless
    its user went back to it.
    """
    said = st.query_params.get_all(key)
    now, *before = st.session_state.get(_REPLACED, {}).get(key, [said])
    if said == now or said not in before:
        return said
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:
        del st.session_state[_REPLACED][key]
        return said
    _put_in_url(key, now)
    return list(now)


def set_url(key: str, values: Sequence[str]) -> None:
    """Put a choice into the URL; without values it is not there."""
    before, values = in_url(key), list(values)
    if before == values:
        return
    _put_in_url(key, values)
    replaced = st.session_state.setdefault(_REPLACED, {})
    olds = [before, *(old for old in replaced.get(key, [])[1:] if old not in (before, values))]
    replaced[key] = [values, *olds[:_MOST_REPLACED]]


def right_address() -> None:
    """Send the browser the address of what the page shows, where it said another one as it asked for this run.

    A browser forgets that a widget is bound to its address once the widget's place on the page changes, and takes
    what was moved lately out of its address again when an earlier run's message arrives. So may the address of the
    page before, when one goes on while that still runs: where a page was entered it is sent in any case.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    st.session_state[_UNSENT] = set()
    for key in list(st.session_state.get(_REPLACED, {})):
        in_url(key)
    with context.session_state.query_params() as address:
        for key, bound in address._bindings_by_param.items():
            widget = context.session_state._state.get_widget_metadata(bound.widget_id)
            own = bound.script_hash == context.page_script_hash  # the page that was left may still be bound
            if own and widget is not None and key in st.session_state:
                _right(address, key, widget, st.session_state[key])
        now = {key: _listed(value) for key, value in address._query_params.items()}
        if st.session_state.get(_ENTERED) or now != parse_qs(context.query_string, keep_blank_values=True):
            address._send_query_param_msg()
    st.session_state[_ENTERED] = False


def _right(address: QueryParams, key: str, widget: WidgetMetadata[Any], value: Any) -> None:
    """Let an address say the value of a bound widget, if it says another one; a default is not in it."""
    said, usual = address.get_all(key), widget.deserializer(None)
    with suppress(ValueError, TypeError, IndexError):
        if value != (widget.deserializer(parse_url_param(said, widget.value_type)) if said else usual):
            text = _coerce_value_for_query_url(widget.serializer(value), widget.value_type)
            address.set_with_no_forward_msg(key, text)
    if value == usual:
        address.discard_param_no_forward_msg(key)


def _put_in_url(key: str, values: list[str]) -> None:
    """Note a choice for the address, which `right_address` sends once at the end of the run."""
    context = get_script_run_ctx()
    if context is not None:
        with context.session_state.query_params() as address:
            address.discard_param_no_forward_msg(key)
            if values:
                address.set_with_no_forward_msg(key, values)


def pick(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None = None,
    *,
    usual: str | None = None,
    words: Callable[[str], str] = str,
    gone: Callable[[str], bool] | None = None,
    on: Any = st,
    **shown: Any,
) -> str:
    """Let the user choose one option from a list; the page shows its words, the URL has the option itself.

    A choice that is not among the options any more makes way for the usual one, and so does a choice that nobody
    made where another one is usual from now on.

    Parameters
    ----------
    usual : the first option if None, or if it is not offered
    words : what an option, or a typed text, is called; a link with the words is understood, too
    gone : with it other texts may be typed; whether one that is not offered makes way for the usual one
    """
    first = usual if usual is not None and usual in options else options[0]
    asked = asked_of(key, first)
    if asked not in options:
        by_words = {words(option): option for option in options}
        asked = by_words.get(asked, first if gone is None or not asked or gone(asked) else asked)
    _put(key, asked)
    offered = options if asked in options else [*options, asked]  # else the browser would send its words for it
    known: Any = {"accept_new_options": True, **shown} if gone else shown
    at = offered.index(asked)  # what a browser shows that draws it after a later run, which sets nothing
    chosen = str(on.selectbox(label, offered, at, key=key, help=help, format_func=words, **known) or first)
    _write(key, chosen, first)
    return chosen


def switch(
    label: str,
    options: Sequence[str],
    key: str,
    help: str | None = None,
    *,
    usual: str | None = None,
    words: Callable[[str], str] = str,
    on: Any = st,
    **shown: Any,
) -> str:
    """Let the user choose one option of a few in a row, as `pick` does; `shown` is how Streamlit draws it."""
    usual = usual if usual is not None and usual in options else options[0]
    drop_unknown(key, options, usual)
    known: Any = {"required": True, "bind": "query-params", **shown}
    chosen: str | None = on.segmented_control(
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
    own: bool = False,
    on: Any = st,
    **shown: Any,
) -> tuple[str, ...]:
    """Let the user choose any number of options (or, with `own`, type others); those that are gone are left out.

    A link with the words of an option is understood, too.
    """
    first = [option for option in usual if own or option in options]
    asked = asked_of(key, first)
    if set(asked).difference(options):
        by_words = {words(option): option for option in options}
        asked = [text if text in options else by_words.get(text, text) for text in asked]
    shows = [text for text in asked if own or text in options]
    _put(key, shows)
    offered = [*options, *(text for text in asked if own and text not in options)]
    known: Any = {"accept_new_options": True, **shown} if own else shown
    chosen = list(on.multiselect(label, offered, shows, key=key, help=help, format_func=words, **known))
    _write(key, chosen, first)
    return tuple(chosen)


def slide(label: str, options: Sequence[str], key: str, usual: str, help: str | None = None) -> str:
    """Let the user choose one of some texts in order on a slider, as `pick` does."""
    asked = asked_of(key, usual)
    shows = asked if asked in options else usual
    _put(key, shows)
    chosen = str(st.select_slider(label, options, shows, key=key, help=help))
    _write(key, chosen, usual)
    return chosen


def toggle(label: str, key: str, help: str | None = None) -> bool:
    """Let the user switch something on that is off; the URL knows it."""
    return st.toggle(label, key=key, help=help, bind="query-params")


def line(label: str, key: str, help: str, placeholder: str = "", usual: str = "", **shown: Any) -> str:
    """Let the user write a line, without spaces at its ends; the URL knows it; `shown` is how Streamlit draws it."""
    look = {"key": key, "help": help, "bind": "query-params", "placeholder": placeholder or None, **shown}
    return str(st.text_input(label, usual, **look)).strip()


def whole(
    label: str, low: int, high: int, usual: int, key: str, help: str | None = None, on: Any = st, **shown: Any
) -> int:
    """Let the user type a whole number; the URL knows it; `shown` is how Streamlit draws it.

    A number above the highest makes way for the usual one, as does one that nobody chose where another is usual now.
    """
    follow(key, usual, gone=(st.session_state.get(key) or low) > high)
    return int(on.number_input(label, low, high, usual, key=key, help=help, bind="query-params", **shown))


def follow(key: str, usual: Any, *, gone: bool = False) -> None:
    """Let a widget show what is usual from now on where its value is gone, or is what was usual before."""
    usuals: dict[str, Any] = st.session_state.setdefault(_USUALS, {})
    before, usuals[key] = usuals.get(key, usual), usual
    if key in st.session_state and (gone or st.session_state[key] == before != usual):
        st.session_state[key] = usual


def act(label: str, key: str, icon: str, do: Callable[..., object], *given: Any, **shown: Any) -> bool:
    """Draw a button that does something with what it is given, before the page is drawn anew; return whether it did.

    Parameters
    ----------
    icon : the name of a Material symbol, "" for none
    shown : how Streamlit draws it
    """
    return st.button(label, key=key, icon=f":material/{icon}:" if icon else None, on_click=do, args=given, **shown)


def set_choice(key: str, value: str) -> None:
    """Make `value` the shared choice from the next run on."""
    set_url(key, [value])


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


def asked_of(key: str, usual: Any) -> Any:
    """Return what the URL says where it has news, else what the widget shows, also before it is drawn."""
    url = in_url(key)
    if _is_news(key, url):
        return _of_url(url, usual)
    value = st.session_state[key]
    return usual if not url and _listed(value) == _recall(_DEFAULTS, key) else value


def _of_url(url: list[str], usual: Any) -> Any:
    if not url:
        return usual
    return [text for text in url if text] if isinstance(usual, list) else url[-1]


def _put(key: str, value: Any) -> None:
    """Let the widget show a value: set where it is news, as another page's widget had its own, or another one.

    What a run has set that did not come to its end may never have been sent, so it is set once more.
    """
    unsent = st.session_state.setdefault(_UNSENT, set())
    if key in unsent or _is_news(key, in_url(key)) or st.session_state[key] != value:
        unsent.add(key)
        st.session_state[key] = value


def _is_news(key: str, url: list[str]) -> bool:
    """Whether the URL says something that this session's widget does not know yet."""
    if key not in st.session_state:
        return True
    seen = _recall(_SEEN, key)
    return seen != url if seen is not None else bool(url) or key in SHARED


def _now(key: str) -> list[str]:
    """Return what a choice's widget says in this run, also before it is drawn."""
    url = in_url(key)
    if _is_news(key, url):
        return url
    values = _listed(st.session_state[key])
    return [] if values == _recall(_DEFAULTS, key) else values


def _write(key: str, chosen: Any, usual: Any) -> None:
    """Put a choice into the URL, unless it is the usual one; nothing in place of something is an empty text."""
    values = [] if chosen == usual else _listed(chosen) or [""]
    set_url(key, values)
    _remember(_SEEN, key, values)
    _remember(_DEFAULTS, key, _listed(usual))


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _remember(what: str, key: str, values: list[str]) -> None:
    st.session_state[what] = {**st.session_state.get(what, {}), key: values}


def _recall(what: str, key: str) -> list[str] | None:
    found: list[str] | None = st.session_state.get(what, {}).get(key)
    return found
