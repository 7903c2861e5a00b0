"""A picture of every view, to be looked at; run by hand, against a dashboard that is served already.

    PYTHONPATH=. .venv/bin/python tests/browser/screens.py FOLDER [WORD ...] [--widths 1920 1280 390] [--dark] [--whole]

Only views whose address has one of the words are opened. Prints what runs past the window's edge or is cut short.
"""

import argparse
import re
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright
from playwright.sync_api import TimeoutError as Elsewhere

from tests.browser.addresses import VIEWS
from tests.browser.conftest import PATIENT_MS, at_rest, find_chromium

HEIGHTS = {1920: 1080, 1280: 900, 390: 844}
TALLEST, REDRAWN_MS = 4500, 900
CUT = """() => {
  const scrolls = e => /auto|scroll/.test(getComputedStyle(e).overflowX);
  const inside = e => { for (let p = e.parentElement; p; p = p.parentElement)
    if (scrolls(p) && p.dataset.testid !== 'stMain' && p.scrollWidth > p.clientWidth) return true; return false; };
  const found = new Set();
  for (const e of document.querySelectorAll('[data-testid=stMain] *')) {
    if (!e.checkVisibility() || e.closest('svg, .katex-mathml, [data-testid=stDataFrame]')) continue;
    const box = e.getBoundingClientRect(), words = (e.innerText || e.tagName).trim().slice(0, 50);
    if (box.width > 1 && box.right > innerWidth + 1 && !inside(e)) found.add('past the edge: ' + words);
    if (!e.children.length && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1
      && getComputedStyle(e).overflowX !== 'visible' && !scrolls(e)
      && !(e.tagName === 'INPUT' && getComputedStyle(e).textOverflow === 'ellipsis')) found.add('cut short: ' + words);
  }
  return [...found].slice(0, 8);
}"""
"""What of a page is not seen, though nothing can be scrolled to it."""
OTHERS = ("", "papers")
"""Pages of one view."""


def main() -> None:
    options = _options()
    options.folder.mkdir(parents=True, exist_ok=True)
    scheme = "dark" if options.dark else "light"
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for view in (*OTHERS, *VIEWS):
            if not options.words or any(word in (view or "start") for word in options.words):
                page = browser.new_context(viewport=_size(options.widths[0]), color_scheme=scheme).new_page()
                page.goto(f"{options.server}/{view}")
                _wait(page, view)
                for width in options.widths:
                    _take(page, view, width, scheme, options)
                page.context.close()
        browser.close()


def _size(width: int) -> ViewportSize:
    return {"width": width, "height": HEIGHTS.get(width, 900)}


def _wait(page: Page, view: str) -> None:
    try:
        at_rest(page)
    except (Elsewhere, AssertionError):
        print(f"{view}: still at work", flush=True)


def _take(page: Page, view: str, width: int, scheme: str, options: argparse.Namespace) -> None:
    page.set_viewport_size(_size(width))
    page.wait_for_timeout(REDRAWN_MS)
    name = f"{re.sub('[^a-z0-9]+', '-', view.lower()).strip('-') or 'start'}-{width}-{scheme}"
    print(f"{view}, {width}: {page.evaluate(CUT) or 'all there'}", flush=True)
    if options.whole:
        tall = page.locator("[data-testid=stMain]").evaluate("e => e.scrollHeight")
        page.set_viewport_size({"width": width, "height": min(max(tall, HEIGHTS.get(width, 900)), TALLEST)})
        page.wait_for_timeout(REDRAWN_MS)
    page.screenshot(path=options.folder / f"{name}.png", timeout=PATIENT_MS)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("words", nargs="*", help="words of the addresses to open")
    parser.add_argument("--widths", type=int, nargs="+", default=[1920, 1280, 390], help="widest first")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--whole", action="store_true", help="as tall as the page, not the window")
    parser.add_argument("--server", default="http://127.0.0.1:8501")
    return parser.parse_args()


if __name__ == "__main__":
    main()
