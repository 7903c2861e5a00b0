"""axe-core finds nothing serious or critical on any page, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

PAGES = (
    "", "trials", "trials?view=Curate", "explore", "model", "design_space?dataset=design_space", "scaling?dataset=scaling",
    "compare", "experiments", "models", "papers",
)  # fmt: skip
GRAVE = {"serious", "critical"}


def at_rest(page: Page) -> None:
    """Wait until a page's script has ended and what it drew is there."""
    page.locator("[data-testid=stMain] h1").wait_for(timeout=90_000)
    expect(page.locator("[data-testid=stStatusWidget]")).to_have_count(0, timeout=120_000)
    expect(page.locator("[data-stale=true]")).to_have_count(0, timeout=120_000)
    page.wait_for_timeout(1500)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_grave_is_found_on_any_page(browser: Browser, server: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    found = []
    for path in PAGES:
        page.goto(f"{server}/{path}")
        at_rest(page)
        load = page.get_by_role("button", name="Load the sample")
        if load.count():
            load.first.click()
            expect(load).to_have_count(0)
            at_rest(page)
        violations = Axe().run(page).response["violations"]
        found += [
            f"{path}: {one['id']}: {node['html'][:160]}: {node['failureSummary']}"
            for one in violations if one["impact"] in GRAVE or one["id"] == "heading-order" for node in one["nodes"]
        ]  # fmt: skip
    context.close()
    assert not found, "\n".join(found)
