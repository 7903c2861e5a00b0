"""Back is one step: choices are no steps of the browser's history, and each page comes back as it was left."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.conftest import at_rest

pytestmark = pytest.mark.browser


@pytest.fixture
def server(common_server: str) -> str:
    return common_server


def by_link(page: Page) -> None:
    page.get_by_test_id("stSidebar").get_by_test_id("stPageLink-NavLink").filter(has_text="Model").first.click()


def by_button(page: Page) -> None:
    page.get_by_role("button", name="Model these").click()


def widen(page: Page) -> None:
    """Choose the last way of the intervals, which the server writes; a list may close as the page is drawn again."""
    for _ in range(10):
        if not page.locator(".st-key-interval input").is_visible():
            page.get_by_role("button", name="All options").click()
        page.locator(".st-key-interval input").click()
        with suppress(TimeoutError):
            page.get_by_role("option").last.click(timeout=5000)
            return
    raise AssertionError("the list of ways never stayed open")


@pytest.mark.parametrize("go", [by_link, by_button])
def test_back_is_one_step_with_choices_on_both_pages(page: Page, server: str, go: Callable[[Page], None]) -> None:
    page.goto(f"{server}/explore?dataset=generations&explore_clusters=5&view=Metrics")  # the dataset is the usual one
    clusters = page.locator(".st-key-explore_clusters")
    expect(clusters.locator("input")).to_have_value("5")
    at_rest(page)
    clusters.get_by_test_id("stNumberInputStepUp").click()
    expect(page.locator(".st-key-answer")).to_contain_text("6")
    at_rest(page)
    left = page.url
    assert "explore_clusters=6" in left
    assert "view=Metrics" in left
    steps = page.evaluate("history.length")

    go(page)
    page.wait_for_url("**/model**")
    page.locator(".st-key-model_view").get_by_role("tab", name="Effects").click()
    page.wait_for_url("**model_view=Effects**")
    at_rest(page)
    widen(page)
    page.wait_for_url("**interval=**")
    assert page.evaluate("history.length") == steps + 1

    page.go_back()
    expect(page).to_have_url(left)
    expect(clusters.locator("input")).to_have_value("6")
    page.go_forward()
    page.wait_for_url("**/model**interval=**")
    assert "model_view=Effects" in page.url
    expect(page.locator(".st-key-model_view").get_by_role("tab", name="Effects")).to_have_attribute(
        "aria-selected", "true"
    )
