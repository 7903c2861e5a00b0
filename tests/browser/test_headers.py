"""The dashboard's headers let every page work in a real browser, and keep what names ask for from being fetched."""

import pytest
from playwright.sync_api import Browser, expect

ADDRESSES = ("", "trials", "explore", "model", "compare", "experiments", "design_space", "scaling", "models")


@pytest.mark.slow
@pytest.mark.usefixtures("server")
def test_no_page_needs_what_the_policy_forbids(browser: Browser, server: str) -> None:
    page = browser.new_page()
    blocked: list[str] = []
    page.on("console", lambda said: blocked.append(said.text) if "Content Security Policy" in said.text else None)
    for address in ADDRESSES:
        page.goto(f"{server}/{address}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
        expect(page.get_by_text("Page not found")).to_have_count(0)
    assert blocked == []
    page.evaluate("() => { const i = new Image(); i.src = 'http://localhost:1/beacon.png'; document.body.append(i); }")
    page.wait_for_timeout(500)
    assert any("img-src" in text for text in blocked)
    page.close()
