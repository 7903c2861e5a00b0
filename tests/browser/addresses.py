"""An address holds every choice in view: the controls of each view are moved quickly, and a new window shows the same.

Run by hand, as it takes minutes: VIEWS="explore view=Plan" python -m pytest tests/browser/addresses.py
"""

import os
import time
from contextlib import suppress
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as Elsewhere

from pages._ui.page import views_of
from tests.browser.conftest import at_rest

pytestmark = pytest.mark.browser

CHOICES = """() => {
  const chosen = {};
  for (const own of document.querySelectorAll('[data-testid=stElementContainer][class*=st-key-]')) {
    if (!own.checkVisibility() || own.closest('[data-testid=stDialog]')) continue;
    const key = own.className.match(/st-key-(\\S+)/)[1];
    const values = [...own.querySelectorAll('input:not([type=file])')].map(i =>
      ['checkbox', 'radio'].includes(i.type) ? i.checked : i.value || i.closest('[data-baseweb=select]')?.innerText);
    const on = [...own.querySelectorAll('[role=tab], [role=radio], [role=switch]')].map(e =>
      e.getAttribute('aria-selected') ?? e.getAttribute('aria-checked'));
    if (values.length || on.length) chosen[key] = JSON.stringify([values, on]);
  }
  return chosen;
}"""
"""What every control in view that has a name says."""
PAGES = {
    "explore?dataset=generations&view=": ("Trials", "Metrics", "Components", "Clusters"),
    "model?dataset=generations&model_view=": tuple(view for view in views_of("model") if view != "Scores"),
    "design_space?dataset=design_space&space_view=": tuple(views_of("design_space")),
    "scaling?dataset=scaling&scaling_view=": tuple(views_of("scaling")),
    "compare?dataset=generations&compare_view=": tuple(views_of("compare")),
    "experiments?dataset=generations&view=": ("",),
    "models?models_view=": tuple(views_of("models")),
    "trials?dataset=generations&trials_view=": tuple(views_of("trials")),
}
VIEWS = [
    address
    for page, views in PAGES.items()
    for address in (f"{page}{quote_plus(view)}" for view in views)
    if any(word in address for word in os.environ.get("VIEWS", "?").split())
]
"""The views of all pages, or those whose address has a word of VIEWS."""
LEFT_ALONE = (
    "dataset",
    "response",
    "metrics",
    "where",
    "repeats",
    "view",
    *(f"{page}_view" for page in ("model", "models", "space", "scaling", "compare", "trials")),
)
"""What says which view is looked at, of what."""
QUICK_MS = 150
"""Between one choice and the next: less than a page takes to follow."""


def move(page: Page, key: str) -> None:
    """Choose something else with the control of this key, if it is one that can be moved by itself; await nothing."""
    own = page.locator(f".st-key-{key}").first
    if own.locator("input[type=range]").count():
        own.locator("input[type=range]").first.press("ArrowRight")
    elif own.locator("[data-testid=stNumberInputStepUp]:enabled").count():
        own.get_by_test_id("stNumberInputStepUp").click()
    elif own.locator("[role=radio][aria-checked=false]").count():
        own.locator("[role=radio][aria-checked=false]").first.click()
    elif own.locator("input[type=checkbox]:enabled").count():
        own.locator("label").first.click()
    elif own.locator("[role=combobox]").count():
        own.locator("input").first.click()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
    page.wait_for_timeout(QUICK_MS)


def shown(page: Page) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(CHOICES)
    return found


def restored(browser: Browser, page: Page, address: str) -> dict[str, tuple[str, str | None]]:
    """Move what is in view; return what a new window with the address of then shows otherwise."""
    page.goto(address)
    at_rest(page)
    page.set_default_timeout(4000)
    before, ends = shown(page), time.monotonic() + 20
    while not set(before) - set(LEFT_ALONE) and time.monotonic() < ends:  # a model may be trained first
        page.wait_for_timeout(500)
        before = shown(page)
    for key in [key for key in before if key not in LEFT_ALONE]:
        with suppress(Elsewhere):  # what was moved before may have taken it away
            move(page, key)
    at_rest(page)
    chosen = shown(page)
    other = browser.new_context(viewport={"width": 1280, "height": 900})
    again = other.new_page()
    again.goto(page.url)
    at_rest(again)
    now, ends = shown(again), time.monotonic() + 30
    while now != chosen and time.monotonic() < ends:  # a page has its title before it has its controls
        again.wait_for_timeout(500)
        now = shown(again)
    other.close()
    page.set_default_timeout(60_000)
    missed = {key: (value, now.get(key)) for key, value in chosen.items() if now.get(key) != value}
    moved = sum(chosen[key] != before.get(key) for key in chosen)
    print(f"{address}: {len(chosen)} controls, {moved} moved, missed: {missed}", flush=True)
    return missed


def test_an_address_restores_what_was_chosen(page: Page, browser: Browser, server: str) -> None:
    for sample in ("design_space", "scaling"):
        page.goto(f"{server}/{sample}")
        page.get_by_role("button", name="Load the sample").click()
        page.get_by_test_id("stTab").first.wait_for(timeout=90_000)
        at_rest(page)
    missed = {view: restored(browser, page, f"{server}/{view}") for view in VIEWS}
    assert not any(missed.values()), missed
