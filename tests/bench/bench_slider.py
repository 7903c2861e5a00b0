"""How long the Design space page takes from a slider's move to the last redrawn part, over an empty page's rerun.

    python tests/bench/bench_slider.py [--pairs 6] [--dataset NAME --db FILE]

Both are measured in one Chromium, in turns: key presses on the first slider until the last change of
the page, on the sample `design_space` (or a dataset of yours) and on a page with a slider and one
line of text.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.bench.record import Line, record
from tests.browser.conftest import ROOT, find_chromium, free_port, wait_for

WORK = "Design space: a slider's move until the last part is redrawn"
EMPTY = """import streamlit as st

level = st.select_slider("level", [str(i) for i in range(8)], value="4")
st.write(f"level {level}")
"""
WATCH = """() => {
  const own = n => (n.nodeType === 1 ? n : n.parentElement)?.closest('[data-testid=stSlider]');
  new MutationObserver(seen => { for (const m of seen) if (!own(m.target)) window.last = performance.now(); })
    .observe(document.querySelector('[data-testid=stMainBlockContainer]'), {subtree: true, childList: true,
      characterData: true, attributes: true, attributeFilter: ['src']});
  document.addEventListener('keydown', () => { window.start = performance.now(); window.last = 0; }, true);
}"""


@contextmanager
def served(script: Path, folder: Path, database: Path) -> Iterator[str]:
    """Serve a script with Streamlit; gives its address."""
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    with (folder / f"{script.stem}.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--server.headless", "true"],
            cwd=ROOT,
            stdout=log,
            stderr=log,
            env={**os.environ, "RIDGELINE_DB": str(database)},
        )
        try:
            wait_for(f"http://127.0.0.1:{port}", lambda: process.poll() is None)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)


def open_sliders(page: Page, address: str, dataset: str) -> None:
    """Open the page where its sliders are, and wait until it stands still."""
    page.goto(f"{address}/design_space" + (f"?dataset={dataset}" if dataset else ""))
    if not dataset:
        page.get_by_role("button", name="Load the sample").click()
    page.get_by_role("slider").first.wait_for()
    page.wait_for_timeout(8000)


def redraw_ms(page: Page, presses: int = 9) -> float:
    """Return the median time from a key press on the first slider to the last change of the page."""
    page.evaluate(WATCH)
    page.get_by_role("slider").first.focus()
    times = []
    for i in range(presses):
        page.keyboard.press("ArrowRight" if i % 2 == 0 else "ArrowLeft")
        page.wait_for_function("window.last > 0")
        page.wait_for_timeout(1200)
        times.append(page.evaluate("window.last - window.start"))
    return statistics.median(times[1:])


def in_front(page: Page, presses: int) -> float:
    """Return the median time of a redraw, in milliseconds, of a page that is in front."""
    page.bring_to_front()
    return redraw_ms(page, presses)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=6, help="of presses, to the right and back")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dataset", default="")
    parser.add_argument("--db", default="")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        empty = folder / "empty.py"
        empty.write_text(EMPTY)
        database = Path(a.db) if a.db else folder / "bench.duckdb"
        path = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=path)
        with served(ROOT / "app.py", folder, database) as ours, served(empty, folder, database) as bare:
            size = {"width": 1280, "height": 900}
            page, other = (browser.new_context(viewport=size).new_page() for _ in range(2))
            page.set_default_timeout(60_000)
            open_sliders(page, ours, a.dataset)
            other.goto(bare)
            other.get_by_text("level 4").wait_for()
            n = page.get_by_role("slider").count()
            pairs = [(in_front(page, 2 * a.pairs), in_front(other, 2 * a.pairs)) for _ in range(a.rounds)]
        browser.close()
    for mine, theirs in pairs:
        print(f"{n} sliders: {mine:.0f} ms; empty page: {theirs:.0f} ms; ratio {mine / theirs:.2f}")
    mine, theirs = (statistics.median(times) / 1000 for times in zip(*pairs, strict=True))
    record(Line(WORK, mine, "s by the clock", "an empty page's slider", theirs, 2.0))


if __name__ == "__main__":
    main()
