"""axe-core finds nothing serious or critical on any page, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import PATIENT_MS, at_rest, window

pytestmark = pytest.mark.browser

PAGES = (
    "",
    "trials",
    "trials?view=Curate",
    "explore",
    "model",
    "design_space?dataset=design_space",
    "scaling?dataset=scaling",
    "compare",
    "experiments",
    "models",
    "papers",
)
WITHOUT_TRIALS = ("design_space", "scaling")
"""What offers to load its sample first."""
GRAVE = {"serious", "critical"}
GROUND_IS = """scheme => {
  const app = document.querySelector('[data-testid=stApp]');
  const levels = app && getComputedStyle(app).backgroundColor.match(/\\d+/g).map(Number);
  return !!levels && (levels[0] + levels[1] + levels[2] > 382) === (scheme === 'light');
}"""
"""Whether the page's ground is as bright as the system's scheme asks; a busy machine takes its time to change it."""
LOOKS = 4
"""How often a page is looked at where something is found: what the page is just drawing anew is faint for a moment."""


VIOLATIONS = {"resultTypes": ["violations"]}
RULES = {"light": VIOLATIONS, "dark": {**VIOLATIONS, "runOnly": ["color-contrast", "link-in-text-block"]}}
"""What is looked for in each scheme: nothing but colours differs between them."""


def lasting(page: Page, path: str, scheme: str) -> list[str]:
    """Return what is found on a page and does not pass."""
    found: list[str] = []
    for _ in range(LOOKS):
        found = [
            f"{path}, {scheme}: {one['id']}: {node['html'][:160]}: {node['failureSummary']}"
            for one in Axe().run(page, options=RULES[scheme]).response["violations"]
            if one["impact"] in GRAVE or one["id"] == "heading-order"
            for node in one["nodes"]
        ]
        if not found:
            break
        at_rest(page)
    return found


def in_both_schemes(page: Page, path: str) -> list[str]:
    """Return what is found on a page that changes from light to dark as the system does."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(GROUND_IS, arg=scheme, timeout=PATIENT_MS)
        at_rest(page)
        found += lasting(page, path, scheme)
    return found


def test_nothing_grave_is_found_on_any_page(browser: Browser, server: str) -> None:
    page = window(browser)
    found = []
    for path in PAGES:
        page.goto(f"{server}/{path}")
        found += in_both_schemes(page, path)
        if path.partition("?")[0] in WITHOUT_TRIALS:
            page.get_by_role("button", name="Load the sample").click()
            page.get_by_test_id("stTab").first.wait_for()
            found += in_both_schemes(page, f"{path}, loaded")
    page.context.close()
    assert not found, "\n".join(found)
