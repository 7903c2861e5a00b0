"""How long a newcomer's four journeys take from the start page, in seconds and clicks; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/journeys.py CSV [CSV ...]

Every CSV is made a model on a fresh database; then a design is recommended, a kernel's scaling predicted from a file of
its counters, and a paper's figures made and read in place. Only visible labels are followed.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, TimeoutError, sync_playwright

from tests.browser.conftest import find_chromium
from tests.browser.measure_pages import HEIGHT, WIDTH, served

PATIENT_S = 300.0
FIGURE = ".js-plotly-plot, [data-testid=stImage] img"


@dataclass
class Walk:
    """A newcomer in a window: how often was clicked, and how long was waited for what (s)."""

    page: Page
    clicks: int = 0
    waits: dict[str, float] = field(default_factory=dict)

    def shown(self, label: str, *, exact: bool = False) -> Locator:
        """Return what bears a label in the page's main part."""
        return self.page.get_by_test_id("stMain").get_by_text(label, exact=exact).locator("visible=true").first

    def click(self, label: str, *, exact: bool = False) -> None:
        """Click what bears a label, once it is there."""
        self.wait(label, self.shown(label, exact=exact))
        self.shown(label, exact=exact).click()
        self.clicks += 1

    def choose(self, file: Path) -> None:
        """Choose a file in the page's uploader."""
        uploader = self.page.locator("input[type=file]").first
        self.wait("an uploader", uploader, state_attached=True)
        uploader.set_input_files(file)
        self.clicks += 1

    def keep(self, label: str, file: Path) -> Path:
        """Download what a button gives."""
        self.wait(label, self.page.get_by_text(label).first)
        with self.page.expect_download() as download:
            self.page.get_by_text(label).first.click()
        self.clicks += 1
        download.value.save_as(file)
        return file

    def wait(self, what: str, there: Locator, *, state_attached: bool = False) -> None:
        """Wait until something is there."""
        before = time.perf_counter()
        there.wait_for(timeout=1000 * PATIENT_S, state="attached" if state_attached else "visible")
        self.waits[what] = max(self.waits.get(what, 0.0), time.perf_counter() - before)


def main() -> None:
    files = [Path(name).resolve() for name in sys.argv[1:]]
    print("journey | seconds (target) | clicks | what was waited for longest")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        with served("app.py", Path(folder) / "journeys.duckdb") as (address, _):
            for file in files:
                _report(browser, address, f"model of {file.name}", lambda w, f=file: model(w, f, Path(folder)), 300)
            _report(browser, address, "recommended design", design, 300)
            _report(browser, address, "scaling of an own kernel", lambda walk: scaling(walk, Path(folder)), 300)
            _report(browser, address, "figure of a paper", paper, 180)
        browser.close()


def _report(browser: Browser, address: str, name: str, journey: Callable[[Walk], None], target: int) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, accept_downloads=True)
    page.set_default_timeout(1000 * PATIENT_S)
    began = time.perf_counter()
    page.goto(address)
    walk = Walk(page)
    try:
        journey(walk)
        ended = f"{time.perf_counter() - began:.0f}"
    except TimeoutError as error:
        ended = f"NOT ENDED: {str(error).splitlines()[0]}"
    longest = max(walk.waits, key=lambda what: walk.waits[what], default="nothing")
    told = f"{longest} ({walk.waits.get(longest, 0.0):.0f} s)"
    print(f"{name} | {ended} ({target}) | {walk.clicks} | {told}", flush=True)
    page.close()


def model(walk: Walk, file: Path, folder: Path) -> None:
    """Make a model of a file, and download it."""
    walk.choose(file)
    walk.click("Model of")
    walk.click("Save as …")
    walk.keep("Download JSON", folder / f"{file.stem}.json")


def design(walk: Walk) -> None:
    """Read which of the sample's designs are best."""
    walk.click("Which parameters matter?")
    walk.click("Best designs")
    walk.wait("the designs recommended", walk.shown("is the best:"))


def scaling(walk: Walk, folder: Path) -> None:
    """Predict a kernel from a file of its counters at the base, made of the sample's example."""
    walk.click("How does it scale?")
    walk.click("Predict", exact=True)
    walk.click("A file with counters")
    example = walk.keep("An example to fill in", folder / "kernel.csv")
    walk.choose(example)
    walk.wait("the kernel's curves", walk.page.get_by_test_id("stMain").locator(FIGURE).first)


def paper(walk: Walk) -> None:
    """Make a paper's figures, and look at the first."""
    walk.click("The papers: every figure")
    walk.click("Greathouse and Loh")
    walk.click("Make it again")
    walk.wait("the document, read in place", walk.page.locator("iframe").first)
    walk.wait("its first figure", walk.page.frame_locator("iframe").first.locator("figure, svg").first)


if __name__ == "__main__":
    main()
