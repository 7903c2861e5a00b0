"""One file adds one view of a page: the modules of a page's folder `views`."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import streamlit as st

from pages._ui.choices import set_choice
from pages._ui.layout import open_view
from pages._ui.page import guard

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
    kept = [module for module in found if shown is None or getattr(module, "offered", _always)(shown)]
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


def _always(shown: Any) -> bool:
    return True
