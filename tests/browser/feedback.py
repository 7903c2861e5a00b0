"""How soon a page shows that a press was taken, and when it has settled, of every control of every view; by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/feedback.py [WORD ...] [--server http://127.0.0.1:8501]

Only views whose address has one of the words are opened, on a dashboard that is served already. Printed are the
controls that are late: taken after more than 100 ms, or at work for more than 300 ms without a bar, a spinner, the
sign of work at the top, or a picture that fades; and a line a view with the median and the latest.
"""

import argparse
import statistics
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from playwright.sync_api import Error, Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as Elsewhere

from tests.browser.addresses import VIEWS
from tests.browser.conftest import at_rest, find_chromium
from tests.browser.screens import OTHERS

TAKEN_MS, UNSAID_MS = 100.0, 300.0
QUIET_MS, PATIENT_S, MOST = 600.0, 30.0, 40
"""A page is at rest when nothing has changed for so long; so many controls of a view are pressed."""
WATCH = """() => {
  const seen = window.seen = {};
  const passing = /^(data-hovered|data-focused|data-focus-visible|data-pressed|data-active|style)$/;
  window.begin = () => Object.assign(seen, {pressed: 0, taken: 0, changed: 0, said: false});
  begin();
  for (const kind of ['click', 'keydown'])
    addEventListener(kind, () => { seen.pressed = seen.changed = performance.now(); seen.taken = 0; }, true);
  new MutationObserver(all => {
    if (!seen.pressed || all.every(m => m.type === 'attributes' && passing.test(m.attributeName))) return;
    seen.taken ||= performance.now();
    seen.changed = performance.now();
    const signs = '[data-testid=stProgress], [data-testid=stSpinner], [data-testid=stStatusWidget], [data-stale=true]';
    seen.said ||= Boolean(document.querySelector(signs));
  }).observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
MAIN = "[data-testid=stMain] "
CONTROLS = {
    "[role=tab][aria-selected=false]": "",
    "[data-testid=stButton] button": "",
    "[data-testid=stPopover] button": "",
    "[data-testid=stExpander] summary": "",
    "[data-testid=stCheckbox] label": "",
    "[data-testid=stButtonGroup] button[role=radio][aria-checked=false]": "",
    "[data-testid=stRadio] label": "",
    "[data-testid=stNumberInputStepUp]": "",
    "[data-testid=stSlider] [role=slider], [data-testid=stSlider] input[type=range]": "ArrowRight",
    "[data-testid=stSelectbox] input": "ArrowDown ArrowDown Enter",
    "[data-testid=stMultiSelect] input": "ArrowDown Enter",
}
"""What is pressed, and by which keys where it is not by a click."""
LEFT_ALONE = ("Delete", "Forget", "Stop", "Rename", "Restore", "Run", "Race", "Back up")
"""What is not pressed by the way."""


@dataclass(frozen=True)
class Pressed:
    """What came of a press, in milliseconds; taken is None where nothing was seen of it."""

    label: str
    taken: float | None
    settled: float
    said: bool

    @property
    def late(self) -> bool:
        """Whether somebody would wonder."""
        return self.taken is None or self.taken > TAKEN_MS or (self.settled > UNSAID_MS and not self.said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="words of the addresses to open")
    parser.add_argument("--server", default="http://127.0.0.1:8501")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for view in (*OTHERS, *VIEWS):
            if not options.words or any(word in (view or "start") for word in options.words):
                page = browser.new_page(viewport={"width": 1280, "height": 900})
                page.set_default_timeout(5_000)
                _tell(view, list(_pressed(page, f"{options.server}/{view}")))
                page.close()
        browser.close()


def _tell(view: str, found: list[Pressed]) -> None:
    taken = [one.taken for one in found if one.taken is not None]
    slow = [one for one in found if one.late]
    for one in slow:
        after = "not seen" if one.taken is None else f"taken after {one.taken:.0f} ms"
        print(f"    {one.label}: {after}, settled after {one.settled:.0f} ms{'' if one.said else ', nothing said'}")
    latest = f"taken after {statistics.median(taken):.0f} ms (median), {max(taken):.0f} (latest)" if taken else ""
    print(f"{view or 'start'}: {len(found)} pressed, {len(slow)} late; {latest}", flush=True)


def _pressed(page: Page, url: str) -> Iterator[Pressed]:
    """Press every control of a view, each on the page as the one before it left it; begin anew where that is another."""
    begun = _begin(page, url)
    for selector, keys in CONTROLS.items():
        for i in range(min(page.locator(MAIN + selector).count(), MOST)):
            control = page.locator(MAIN + selector).nth(i)
            with suppress(Error, Elsewhere):
                label = _label(control)
                if control.is_enabled() and not any(word in label for word in LEFT_ALONE):
                    yield _press(page, control, keys, label)
                    page.keyboard.press("Escape")
            if page.url.partition("?")[0] != begun:
                begun = _begin(page, url)


def _begin(page: Page, url: str) -> str:
    page.goto(url)
    with suppress(Elsewhere, AssertionError):
        at_rest(page)
    page.evaluate(WATCH)
    return page.url.partition("?")[0]


def _label(control: Locator) -> str:
    said = (
        control.get_attribute("aria-label")
        or control.inner_text()
        or control.evaluate("e => e.closest('[data-testid=stElementContainer]')?.innerText ?? e.tagName")
    )
    return " ".join(said.split())[:60]


def _press(page: Page, control: Locator, keys: str, label: str) -> Pressed:
    control.scroll_into_view_if_needed()
    page.evaluate("begin()")
    if keys:
        control.focus()
        for key in keys.split():
            page.keyboard.press(key)
    else:
        control.click()
    ends = time.monotonic() + PATIENT_S
    while time.monotonic() < ends:
        seen = page.evaluate("({...seen, now: performance.now()})")
        if seen["pressed"] and seen["now"] - max(seen["pressed"], seen["changed"]) > QUIET_MS:
            break
        time.sleep(0.05)
    taken = seen["taken"] - seen["pressed"] if seen["taken"] else None
    return Pressed(label, taken, seen["changed"] - seen["pressed"], seen["said"])


if __name__ == "__main__":
    main()
