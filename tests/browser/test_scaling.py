"""The Scaling page in a real browser: curves, a click sets the base, a slider moves the prediction."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle, stock

pytestmark = pytest.mark.browser


@pytest.fixture
def database(database: Path) -> Path:
    stock(database, "scaling", 9)
    return database


def test_from_a_study_to_a_prediction(page: Page, server: str) -> None:
    page.goto(f"{server}/scaling?dataset=scaling")
    curves = page.get_by_role("img", name=re.compile("^performance, times the base over dispatch_width"))
    expect(curves).to_be_visible()
    _are_beside_each_other(page)

    # A square of the map is clicked: it is the base from then on.
    page.get_by_role("tab", name="Bases").click()
    squares = page.locator(".js-plotly-plot").first.locator(".point")
    expect(squares).to_have_count(448)
    settle(page)
    squares.nth(9).scroll_into_view_if_needed()
    place = squares.nth(9).bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.locator(".js-plotly-plot .hovertext").first.wait_for()  # a click on what the chart has not noticed is none
    page.mouse.click(x, y)
    expect(page).to_have_url(re.compile("scaling_base=dispatch_width"))

    # A key press moves the prediction, and stands in the address.
    page.get_by_role("tab", name="Predict").click()
    predicted = page.get_by_test_id("stMetricValue").first
    expect(predicted).to_contain_text("cycles")
    settle(page)
    before = predicted.inner_text()
    page.locator(".st-key-target_memory_queues").get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(predicted).not_to_have_text(before)
    expect(page).to_have_url(re.compile("target_memory_queues="))


def _are_beside_each_other(page: Page) -> None:
    """Hold that three curves leave no place empty: in a row above the map, or above each other at its left."""
    pictures = page.locator("[data-testid=stImage] img")
    expect(pictures).to_have_count(4)
    settle(page)
    first, drawn, second, third = (pictures.nth(i).bounding_box() or {} for i in range(4))
    assert first["y"] == second["y"] == third["y"] < drawn["y"] < 900 - drawn["height"] / 2
    assert drawn["width"] == pytest.approx(third["x"] + third["width"] - first["x"], abs=2)
    usual = page.viewport_size
    assert usual is not None
    page.set_viewport_size({"width": 1920, "height": 1080})
    settle(page)
    first, drawn, second, third = (pictures.nth(i).bounding_box() or {} for i in range(4))
    assert first["x"] == second["x"] == third["x"] < drawn["x"]
    assert third["y"] + third["height"] == pytest.approx(drawn["y"] + drawn["height"], abs=120)
    page.set_viewport_size(usual)
