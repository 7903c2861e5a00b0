"""A model's card with hostile names, opened in a real browser: letters, and nothing runs or is asked for."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from core.export import EXPORTERS
from tests.contracts.test_names_that_leave import hostile

pytestmark = pytest.mark.browser


def test_hostile_names_are_letters_on_the_card(browser: Browser, tmp_path: Path) -> None:
    card = tmp_path / "card.html"
    card.write_bytes(EXPORTERS["card"]().write(hostile()))
    context = browser.new_context()
    page, asked, shown = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (shown.append(dialog.message), dialog.dismiss()))
    page.goto(card.as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert (asked, shown) == ([card.as_uri()], [])
    assert "<script>alert(1)</script>" in page.locator("body").inner_text()
    assert page.evaluate("[...document.scripts].filter(script => script.text.includes('alert')).length") == 0
    context.close()
