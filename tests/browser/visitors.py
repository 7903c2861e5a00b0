"""Visitors who press something every second or two, over the websocket: how soon they are answered; run by hand.

    PYTHONPATH=. .venv/bin/python tests/browser/visitors.py [VISITORS] [SECONDS]

Each looks at one of the pages that are played with and moves its control, and now and then goes to another page. Printed
are the seconds until a page stood again, what a press cost of the server's processor, and the server's memory: after
the first tab, as everybody had arrived, and at the end.
"""

import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

from core.ingest import load_sample
from core.trial import Import
from core.workspace import SAMPLES
from tests.prove.dashboard import served
from tests.prove.tab import Tab

SAMPLES_SHOWN = ("generations", "design_space", "scaling")


def clusters(tab: Tab, draw: random.Random) -> float:
    """Move the number of clusters on Explore."""
    return tab.set("number_input", "explore_clusters", double_value=draw.randint(2, 9))


def threshold(tab: Tab, draw: random.Random) -> float:
    """Drag the threshold on Model."""
    return _slide(tab, "eiger_threshold", draw)


def parameter(tab: Tab, draw: random.Random) -> float:
    """Drag a parameter of the design."""
    return _slide(tab, "at_dispatch_width", draw)


def target(tab: Tab, draw: random.Random) -> float:
    """Drag the configuration whose time is predicted."""
    return _slide(tab, "target_memory_queues", draw)


def _slide(tab: Tab, key: str, draw: random.Random) -> float:
    options = list(tab.the("slider", key).options)
    return tab.set("slider", key, string_array_value={"data": [draw.choice(options)]})


PAGES: dict[str, tuple[str, Callable[[Tab, random.Random], float]]] = {
    "explore": ("dataset=generations", clusters),
    "model": ("dataset=generations&eiger_threshold_given=true&eiger_threshold=0.003", threshold),
    "design_space": ("dataset=design_space", parameter),
    "scaling": ("dataset=scaling&scaling_view=Predict", target),
}
"""What each page is opened with, and what is pressed on it."""
GO_ELSEWHERE = 0.05
"""How often a visitor does not press, but goes to another page."""


def visit(tab: Tab, page: str, draw: random.Random) -> None:
    """Open a page and wait until its control is there: a model may have to be trained first."""
    query, press = PAGES[page]
    tab.visit(page, query)
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        try:
            press(tab, draw)
            return
        except LookupError:
            tab.stay(1.0)


def stay(address: str, k: int, ends: Callable[[], float], answers: dict[str, list[float]]) -> None:
    """Be visitor k until the end."""
    draw = random.Random(k)
    tab, page = Tab(address), list(PAGES)[k % len(PAGES)]
    visit(tab, page, draw)
    while time.monotonic() < ends():
        tab.stay(draw.uniform(1.0, 2.0))
        if draw.random() < GO_ELSEWHERE:
            page = draw.choice(list(PAGES))
            visit(tab, page, draw)
        else:
            answers[page].append(PAGES[page][1](tab, draw))
    tab.close()


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 120.0
    imports: dict[str, Import] = {name: load_sample(SAMPLES / name) for name in SAMPLES_SHOWN}
    answers: dict[str, list[float]] = {page: [] for page in PAGES}
    with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "visited", imports) as (dashboard, _):
        server = psutil.Process(dashboard._process.pid)
        for page in PAGES:  # what is trained once is there from now on
            visit(Tab(dashboard.address), page, random.Random(0))
        first = dashboard.megabytes()
        end = time.monotonic() + seconds
        threads = [threading.Thread(target=stay, args=(dashboard.address, k, lambda: end, answers)) for k in range(n)]
        for thread in threads:
            thread.start()
        time.sleep(seconds / 3)
        arrived, used, pressed = dashboard.megabytes(), sum(server.cpu_times()[:2]), sum(map(len, answers.values()))
        for thread in threads:
            thread.join()
        used, pressed = sum(server.cpu_times()[:2]) - used, sum(map(len, answers.values())) - pressed
        memory = (first, arrived, dashboard.megabytes())
    every = [seconds for page in answers.values() for seconds in page]
    print(f"{n} visitors for {seconds:g} s: {len(every)} presses, {pressed / (2 * seconds / 3):.1f} a second")
    print(f"answered after {np.median(every):.2f} s (median), {np.quantile(every, 0.95):.2f} s (95 %)")
    for page, own in answers.items():
        print(f"  {page}: {np.median(own):.2f} s of {len(own)}")
    print(f"processor of the server: {used / max(pressed, 1):.3f} s a press, all told")
    print("memory, MB: first tab {:.0f}, at a third {:.0f}, at the end {:.0f}".format(*memory))


if __name__ == "__main__":
    main()
