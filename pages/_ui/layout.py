"""The layout of pages that are played with: the answer above, controls that stay, the picture beside; their views."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._ui.choices import set_choice
from pages._ui.page import guard
from pages._ui.theme import colour

_GROUND = ", ".join(colour(base, "backgroundColor") for base in ("light", "dark"))
_STYLE = Path(__file__).with_name("layout.css").read_text(encoding="utf-8")


def beside(label: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two places in one row: choices that are made once, behind a button, and what is said of them.

    On narrow screens what is said comes below the button, as wide as the page.
    """
    key = f"beside_{label.lower().replace(' ', '_')}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=key):
        return st.popover(label, icon=":material/tune:"), st.container(gap="xsmall")


def open_view(
    names: Sequence[str], key: str, usual: str = "", former: Mapping[str, str] = MappingProxyType({})
) -> tuple[str, DeltaGenerator]:
    """Draw tabs, the open one of which is in the URL; return its name and its place.

    Parameters
    ----------
    former : what addresses made earlier call a view, and its name now
    """
    if (now := former.get(st.query_params.get(key, ""))) is not None:
        st.session_state[key] = now
    tabs = st.tabs(names, default=usual or names[0], key=key, bind="query-params", on_change="rerun")
    places = dict(zip(names, tabs, strict=True))
    opened = next((name for name, tab in places.items() if tab.open), usual or names[0])
    return opened, places[opened]


def instrument(*, played: bool = False) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return four places: the row of the answer, what is said of it, the controls, and the picture beside them.

    The answer stays at the top while the rest scrolls, on narrow screens too; the controls stay beside the picture
    where there is room for both, and come below it where there is not.

    Parameters
    ----------
    played : whether controls and picture are looked at together: on narrow screens the controls then come first, and
        scroll in a part of the window
    """
    st.html(f"<style>.stApp {{--ground: light-dark({_GROUND})}}\n{_STYLE}</style>")
    answer, said = st.container(key="answer"), st.container(key="said", gap="xsmall")
    left, right = st.columns([5, 14], gap="medium")
    controls = left.container(key="controls", gap="small")
    if played:
        controls = controls.container(key="played", gap="small")
    return answer, said, controls, right.container(key="picture", gap="small")


Views = Mapping[str, Callable[[Any], None]]
_NONE: Mapping[str, str] = MappingProxyType({})


def views_of(page: str, shown: Any = None) -> Views:
    """Return what draws each view of a page, by the view's TITLE, in the order of PLACE; all are given the same.

    Parameters
    ----------
    shown : what they will be given: without it every view is returned, with it those whose `offered`, if they have
        such a function, agrees
    """
    folder = import_module(f"pages._{page}.views")
    found = [import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__)]
    kept = [module for module in found if shown is None or getattr(module, "offered", lambda _: True)(shown)]
    return {module.TITLE: module.draw for module in sorted(kept, key=lambda module: module.PLACE)}


def draw_open(views: Views, key: str, shown: Any, former: Mapping[str, str] = _NONE, usual: str = "") -> None:
    """Draw a tab per view, and the view that is open (see `open_view`); what fails in it is said in its place."""
    if (wanted := st.session_state.pop(_next(key), None)) is not None:
        st.session_state[key] = wanted
    view, place = open_view(tuple(views), key, usual, former)
    with place, guard():
        views[view](shown)


def turn_to(key: str, view: str, **choices: str) -> None:
    """Run the page again with another view open, and choices made."""
    st.session_state[_next(key)] = view
    for name, value in choices.items():
        set_choice(name, value)
    st.rerun()


def _next(key: str) -> str:
    return f"_next_{key}"
