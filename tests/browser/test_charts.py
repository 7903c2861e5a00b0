"""A chart is drawn once, and a click on one of its points chooses that trial."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest

pytestmark = pytest.mark.browser

COUNT = """window.drawn = 0; document.addEventListener('DOMContentLoaded', () => new MutationObserver(all => {
  for (const one of all) for (const node of one.addedNodes)
    if (node.nodeType === 1 && node.classList.contains('draglayer')) window.drawn++;
}).observe(document.body, {subtree: true, childList: true}));"""
"""Counts the layers that Plotly makes when it draws a chart, and when it draws one anew."""


@pytest.fixture
def server(common_server: str) -> str:
    return common_server


def test_a_chart_is_drawn_once_and_a_click_chooses_a_trial(page: Page, server: str) -> None:
    page.add_init_script(COUNT)
    page.goto(f"{server}/explore")
    points = page.locator(".st-key-scores .scatterlayer .point")
    points.first.wait_for()
    expect(page.locator(".js-plotly-plot .draglayer")).to_have_count(2)
    at_rest(page)
    assert page.evaluate("drawn") == page.locator(".js-plotly-plot").count() == 2
    box = points.nth(3).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("heading", name="chosen trial")).to_be_visible()
