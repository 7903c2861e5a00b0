"""The Compare page in a real browser: raced, stopped, the server ended, gone on with, a row clicked, a model kept."""

import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from core.cli import main
from core.progress import Progress, silent
from core.race import race
from core.race.race import Place, Track
from core.race.result import Run
from tests.browser.conftest import served, settle, window

pytestmark = pytest.mark.browser

QUICK = ("nnls", "ridge", "stepwise", "ols_forward_bic")


def hold() -> None:
    """Let a server stay in the middle of a race, however fast it is."""
    original, begun = race.run_entry, list[Place]()

    def run_entry(track: Track, place: Place, progress: Progress = silent) -> Run:
        begun.append(place)
        while len(begun) > 6:
            progress(0.0, "held")
            time.sleep(0.05)
        return original(track, place, progress)

    race.run_entry = run_entry


def write_trials(folder: Path) -> Path:
    """Workloads on an old and a new machine, with two counters and a time."""
    rng = np.random.default_rng(4)
    rows = []
    for app in range(5):
        for size in range(14):
            work, traffic = np.exp(rng.uniform(2, 7, 2))
            for machine, speed in (("old", 1.0), ("new", 2.5)):
                time_s = (work + 3 * traffic) / speed * np.exp(0.03 * rng.standard_normal())
                rows.append((f"app{app}", f"size{size}", machine, work, traffic, time_s))
    path = folder / "hosts.csv"
    names = ["application", "input", "machine", "loads", "stores", "time_s"]
    pd.DataFrame(rows, columns=names).to_csv(path, index=False)
    return path


def opened(browser: Browser, address: str) -> Page:
    page = window(browser)
    page.goto(address)
    return page


def start_race(page: Page, name: str) -> None:
    expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name=name, exact=True).click()


def test_a_race_survives_tab_and_server_and_ends_in_a_model(browser: Browser, tmp_path: Path) -> None:
    database = tmp_path / "race.duckdb"
    columns = ("application", "input", "machine")
    words = [word for name in columns for word in (f"--{name}", name)]
    imported = ["import", str(write_trials(tmp_path)), "--dataset", "hosts", *words, "--response", "time_s:s"]
    assert main(["--db", str(database), *imported]) == 0
    chosen = "&".join(f"entry={name}" for name in QUICK)
    address = f"compare?host=old&target=new&entries=Chosen&{chosen}"

    # Started in one tab, which is closed; another one sees the same race.
    with served(database, hold) as server:
        page = opened(browser, f"{server}/{address}")
        start_race(page, "Race")
        expect(page.get_by_text(re.compile(r"[1-9]\d* of \d+ runs are done"))).to_be_visible()
        page.context.close()
        page = opened(browser, f"{server}/{address}")
        # Streamlit's own Stop, which ends a rerun, is in the header.
        expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop")).to_be_visible()

    # The server was ended in the middle of the race, at once, and goes on from there.
    page.context.close()
    with served(database) as server:
        page = opened(browser, f"{server}/{address}")
        expect(page.get_by_text(re.compile(r"\d+ of \d+ runs are done and kept"))).to_be_visible()
        start_race(page, "Go on")
        expect(page.get_by_role("button", name="Race again")).to_be_visible()
        expect(page.get_by_text(re.compile("^Winner: "))).to_be_visible()
        settle(page)

        # A row leads to its model, which is kept.
        table = page.get_by_test_id("stDataFrame").first
        table.evaluate("e => e.scrollIntoView({block: 'end'})")  # below the answer, which stays
        settle(page)
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 18, box["y"] + 38 + 35 * 3 - 15)
        expect(page.get_by_role("tab", name="One model")).to_have_attribute("aria-selected", "true")
        settle(page)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        page.get_by_role("button", name="Keep this model").click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text(re.compile("It is on the Models page")).first).to_be_visible()
        page.context.close()
