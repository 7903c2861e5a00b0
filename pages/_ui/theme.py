"""The colours of the page, as Streamlit's settings name them, or the program's own without any; its window's size."""

import re
import tomllib
from functools import cache
from typing import Any

import streamlit as st

from core.report.figures.theme import Theme
from core.workspace import ROOT

_FAINT = {"light": "#55606c", "dark": "#a9b4bf"}
"""Of captions and of axes: 4.5 times as light or dark as their ground, and more."""
_USUAL, _LARGE, _LISTS, _HIGHEST, NARROW_WINDOW = 900, 400, 600, 800, 640
"""Of a window and of pictures, in pixels; from 600 they are long lists, and windows below 640 are phones'."""


def colour(base: str, name: str) -> Any:
    """Return a colour, or the colours of a scale, on "light" or "dark" ground.

    Streamlit looks for settings in the folder that it is started from and beside the script that it was given; a server
    that imports `app.py` from elsewhere, and a test, have none.
    """
    return st.get_option(f"theme.{base}.{name}") or _shipped()[base][name]


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return dict(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"])


@cache
def theme_of(base: str) -> Theme:
    """Return the colours of the page on light or dark ground."""
    ink, line, raised = (colour(base, f"{name}Color") for name in ("text", "border", "secondaryBackground"))
    scales = (colour(base, f"chart{name}Colors") for name in ("Categorical", "Sequential", "Diverging"))
    return Theme(ink, _FAINT[base], line, raised, *map(tuple, scales))


def height_of(own: int | None) -> int | None:
    """Return how high a picture is drawn: a large one has all that the window is higher than usual."""
    more = window()[0] - _USUAL
    return min(own + more, _HIGHEST) if own and _LARGE <= own < _LISTS and more > 0 else own


def window() -> tuple[int, int]:
    """Return how high and wide the window was when its browser asked for the page, in pixels."""
    said = re.fullmatch(r"(\d{3,5})x(\d{3,5})", str(st.context.cookies.get("window")))
    return (int(said[1]), int(said[2])) if said else (_USUAL, _USUAL)
