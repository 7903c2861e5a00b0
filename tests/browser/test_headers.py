"""The dashboard's headers let every page work in a real browser, and keep what names ask for from being fetched."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import at_rest, window

pytestmark = pytest.mark.browser

ADDRESSES = ("", "trials", "explore", "model", "compare", "experiments", "design_space", "scaling", "models")


def test_no_page_needs_what_the_policy_forbids(browser: Browser, common_server: str) -> None:
    page = window(browser)
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text) if "Content Security Policy" in said.text else None)
    for address in ADDRESSES:
        page.goto(f"{common_server}/{address}")
        at_rest(page)
        expect(page.get_by_text("Page not found")).to_have_count(0)
    assert blocked == []
    with page.expect_console_message(lambda said: "img-src" in said.text):
        page.evaluate("() => { const i = new Image(); i.src = 'http://localhost:1/x.png'; document.body.append(i); }")
    page.context.close()
