"""Captions and texts of charts stand out from their ground, light and dark, by the ratio that WCAG asks for (AA)."""

import re

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import at_rest, window

pytestmark = pytest.mark.browser

SMALL = 4.5
"""What small texts need."""
COLOURS = """() => {
  const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  return [of('.stApp', 'backgroundColor'), of('[data-testid=stCaptionContainer] p', 'color'),
          of('.js-plotly-plot .xtick text', 'fill'), of('.js-plotly-plot .g-xtitle text', 'fill')];
}"""
FADED = "() => getComputedStyle(document.querySelector('[data-testid=stCaptionContainer]')).opacity"


def luminance(colour: str) -> float:
    """Return the relative luminance of `rgb(r, g, b)` (WCAG 2.2)."""
    parts = [int(text) / 255 for text in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_captions_and_charts_can_be_read(browser: Browser, common_server: str, scheme: str) -> None:
    page = window(browser, color_scheme=scheme)
    page.goto(f"{common_server}/explore?view=Components")
    page.locator(".js-plotly-plot .g-xtitle text").first.wait_for()
    at_rest(page)
    ground, *texts = (luminance(colour) for colour in page.evaluate(COLOURS))
    assert page.evaluate(FADED) == "1"
    page.context.close()
    assert (ground > 0.5) == (scheme == "light")
    for text in texts:
        assert (max(ground, text) + 0.05) / (min(ground, text) + 0.05) >= SMALL
