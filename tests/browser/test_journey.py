"""One journey in a real browser: sample, upload, model, download, and the same numbers on the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from core.cli import main
from tests.browser.conftest import commanded, downloaded, settle
from tests.conftest import machine_frame

pytestmark = pytest.mark.browser


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database that the dashboard makes, with its first sample in it."""
    return tmp_path / "journey.duckdb"


@pytest.fixture
def server(database: Path) -> Iterator[str]:
    with commanded(database) as address:
        yield address


def write_trials(folder: Path) -> Path:
    """A counter CSV of somebody's own: applications on machines, with their metrics and time."""
    frame = machine_frame(10, 5)
    table = pd.DataFrame(frame.X, columns=list(frame.names))
    table.insert(0, "program", frame.labels["application"])
    table.insert(1, "gpu", frame.labels["machine"])
    table["time (ms)"] = frame.y * 1e3
    path = folder / "mine.csv"
    table.to_csv(path, index=False)
    return path


def go_to(page: Page, name: str) -> None:
    page.locator("[data-testid=stSidebar]").get_by_text(name, exact=True).first.click()
    expect(page.get_by_role("heading", name=name, exact=True, level=1)).to_be_visible()
    settle(page)


def set_threshold(page: Page) -> None:
    """Set the third threshold below the middle, 0.0005, in place of the automatic one."""
    page.get_by_text("Use threshold", exact=True).click()
    settle(page)
    page.get_by_role("slider", name="Threshold").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"threshold=0\.0005"))  # the last of three runs has begun
    settle(page)


def test_from_a_csv_in_the_browser_to_a_model_in_hand(page: Page, server: str, tmp_path: Path) -> None:
    # The dashboard opens on real measurements.
    page.goto(server)
    expect(page.get_by_role("heading", name="Start", exact=True, level=1)).to_be_visible()
    go_to(page, "Trials")
    expect(page.get_by_text("4,173").first).to_be_visible()

    # A CSV of one's own, mapped and imported.
    trials = write_trials(tmp_path)
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files(trials)
    expect(page.get_by_text("mine.csv").first).to_be_visible()
    settle(page)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("50 trials").first).to_be_visible()
    settle(page)

    # The model, term by term.
    go_to(page, "Model")
    page.goto(f"{server}/model?dataset=mine&folds=by%3Amachine")
    settle(page)
    expect(page.get_by_text("Predicting time (ms)").first).to_be_visible()
    expect(page.locator("[data-testid=stSidebar] a[href*='compare?dataset=mine']")).to_be_visible()
    page.get_by_role("tab", name="Selection").click()
    settle(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()

    # A threshold of one's own in place of the automatic one, and the choice is in the address.
    set_threshold(page)

    # Download, and the command line reads it.
    page.get_by_role("button", name="Save as …").click()
    button = page.get_by_role("button", name="Download JSON")
    expect(button).to_have_count(1)
    model = downloaded(page, button, tmp_path / "model.json")
    document = json.loads(model.read_text())
    assert document["format"] == "ridgeline-model"
    assert document["response"]["name"] == "time"
    assert document["provenance"]["options"]["threshold"] == 0.0005
    out = tmp_path / "predictions.csv"
    assert main(["predict", str(model), str(trials), "--out", str(out)]) == 0
    by_command = pd.read_csv(out)
    assert len(by_command) == 50

    # The same file and the same model in the browser give the same numbers.
    go_to(page, "Models")
    page.get_by_role("tab", name="Predict from a file").click()
    settle(page)
    page.locator(".st-key-upload_model input[type=file]").set_input_files(model)
    settle(page)
    page.locator(".st-key-upload_rows input[type=file]").set_input_files(trials)
    settle(page)
    there = downloaded(page, page.get_by_role("button", name="Predictions as CSV"), tmp_path / "there.csv")
    in_browser = pd.read_csv(there)
    assert by_command["prediction"].tolist() == in_browser["prediction"].tolist()
    assert by_command["low"].tolist() == in_browser["low"].tolist()
