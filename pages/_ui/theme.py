"""The colours of the page, as Streamlit's settings name them, or the program's own where there are no settings."""

import tomllib
from functools import cache
from typing import Any

import streamlit as st

from core.workspace import ROOT


def colour(base: str, name: str) -> Any:
    """Return a colour, or the colours of a scale, on "light" or "dark" ground.

    Streamlit looks for settings in the folder that it is started from and beside the script that it was given; a server
    that imports `app.py` from elsewhere, and a test, have none.
    """
    return st.get_option(f"theme.{base}.{name}") or _shipped()[base][name]


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    return dict(tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"])
