"""The Compare page in a real browser: raced, stopped, the server ended, gone on with, a row clicked, a model kept."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, free_port, wait_for
from tests.browser.test_journey import settle

pytestmark = pytest.mark.browser

QUICK = ("nnls", "ridge", "stepwise", "ols_forward_bic")
HELD = """
import time
from core.race import race

original, begun = race.run_entry, []

def run_entry(track, place, progress):
    begun.append(place)
    while len(begun) > 6:
        progress(0.0, "held")
        time.sleep(0.05)
    return original(track, place, progress)

race.run_entry = run_entry
"""
"""A server that stays in the middle of a race, however fast it is; Python runs this where it starts."""


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


def serve(database: Path, port: int, first: Path = ROOT) -> subprocess.Popen[bytes]:
    """Start a server whose Python looks for modules in a folder first."""
    command = [sys.executable, "-m", "core.cli", "app", "--port", str(port), "--no-browser"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "RIDGELINE_DB": str(database), "PYTHONPATH": os.pathsep.join((str(first), str(ROOT)))},
    )
    wait_for(f"http://127.0.0.1:{port}", process)
    return process


def start_race(page: Page, name: str) -> None:
    expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    page.get_by_role("button", name=name, exact=True).click()


def test_a_race_survives_tab_and_server_and_ends_in_a_model(browser: Browser, tmp_path: Path) -> None:
    database, port = tmp_path / "race.duckdb", free_port()
    subprocess.run(
        [
            sys.executable,
            "-m",
            "core.cli",
            "import",
            str(write_trials(tmp_path)),
            "--dataset",
            "hosts",
            "--application",
            "application",
            "--input",
            "input",
            "--machine",
            "machine",
            "--response",
            "time_s:s",
        ],
        cwd=ROOT,
        check=True,
        env={**os.environ, "RIDGELINE_DB": str(database)},
        stdout=subprocess.DEVNULL,
    )
    chosen = "&".join(f"entry={name}" for name in QUICK)
    address = f"http://127.0.0.1:{port}/compare?host=old&target=new&entries=Chosen&{chosen}"
    (tmp_path / "sitecustomize.py").write_text(HELD)
    process = serve(database, port, tmp_path)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        # Started in one tab, which is closed; another one sees the same race.
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(address)
        start_race(page, "Race")
        expect(page.get_by_text(re.compile(r"[1-9]\d* of \d+ runs are done"))).to_be_visible()
        page.close()
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(address)
        # Streamlit's own Stop, which ends a rerun, is in the header.
        expect(page.get_by_test_id("stMain").get_by_role("button", name="Stop")).to_be_visible()

        # The server is ended in the middle of the race, at once, and goes on from there.
        process.terminate()
        process.wait(timeout=30)
        process = serve(database, port)
        page.goto(address)
        expect(page.get_by_text(re.compile(r"\d+ of \d+ runs are done and kept"))).to_be_visible()
        start_race(page, "Go on")
        expect(page.get_by_role("button", name="Race again")).to_be_visible()
        expect(page.get_by_text(re.compile("^Winner: "))).to_be_visible()
        settle(page)

        # A row leads to its model, which is kept.
        table = page.get_by_test_id("stDataFrame").first
        table.wait_for()
        table.evaluate("e => e.scrollIntoView({block: 'end'})")  # below the answer, which stays
        page.wait_for_timeout(1500)
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 18, box["y"] + 38 + 35 * 3 - 15)
        expect(page.get_by_role("tab", name="One model")).to_have_attribute("aria-selected", "true")
        settle(page)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        page.get_by_role("button", name="Keep this model").click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text(re.compile("It is on the Models page")).first).to_be_visible()
    finally:
        context.close()
        process.terminate()
        process.wait(timeout=30)
