"""The colours of the page: Streamlit's settings, or the program's own where none were found."""

import pytest
import streamlit as st

from pages._ui import theme
from pages._ui.theme import colour


def test_colours_are_there_where_streamlit_found_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", lambda name: None)
    assert colour("light", "backgroundColor") == "#ffffff"
    assert colour("dark", "chartDivergingColors")[0].startswith("#")
    assert theme.theme_of.__wrapped__("light").ink == colour("light", "textColor")


def test_settings_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", {"theme.light.backgroundColor": "#fafafa"}.get)
    assert colour("light", "backgroundColor") == "#fafafa"
