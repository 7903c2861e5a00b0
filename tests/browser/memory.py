"""The server's memory after the first tab, after ten tabs and 500 presses, and over minutes of use; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/memory.py [MINUTES]

Ten tabs, in turn, press the controls of the pages that are played with, and now and then go elsewhere. With MINUTES
they go on for so long: what is told then, every ten, is how much was added from minute ten on.
"""

import random
import sys
import tempfile
import time
from pathlib import Path

from core.ingest import load_sample
from core.workspace import SAMPLES
from tests.browser.visitors import GO_ELSEWHERE, PAGES, SAMPLES_SHOWN, visit
from tests.prove.dashboard import Dashboard, served
from tests.prove.tab import Tab

TABS, PRESSES, GOAL = 10, 500, 1.3
SETTLED_MINUTES = 10
WORKERS_BYTES = 100 * 2**20
"""What processes beside the server's own hold at most where nothing is computed in them."""


def main() -> None:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    imports = {name: load_sample(SAMPLES / name) for name in SAMPLES_SHOWN}
    draw, names = random.Random(0), list(PAGES)
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "memory", imports) as (dashboard, _):
        first = Tab(dashboard.address)
        for name in names:  # what is trained once is there from now on
            visit(first, name, draw)
        one = _alone(dashboard)
        tabs = [first, *(Tab(dashboard.address) for _ in range(TABS - 1))]
        open_at = [names[k % len(names)] for k in range(TABS)]
        for tab, name in zip(tabs, open_at, strict=True):
            visit(tab, name, draw)
        for _ in range(PRESSES // TABS):
            _round(tabs, open_at, draw)
        many = _alone(dashboard)
        print(
            f"first tab {one:.0f} MB; {TABS} tabs and {PRESSES} presses {many:.0f} MB: {many / one:.2f} x", flush=True
        )
        print(f"goal: below {GOAL:g} x", flush=True)
        started, settled, presses = time.monotonic(), many, 0
        for minute in range(10, int(minutes) + 1, 10):
            while time.monotonic() - started < 60 * minute:
                _round(tabs, open_at, draw)
                presses += TABS
            now = _alone(dashboard)
            settled = now if minute == SETTLED_MINUTES else settled
            print(f"after {minute} minutes and {presses:,} presses {now:.0f} MB, {now - settled:+.0f}", flush=True)


def _alone(dashboard: Dashboard) -> float:
    """Return the megabytes once nothing is looked for behind a page any more: that has processes, which end with it."""
    while sum(process.memory_info().rss for process in dashboard._own()) > WORKERS_BYTES:
        time.sleep(1.0)
    return dashboard.megabytes()


def _round(tabs: list[Tab], open_at: list[str], draw: random.Random) -> None:
    """Press once in every tab, or go to another page there."""
    for k, tab in enumerate(tabs):
        if draw.random() < GO_ELSEWHERE:
            open_at[k] = draw.choice(list(PAGES))
            visit(tab, open_at[k], draw)
        else:
            PAGES[open_at[k]][1](tab, draw)


if __name__ == "__main__":
    main()
