"""Every page is opened once, light and dark: nothing grave by axe-core, nothing that the headers forbid, texts to read.

Texts stand out from their ground by the ratio that WCAG asks for (AA).
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copyfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.conftest import PATIENT_MS, at_rest, served, window
from tests.browser.dashboard import as_shipped

pytestmark = pytest.mark.browser

CHARTS = "explore?view=Components"
PAGES = (
    "",
    "trials",
    "trials?view=Curate",
    CHARTS,
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
PATIENT_S = 30.0
"""How long a page is looked at where something is found: what it is just drawing anew is faint for a moment."""
VIOLATIONS = {"resultTypes": ["violations"]}
RULES = {"light": VIOLATIONS, "dark": {**VIOLATIONS, "runOnly": ["color-contrast", "link-in-text-block"]}}
"""What is looked for in each scheme: nothing but colours differs between them."""
SMALL = 4.5
"""What small texts need."""
COLOURS = """() => {
  const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  return [of('.stApp', 'backgroundColor'), of('[data-testid=stCaptionContainer] p', 'color'),
          of('.js-plotly-plot .xtick text', 'fill'), of('.js-plotly-plot .g-xtitle text', 'fill')];
}"""
FADED = "() => getComputedStyle(document.querySelector('[data-testid=stCaptionContainer]')).opacity"


@dataclass
class Visit:
    """What a walk over all pages has seen.

    Attributes
    ----------
    grave : what axe-core found
    blocked : what the browser said of the headers' policy
    unknown : addresses without a page
    colours : by scheme, those of the ground, a caption, and a tick and a title of a chart
    faded : by scheme, the opacity of captions
    """

    grave: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    colours: dict[str, list[str]] = field(default_factory=dict)
    faded: dict[str, str] = field(default_factory=dict)

    def look(self, page: Page, path: str) -> None:
        """Look at a page that changes from light to dark as the system does."""
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            if path == CHARTS and scheme == "dark":
                page.reload()  # charts have the colours of the scheme in which a page is drawn
            page.wait_for_function(GROUND_IS, arg=scheme, timeout=PATIENT_MS)
            at_rest(page)
            self.grave += lasting(page, path, scheme)
            if path == CHARTS:
                page.locator(".js-plotly-plot .g-xtitle text").first.wait_for()
                self.colours[scheme], self.faded[scheme] = page.evaluate(COLOURS), page.evaluate(FADED)
        self.unknown += [path] * page.get_by_text("Page not found").count()


def lasting(page: Page, path: str, scheme: str) -> list[str]:
    """Return what is found on a page and does not pass."""
    until = time.monotonic() + PATIENT_S
    while True:
        found = [
            f"{path}, {scheme}: {one['id']}: {node['html'][:160]}: {node['failureSummary']}"
            for one in Axe().run(page, options=RULES[scheme]).response["violations"]
            if one["impact"] in GRAVE or one["id"] == "heading-order"
            for node in one["nodes"]
        ]
        if not found or time.monotonic() > until:
            return found
        at_rest(page)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = window(browser)
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def visit(page: Page, stocked: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    """All pages, on a dashboard of their own, as two of them load their samples; the last one stays open."""
    seen = Visit()
    page.on("console", lambda said: seen.blocked.append(said.text) if "Content Security" in said.text else None)
    database = copyfile(stocked, tmp_path_factory.mktemp("every") / "every.duckdb")
    with served(database, as_shipped) as server:
        for path in PAGES:
            page.emulate_media(color_scheme="light")
            page.goto(f"{server}/{path}")
            seen.look(page, path)
            if path.partition("?")[0] in WITHOUT_TRIALS:
                page.get_by_role("button", name="Load the sample").click()
                page.get_by_test_id("stTab").first.wait_for()
                seen.look(page, f"{path}, loaded")
        yield seen


def test_nothing_grave_is_found_on_any_page(visit: Visit) -> None:
    assert not visit.grave, "\n".join(visit.grave)


def test_no_page_needs_what_the_policy_forbids(visit: Visit, page: Page) -> None:
    assert (visit.unknown, visit.blocked) == ([], [])
    with page.expect_console_message(lambda said: "img-src" in said.text):
        page.evaluate("() => { const i = new Image(); i.src = 'http://localhost:1/x.png'; document.body.append(i); }")


def luminance(colour: str) -> float:
    """Return the relative luminance of `rgb(r, g, b)` (WCAG 2.2)."""
    parts = [int(text) / 255 for text in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_captions_and_charts_can_be_read(visit: Visit, scheme: str) -> None:
    ground, *texts = (luminance(colour) for colour in visit.colours[scheme])
    assert visit.faded[scheme] == "1"
    assert (ground > 0.5) == (scheme == "light")
    for text in texts:
        assert (max(ground, text) + 0.05) / (min(ground, text) + 0.05) >= SMALL
