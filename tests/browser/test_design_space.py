"""The Design space page in a real browser: one click to the sliders, and a slider that moves everything."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_journey import settle

pytestmark = pytest.mark.browser


def press(slider: Locator, key: str) -> None:
    """Press a key on a slider, and again where the page was drawing the slider anew at that moment."""
    before = slider.input_value()
    for _ in range(5):
        slider.press(key)
        slider.page.wait_for_timeout(1500)
        if slider.input_value() != before:
            return
    pytest.fail(f"{key} does not move the slider")


def test_one_click_leads_to_sliders_that_move_everything(page: Page, server: str) -> None:
    page.goto(f"{server}/design_space")
    page.get_by_role("button", name="Load the sample").click()
    slider = page.locator(".st-key-at_dispatch_width").get_by_role("slider")
    expect(slider).to_have_count(1)
    settle(page)
    expect(page.get_by_role("img", name=re.compile("^Predicted cycles over dispatch_width"))).to_be_visible()

    # A key press moves prediction, curves and map, and stands in the address.
    predicted = page.get_by_test_id("stMetricValue").first
    before = predicted.inner_text()
    maps = page.get_by_role("img", name=re.compile("^Map of the predicted cycles"))
    drawn = maps.get_attribute("src")
    press(slider, "ArrowLeft")
    expect(predicted).not_to_have_text(before)
    expect(page).to_have_url(re.compile("at_dispatch_width=2"))
    expect(page.get_by_role("img", name=re.compile("dispatch_width.*here 2\\."))).to_be_visible()
    expect(maps).not_to_have_attribute("src", drawn or "")

    # A baseline is pinned, and told against.
    page.get_by_role("button", name="Pin as baseline").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()
    settle(page)
    press(slider, "ArrowRight")
    expect(page.get_by_test_id("stMetricDelta").first).to_contain_text("%")

    # On a narrow screen the answer stays in view, and sliders with a curve of theirs below it.
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    page.get_by_role("img", name=re.compile("^Predicted cycles over dispatch_width")).scroll_into_view_if_needed()
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(1500)
    places = [page.locator(name).first.bounding_box() for name in (".st-key-answer", ".st-key-at_dispatch_width", "[data-testid=stImage]")]
    answer, own, picture = (box for box in places if box is not None)
    assert 0 <= answer["y"]
    assert answer["y"] + answer["height"] <= 240
    assert answer["y"] < own["y"] < picture["y"] + picture["height"] < 844
