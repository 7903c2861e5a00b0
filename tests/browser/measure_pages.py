"""How soon pages settle, as multiples of an empty page's rerun, and what is in view at 1280 x 900; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/measure_pages.py [REPEATS] [PAGE ...]

Each page is loaded and its most used control is moved some times, each after the page has come to rest; the median
counts. A page is at rest when nothing of it that can be seen has changed for a while: what stands within a canvas, and
follows its table after a fifth of a second, is read out and not drawn. Nothing is measured before what a page offers to
run has run and the jobs of a first visit have ended, which is when the server and its processes are idle. The
processor's time is the server's own, and that of the thread in which the browser draws.

Multiples are of a page of one slider whose server has imported this program and collects all its garbage after every
rerun; it is moved before each load and each move that is measured, so that what else the machine does slows both.
What such a page, of a server that knows Streamlit alone, without and with a chart of two points, takes to load is what
no page can go below.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs

from playwright.sync_api import CDPSession, Locator, Page, sync_playwright

from core.ingest import load_sample
from core.store import Store
from core.workspace import SAMPLES
from tests.bench.record import Line, record
from tests.browser.conftest import ROOT, few, find_chromium, free_port, wait_for

EMPTY = 'import streamlit as st\nst.write(st.slider("Value", 0, 1000, 1, key="value"))\n'
"""A page with one slider and nothing else."""
UNFROZEN = f"from pages._ui.server import import_all\n{EMPTY}st.cache_resource(import_all)()\n"
"""The same where this program is imported."""
CHARTED = f'{EMPTY}st.plotly_chart({{"data": [{{"x": [1, 2], "y": [1, 2]}}]}})\n'
WATCH = """() => {
  window.changed = performance.now();
  const within = record => record.target.nodeType === 1 ? record.target : record.target.parentElement;
  const seen = record => !within(record)?.closest("canvas");
  new MutationObserver(records => { if (records.some(seen)) window.changed = performance.now(); })
    .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
QUIET_MS, PATIENT_S = 700, 60.0
IDLE_S, IDLE_SHARE, IDLE_PATIENT_S = 3.0, 0.05, 400.0
WIDTH, HEIGHT = 1280, 900
LOAD_TARGET = 4.0


Took = tuple[float, float, float]
"""Seconds until a page rests, of the server's processor, and of the browser's."""


@dataclass(frozen=True)
class Measured:
    """A page with what is moved on it, what is looked at, and what is pressed before it has something to show."""

    path: str
    control: str
    picture: str
    target: float = 2.0
    run: str = ""

    @property
    def name(self) -> str:
        """The page, and its view where it is not the first."""
        return " ".join((self.path.partition("?")[0], *parse_qs(self.path).get("compare_view", ())))


SLIDER, STEP = "input[type=range]", "[data-testid=stNumberInputStepUp]"
OTHER = "[role=radio][aria-checked=false]"
CHART, IMAGE = ".st-key-picture .stPlotlyChart", ".st-key-picture [data-testid=stImage]"
PAGES = (
    Measured("explore", f".st-key-explore_clusters {STEP}", CHART, 3.0),
    Measured("model?eiger_threshold_given=true&eiger_threshold=0.003", f".st-key-eiger_threshold {SLIDER}", CHART, 3.0),
    Measured("design_space?dataset=design_space", f".st-key-at_dispatch_width {SLIDER}", IMAGE),
    Measured("scaling?dataset=scaling&scaling_view=Predict", f".st-key-target_memory_queues {SLIDER}", IMAGE),
    Measured("compare?dataset=few", f".st-key-within {SLIDER}", CHART, run="race"),
    Measured("compare?dataset=few&compare_view=Side+by+side", ".st-key-models [data-tag] button", CHART, run="race"),
    Measured("compare?dataset=few&compare_view=One+model", f".st-key-part {OTHER}", CHART, run="race"),
    Measured("experiments?dataset=few", f".st-key-experiment_folds {OTHER}", CHART, run="run_experiment"),
)
"""What is run is run to its end on few trials before anything is measured."""


@dataclass(frozen=True)
class Tab:
    """A page of the browser, the process that serves it, and what tells how long the browser has worked on it."""

    page: Page
    pid: int
    session: CDPSession

    @classmethod
    def of(cls, page: Page, pid: int) -> "Tab":
        """Return a page whose work is counted from now on."""
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        return cls(page, pid, session)

    def load(self, url: str) -> Took:
        """Return what a load takes."""
        return self._timed(lambda: _load(self.page, url), anew=True)

    def move(self, control: Locator) -> Took:
        """Return what it takes until the page rests after a control was moved."""
        control.focus()
        started = self.page.evaluate("performance.now()")

        def move() -> None:
            if control.get_attribute("type") == "range":
                control.press("ArrowRight")
            else:
                control.click()
            _come_to_rest(self.page, since=started)

        return self._timed(move)

    def _timed(self, act: Callable[[], None], *, anew: bool = False) -> Took:
        served, drawn = _processor_s(self.pid), 0.0 if anew else self._drawn_s()
        before = time.perf_counter()
        act()
        rested = (self.page.evaluate("performance.now() - window.changed")) / 1000
        return time.perf_counter() - before - rested, _processor_s(self.pid) - served, self._drawn_s() - drawn

    def _drawn_s(self) -> float:
        """Return how long the browser has worked on this page since it was loaded."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return float(next(metric["value"] for metric in found if metric["name"] == "TaskDuration"))


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    chosen = [page for page in PAGES if page.name.split()[0] in sys.argv[2:] or len(sys.argv) < 3]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database, empty = Path(folder) / "pages.duckdb", Path(folder) / "empty.py"
        fill(database)
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for name, script in (("", EMPTY), (", with a chart", CHARTED)):
            empty.write_text(script)
            with served(str(empty), database) as (address, pid):
                tab = Tab.of(page, pid)
                tab.load(address)
                print(f"empty page{name}: load {_seconds(_median([tab.load(address) for _ in range(repeats)]))}")
        empty.write_text(UNFROZEN)
        print("page, event | settled (target) | processor | browser | answer px | control px | picture px | in view")
        with served(str(empty), database) as (plain, beside), served("app.py", database) as (address, pid):
            still = browser.new_page()
            still.goto(plain)
            base = Tab.of(still, beside)
            still.evaluate(WATCH)
            base.move(still.locator(SLIDER))
            for one in chosen:
                _report(Tab.of(page, pid), base, one, f"{address}/{one.path}", repeats)
        browser.close()


def _report(tab: Tab, base: Tab, one: Measured, url: str, repeats: int) -> None:
    page, slider = tab.page, base.page.locator(SLIDER)
    _load(page, url)  # what is trained once, also behind the page, is there from now on
    if one.run and (button := page.locator(f".st-key-{one.run} button")).count():
        button.click()
    come_to_idle(tab.pid)
    tab.load(url)
    loads = [(base.move(slider), tab.load(url)) for _ in range(repeats)]
    looked_at = (".st-key-answer", one.control.partition(" ")[0], one.picture)
    places = [_place(page.locator(selector).first) for selector in looked_at]
    control = page.locator(one.control)
    moves = [(base.move(slider), tab.move(control.nth(i % max(control.count(), 1)))) for i in range(repeats)]
    seen = "all" if all(place[1] <= HEIGHT for place in places[:2]) and places[2][0] < 0.75 * HEIGHT else "NOT ALL"
    pixels = " | ".join(f"{top:.0f} to {bottom:.0f}" for top, bottom in places)
    for event, pairs, target in (("load", loads, LOAD_TARGET), ("control", moves, one.target)):
        least, (seconds, processor, drawn) = _median([a for a, _ in pairs]), _median([b for _, b in pairs])
        what, limit = f"page {one.name}, {event}: until it rests", f"{seen} in view at once"
        peer = "the slider of an empty page of this program"
        record(Line(what, seconds, "s by the clock", peer, least[0], target, limit=limit))
        told = f"{seconds / least[0]:.1f} ({target:g}) | {processor / least[1]:.1f} | {drawn / least[2]:.1f}"
        told += f", {drawn:.3f} s"
        print(f"{one.name}, {event} | {told} | {pixels} | {seen}", flush=True)


def _place(found: Locator) -> tuple[float, float]:
    """Return where something begins and ends from the top of the window; far below it where it is not there."""
    box = found.bounding_box() if found.count() else None
    return (9999.0, 9999.0) if box is None else (box["y"], box["y"] + box["height"])


def _load(page: Page, url: str) -> None:
    page.goto(url)
    page.evaluate(WATCH)
    page.locator("[data-testid=stMain] [data-testid=stVerticalBlock]").first.wait_for(timeout=1000 * PATIENT_S)
    _come_to_rest(page, since=0.0)


def _come_to_rest(page: Page, since: float, quiet_ms: float = QUIET_MS) -> None:
    """Wait until something has changed since a moment, and nothing any more for a while."""
    ends = time.monotonic() + PATIENT_S
    while time.monotonic() < ends:
        time.sleep(0.05)
        changed, now = page.evaluate("[window.changed, performance.now()]")
        if changed > since and now - changed > quiet_ms:
            return


def come_to_idle(pid: int) -> None:
    """Wait until a server and its processes have used next to nothing of the processor for a while."""
    ends, busy = time.monotonic() + IDLE_PATIENT_S, True
    while busy and time.monotonic() < ends:
        used = _all_processor_s(pid)
        time.sleep(IDLE_S)
        busy = abs(_all_processor_s(pid) - used) > IDLE_SHARE * IDLE_S


def _all_processor_s(pid: int) -> float:
    """Return the processor's seconds of a process and those it has started, as far as they live."""
    with suppress(OSError):
        children = [
            int(child) for of in Path(f"/proc/{pid}/task").glob("*/children") for child in of.read_text().split()
        ]
        return _processor_s(pid) + sum(map(_all_processor_s, children))
    return 0.0


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _seconds(took: Took) -> str:
    return "{:.3f} s until it rests, {:.3f} s of the server's processor, {:.3f} s of the browser's".format(*took)


def _median(took: list[Took]) -> Took:
    rests, served, drawn = (statistics.median(values) for values in zip(*took, strict=True))
    return rests, served, drawn


def fill(database: Path) -> None:
    """Store the samples, and few trials of one."""
    with Store.open(database) as store:
        for sample in ("generations", "design_space", "scaling"):
            store.add(sample, load_sample(SAMPLES / sample))
        store.add("few", few(load_sample(SAMPLES / "generations")))


@contextmanager
def served(script: str, database: Path) -> Iterator[tuple[str, int]]:
    """Serve a script; give its address and the server's process."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), "--server.headless=true"]
    environment = {**os.environ, "RIDGELINE_DB": str(database), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}", lambda: process.poll() is None)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    main()
