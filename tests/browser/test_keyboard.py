"""The four questions of the start page are answered with the keyboard alone: asked, played with, and taken away."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle, stock

pytestmark = pytest.mark.browser

FOCUSED = """() => {
  const e = document.activeElement, by = e.getAttribute('aria-labelledby');
  if (['MAIN', 'BODY'].includes(e.tagName)) return '';
  const labels = [...(by ? by.split(' ').map(id => document.getElementById(id)) : e.labels || [])];
  return [e.getAttribute('aria-label'), ...labels.map(label => label?.innerText), e.innerText].filter(Boolean).join(' ');
}"""
MOST_STOPS = 90


@pytest.fixture
def database(database: Path) -> Path:
    """A database in which the questions' samples have few kernels."""
    stock(database, "design_space", 3)
    return database


def reach(page: Page, label: str) -> None:
    """Press Tab until what bears the label has the focus, and can be seen to have it."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        text = page.evaluate(FOCUSED)
        if label in text and not text.startswith(("Help for ", "Fullscreen: ")):
            assert page.evaluate("() => document.activeElement.matches(':focus-visible')"), label
            return
    pytest.fail(f"{label} cannot be reached with the Tab key")


def press(page: Page, label: str, key: str = "Enter") -> None:
    reach(page, label)
    page.keyboard.press(key)


def ask(page: Page, question: str, title: str) -> None:
    """Go to the start page, press a question, and wait for the page that answers it."""
    if not page.get_by_role("heading", name="Start", exact=True, level=1).is_visible():
        page.evaluate("() => { document.activeElement.blur(); window.getSelection().removeAllRanges(); }")
        press(page, "Start")
        expect(page.get_by_role("heading", name="Start", exact=True, level=1)).to_be_visible()
        settle(page)
    press(page, question)
    expect(page.get_by_role("heading", name=title, exact=True, level=1)).to_be_visible()
    settle(page)


def take(page: Page, label: str, place: Path) -> Path:
    """Download what a button gives."""
    reach(page, label)
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    download.value.save_as(place)
    return place


def test_every_question_is_answered_without_a_mouse(page: Page, server: str, tmp_path: Path) -> None:
    page.goto(server)
    expect(page.get_by_role("heading", name="Start", exact=True, level=1)).to_be_visible()
    settle(page)

    ask(page, "What will it cost there?", "Model")
    press(page, "Use threshold", "Space")
    expect(page.get_by_role("slider", name="Threshold")).to_be_visible()
    settle(page)
    reach(page, "Threshold")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile("eiger_threshold="))
    settle(page)
    press(page, "Save as")
    model = json.loads(take(page, "Download JSON", tmp_path / "model.json").read_text())
    assert f"eiger_threshold={model['provenance']['options']['threshold']}" in page.url

    page.keyboard.press("Escape")
    ask(page, "Which parameters matter?", "Design space")
    expect(page.get_by_text("Predicted cycles")).to_be_visible()
    settle(page)
    press(page, "dispatch", "ArrowRight")
    expect(page).to_have_url(re.compile("at_dispatch_width="))
    settle(page)
    assert take(page, "Curves as CSV", tmp_path / "curves.csv").read_text().count("\n") > 20

    ask(page, "What will the next machine do?", "Compare")
    expect(page.get_by_text(re.compile("^Winner: "))).to_be_visible(timeout=120_000)
    settle(page)
    press(page, "Predictions", "ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_text("From the smallest to the largest")).to_be_visible()
    settle(page)
    assert take(page, "Table as CSV", tmp_path / "workloads.csv").read_text().startswith("workload,")

    ask(page, "How does it scale?", "Scaling")
    reach(page, "Kernels")  # the tab; the list is the next stop of that name
    reach(page, "Kernel")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile("kernel="))
