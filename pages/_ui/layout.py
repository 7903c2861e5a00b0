"""The layout of pages that are played with: the answer above, controls that stay, the picture beside; their views."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._ui.choices import set_choice
from pages._ui.page import guard
from pages._ui.theme import colour

_GROUND = [colour(base, "backgroundColor") for base in ("light", "dark")]
_STYLE = f"""<style>
.st-key-answer, [data-testid="stLayoutWrapper"]:has(> .st-key-answer) {{
  position: sticky; top: var(--head); z-index: 80; padding: .4rem 0; background: light-dark({", ".join(_GROUND)});
}}
.st-key-answer [data-testid="stMetric"] {{padding: 0}}
.st-key-answer [data-testid^="stMetric"] * {{white-space: normal; overflow: visible}}
/* Its glyphs reach past its box by two pixels, which would make it a region to scroll. */
.katex-display {{padding: 4px}}
/* A small drawing among the controls would grow, letters and all, with their column. */
.st-key-controls [data-testid="stImage"] {{max-width: 16rem}}
@media (max-width: 640px) {{
  .st-key-answer button {{padding: .25rem .4rem}}
  .st-key-answer button * {{white-space: nowrap}}
  .stHorizontalBlock:has(> .stColumn .st-key-controls) {{flex-direction: column-reverse}}
  .stHorizontalBlock:has(> .stColumn .st-key-played) {{flex-direction: column}}
  .stHorizontalBlock:has(> .stColumn .st-key-controls) > .stColumn {{min-width: 100%}}
  .stColumn:has(.st-key-played) {{
    position: sticky; top: 11.2rem; z-index: 70; max-height: 11.5rem; overflow-y: auto;
    background: light-dark({", ".join(_GROUND)}); border-bottom: 1px solid #8a929b55;
  }}
  .st-key-answer [data-testid="stMetricValue"] {{font-size: 1.15rem}}
  .st-key-answer [data-testid="stMetricLabel"] * {{font-size: .8rem; overflow-wrap: normal}}
  .katex-display > .katex {{font-size: .66rem}}
}}
@media (min-width: 900px) {{
  .stHorizontalBlock:has(> .stColumn .st-key-controls) {{flex-wrap: nowrap}}
  .stColumn:has(.st-key-picture) {{min-width: 0}}
  .stColumn:has(.st-key-controls) {{
    flex: 0 0 clamp(250px, 22%, 330px); position: sticky; top: calc(5.3rem + var(--head)); align-self: flex-start;
    max-height: calc(100vh - 5.8rem - var(--head)); overflow-y: auto;
  }}
}}
</style>"""
_ROW_STYLE = """<style>
@media (max-width: 640px) {
  [class*="st-key-beside_"] {flex-direction: column; align-items: stretch}
  [class*="st-key-beside_"] > * {flex: 0 0 auto; width: 100%}
}
</style>"""


def beside(label: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two places in one row: choices that are made once, behind a button, and what is said of them.

    On narrow screens what is said comes below the button, as wide as the page.
    """
    st.html(_ROW_STYLE)
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
    st.html(_STYLE)
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
