"""A list that is open stays open when a job that ends draws the page anew above it."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_an_open_list_stays_open_when_a_job_ends(page: Page, server: str) -> None:
    page.goto(f"{server}/model?recipe=ridge")
    job = page.get_by_text("Looking for the best model")
    job.wait_for()
    page.set_viewport_size({"width": 1280, "height": 600})
    page.get_by_role("combobox", name="Tested on").scroll_into_view_if_needed()
    assert page.get_by_test_id("stMain").evaluate("e => { e.scrollBy(0, 120); return e.scrollTop; }") > 0
    page.get_by_role("combobox", name="Tested on").click()
    choices = page.get_by_role("option")
    expect(choices.first).to_be_visible()
    n = choices.count()
    expect(job).to_have_count(0, timeout=180_000)
    page.wait_for_timeout(1500)
    assert choices.count() == n > 1
