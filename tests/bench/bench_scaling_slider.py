"""How long the Scaling page takes from a slider's move to the last redrawn part, over an empty page's rerun.

    python tests/bench/bench_scaling_slider.py [--kernels 300] [--levels 10,9,10] [--pairs 6] [--rounds 3]

The study is made here: 300 kernels × 900 configurations with time and power, as trials of a
database. The view is Predict: value and interval, curves along each axis, the map over two, the front
and the nearest kernels follow the slider. Both pages are measured in one Chromium, in turns: a key
press until the last change of the page, here and on a page with a slider and one line of text.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.scaling.predictors import PREDICTORS
from core.store import Store
from core.trial import Import, Trials
from tests.bench.bench_slider import EMPTY, in_front, served
from tests.bench.record import Line, record
from tests.browser.conftest import ROOT, find_chromium
from tests.scaling.made import made_study

WORK = "Scaling: a slider's move until the last part is redrawn"


def fill(database: Path, kernels: int, levels: tuple[int, int, int]) -> None:
    """Put the trials of a made study into a database."""
    study = made_study(kernels, levels)
    n, m = study.n_kernels, study.n_configurations
    columns = [np.tile(study.grid, (n, 1)), *(v.reshape(-1, 1) for v in study.values)]
    table = np.hstack([*columns, np.broadcast_to(study.counts, (n, m, len(study.counters))).reshape(n * m, -1)])
    names = tuple(np.repeat(np.array(study.kernels, dtype=object), m))
    metrics = (*study.axes, *study.responses, *study.counters)
    trials = Trials(names, ("",) * len(names), ("gpu",) * len(names), metrics, table)
    with Store.open(database) as store:
        store.add("study", Import(source="made", sha256="made", format="csv", trials=trials))


def open_prediction(page: Page, address: str, predictor: str) -> None:
    """Open the view Predict and wait until a model is trained and the page stands still."""
    chosen = {
        "dataset": "study",
        "response": "time_s",
        "scaling_view": "Predict",
        "scaling_folds": "holdout:20%",
        "scaling_predictor": PREDICTORS[predictor].label,
    }
    page.goto(f"{address}/scaling?{urlencode(chosen)}")
    page.get_by_role("slider").first.wait_for(timeout=300_000)
    page.wait_for_timeout(8000)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=int, default=300)
    parser.add_argument("--levels", default="10,9,10", help="of cores, clock and bandwidth")
    parser.add_argument("--predictor", default="extra_trees")
    parser.add_argument("--pairs", type=int, default=6, help="of presses, to the right and back")
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_args()
    first, second, third = (int(x) for x in a.levels.split(","))
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(made)
        empty, database = folder / "empty.py", folder / "bench.duckdb"
        empty.write_text(EMPTY)
        fill(database, a.kernels, (first, second, third))
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright.chromium.executable_path))
        with served(ROOT / "app.py", folder, database) as ours, served(empty, folder, database) as bare:
            size = {"width": 1280, "height": 900}
            page, other = (browser.new_context(viewport=size).new_page() for _ in range(2))
            page.set_default_timeout(60_000)
            open_prediction(page, ours, a.predictor)
            other.goto(bare)
            other.get_by_text("level 4").wait_for()
            pairs = [(in_front(page, 2 * a.pairs), in_front(other, 2 * a.pairs)) for _ in range(a.rounds)]
        browser.close()
    print(f"{a.kernels} kernels × {first * second * third} configurations, {a.predictor}:")
    for mine, theirs in pairs:
        print(f"a slider's move: {mine:.0f} ms; empty page: {theirs:.0f} ms; ratio {mine / theirs:.2f}")
    mine, theirs = (statistics.median(times) / 1000 for times in zip(*pairs, strict=True))
    record(Line(WORK, mine, "s by the clock", "an empty page's slider", theirs, 2.0))


if __name__ == "__main__":
    main()
