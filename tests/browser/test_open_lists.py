"""A list that is open stays open when a job that ends draws the page anew above it."""

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.progress import Progress
from core.race.auto import Automatic
from core.recipes.auto import Auto
from core.trial import Frame
from pages._model import answer
from tests.browser.conftest import PATIENT_MS, served, settle

pytestmark = pytest.mark.browser


def hold(go: Path) -> None:
    """Let a server begin its search for the best model once a file is there."""
    original = answer.automatic

    def automatic(frame: Frame, own: Auto, dataset: str, progress: Progress) -> Automatic:
        while not go.exists():
            progress(0.0, "held")
            time.sleep(0.05)
        return original(frame, own, dataset, progress)

    answer.automatic = automatic


@pytest.fixture
def server(database: Path, tmp_path: Path) -> Iterator[str]:
    with served(database, partial(hold, tmp_path / "go")) as address:
        yield address


def test_an_open_list_stays_open_when_a_job_ends(page: Page, server: str, tmp_path: Path) -> None:
    page.goto(f"{server}/model?recipe=ridge")
    job = page.get_by_text("Looking for the best model")
    job.first.wait_for()
    page.set_viewport_size({"width": 1280, "height": 600})
    page.get_by_role("combobox", name="Tested on").scroll_into_view_if_needed()
    assert page.get_by_test_id("stMain").evaluate("e => { e.scrollBy(0, 120); return e.scrollTop; }") > 0
    page.get_by_role("combobox", name="Tested on").click()
    choices = page.get_by_role("option")
    expect(choices.first).to_be_visible()
    n = choices.count()
    (tmp_path / "go").touch()
    expect(job).to_have_count(0, timeout=3 * PATIENT_MS)
    settle(page)
    assert choices.count() == n > 1
