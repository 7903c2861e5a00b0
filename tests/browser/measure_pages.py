"""How soon pages settle, as multiples of an empty page's rerun, and what is in view at 1280 x 900; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/measure_pages.py [REPEATS] [PAGE ...]

Each page is loaded and its most used control is moved some times, each after the page has come to rest; the median
counts. A page is at rest when nothing of it has changed for a while. Nothing is measured before what a page offers to
run has run and the jobs of a first visit have ended, which is when the server and its processes are idle. The
processor's time is the server's own.

Multiples are of a page of one slider whose server has imported this program and collects all its garbage after every
rerun; beside them stand those of the same page of a server that knows Streamlit alone. What such a page, without and
with a chart of two points, takes to load is what no page can go below.
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

from playwright.sync_api import Locator, Page, sync_playwright

from core.ingest import load_sample
from core.store import Store
from core.workspace import SAMPLES
from tests.bench.record import Line, record
from tests.browser.conftest import ROOT, few, find_chromium, free_port, wait_for

EMPTY = 'import streamlit as st\nst.write(st.slider("Value", 0, 1000, 1, key="value"))\n'
"""A page with one slider and nothing else."""
UNFROZEN = f"from pages._ui.heap import import_all\n{EMPTY}st.cache_resource(import_all)()\n"
"""The same where this program is imported."""
CHARTED = f'{EMPTY}st.plotly_chart({{"data": [{{"x": [1, 2], "y": [1, 2]}}]}})\n'
WATCH = """() => {
  window.changed = performance.now();
  new MutationObserver(() => { window.changed = performance.now(); })
    .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
QUIET_MS, PATIENT_S = 700, 60.0
IDLE_S, IDLE_SHARE, IDLE_PATIENT_S = 3.0, 0.05, 400.0
WIDTH, HEIGHT = 1280, 900
LOAD_TARGET = 4.0


Took = tuple[float, float]
"""Seconds until a page rests, and of the server's processor."""


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


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    chosen = [page for page in PAGES if page.name.split()[0] in sys.argv[2:] or len(sys.argv) < 3]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = Path(folder) / "pages.duckdb"
        fill(database)
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        bases = []
        for name, script in (("bare", EMPTY), ("bare, with a chart", CHARTED), ("of this program", UNFROZEN)):
            own = Path(folder) / "empty.py"
            own.write_text(script)
            with served(str(own), database) as (address, pid):
                _load(page, address)
                loads = _median([_timed(page, pid, lambda: _load(page, address)) for _ in range(repeats)])
                bases.append(_median([_moved(page, pid, page.locator(SLIDER)) for _ in range(2 * repeats)]))
            print(f"empty page {name}: slider {_seconds(bases[-1])}; load {_seconds(loads)}")
        print(
            "page, event | settled (target) | processor | by the bare page | answer px | control px | picture px | in view"
        )
        with served("app.py", database) as (address, pid):
            for one in chosen:
                _report(page, one, f"{address}/{one.path}", pid, bases[-1], bases[0], repeats)
        browser.close()


def _report(page: Page, one: Measured, url: str, pid: int, base: Took, bare: Took, repeats: int) -> None:
    _load(page, url)  # what is trained once, also behind the page, is there from now on
    if one.run and (button := page.locator(f".st-key-{one.run} button")).count():
        button.click()
    come_to_idle(pid)
    loads = _median([_timed(page, pid, lambda: _load(page, url)) for _ in range(repeats)])
    looked_at = (".st-key-answer", one.control.partition(" ")[0], one.picture)
    places = [_place(page.locator(selector).first) for selector in looked_at]
    control = page.locator(one.control)
    moves = _median([_moved(page, pid, control.nth(i % max(control.count(), 1))) for i in range(repeats)])
    seen = "all" if all(place[1] <= HEIGHT for place in places[:2]) and places[2][0] < 0.75 * HEIGHT else "NOT ALL"
    pixels = " | ".join(f"{top:.0f} to {bottom:.0f}" for top, bottom in places)
    for event, (seconds, processor), target in (("load", loads, LOAD_TARGET), ("control", moves, one.target)):
        what = f"page {one.name}, {event}: until it rests"
        record(
            Line(
                what,
                seconds,
                "s by the clock",
                "the slider of an empty page of this program",
                base[0],
                target,
                limit=f"{seen} in view at once",
            )
        )
        told = f"{seconds / base[0]:.1f} ({target:g}) | {processor / base[1]:.1f}"
        told += f" | {seconds / bare[0]:.1f}, {processor / bare[1]:.1f}"
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


def _moved(page: Page, pid: int, control: Locator) -> Took:
    """Return seconds until the page rests, and of the server's processor, after a control was moved."""

    def move() -> None:
        if control.get_attribute("type") == "range":
            control.press("ArrowRight")
        else:
            control.click()
        _come_to_rest(page, since=started)

    control.focus()
    started = page.evaluate("performance.now()")
    return _timed(page, pid, move)


def _timed(page: Page, pid: int, act: Callable[[], None]) -> Took:
    used = _processor_s(pid)
    before = time.perf_counter()
    act()
    rested = (page.evaluate("performance.now() - window.changed")) / 1000
    return time.perf_counter() - before - rested, _processor_s(pid) - used


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
    return f"{took[0]:.3f} s until it rests, {took[1]:.3f} s of the server's processor"


def _median(pairs: list[Took]) -> Took:
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


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
