"""Models in a real browser: saved twice, exported as code, proven, downloaded; cards opened without a network."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from core.export import EXPORTERS
from tests.browser.conftest import downloaded, settle
from tests.contracts.test_names_that_leave import hostile

pytestmark = pytest.mark.browser


def save(page: Page, server: str, folds: str) -> None:
    page.goto(f"{server}/model?metrics=instructions&metrics=branches&metrics=loads&folds={folds}")
    expect(page.get_by_text("Mean error").first).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Save as …").click()
    page.get_by_label("Name", exact=True).fill("mine")
    page.get_by_label("Name", exact=True).press("Enter")
    settle(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved as").first).to_be_visible()


def test_a_model_is_saved_twice_exported_proven_and_carried_away(
    page: Page, browser: Browser, server: str, tmp_path: Path
) -> None:
    save(page, server, "kfold%3A3")
    save(page, server, "kfold%3A4")

    page.goto(f"{server}/models")
    expect(page.get_by_text("mine · version 2").first).to_be_visible()
    settle(page)

    # As Python, proven on the spot, and downloaded: it runs alone.
    page.get_by_text("Export: source code").click()
    form = page.get_by_role("combobox", name="Form")
    form.click()
    form.press_sequentially("Python")
    form.press("Enter")
    settle(page)
    expect(page.get_by_role("button", name="Download mine_v2.py")).to_be_visible()
    page.get_by_role("button", name="Prove it").click()
    expect(page.get_by_text("It says the same as the model").first).to_be_visible()
    code = downloaded(page, page.get_by_role("button", name="Download mine_v2.py"), tmp_path / "mine.py")
    done = subprocess.run(
        [sys.executable, "-I", str(code), "--self-test"], check=False, capture_output=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert importlib.util.spec_from_file_location("mine", code) is not None

    # The card opens by itself.
    card = downloaded(page, page.get_by_role("button", name="Model card"), tmp_path / "card.html")
    alone = browser.new_context(offline=True, java_script_enabled=False).new_page()
    alone.goto(card.as_uri())
    expect(alone.get_by_role("heading", name="mine · v2", level=1)).to_be_visible()
    expect(alone.get_by_role("img").first).to_be_visible()
    alone.context.close()

    # Both versions side by side.
    page.get_by_role("button", name="Compare …").click()
    settle(page)
    expect(page.get_by_text("What they say of the same trials").first).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()


def test_hostile_names_are_letters_on_the_card(browser: Browser, tmp_path: Path) -> None:
    """And nothing runs or is asked for."""
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
