"""The Papers page: a paper is made again when asked for, read on the page and taken away."""

from pathlib import Path

import pytest

from core.store import Store
from pages._papers import body
from pages._ui import jobs
from tests.pages.conftest import PATIENT_S, OpenPage
from tests.pages.toys import toy_import


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the page wait for the document however busy the machine is, in place of drawing how far it is."""
    monkeypatch.setattr(jobs, "_AT_ONCE_S", PATIENT_S)


def test_it_offers_four_papers_and_begins_when_asked(
    database: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, str, int]] = []

    def reproduced(paper, trials, seed, progress):
        made.append((paper.name, trials.dataset, seed))
        return paper

    monkeypatch.setattr(body, "reproduce", reproduced)
    monkeypatch.setattr(body, "reproduction_page", lambda paper: f"<!doctype html><p>{paper.title}</p>".encode())
    at = open_page("papers", paper="Stargazer", paper_seed="3")
    assert not at.exception
    assert ["Martonosi" in m.value for m in at.main.markdown].count(True) == 1
    assert made == []
    at.button(key="reproduce").click().run()
    assert not at.exception
    assert made == [("stargazer", "design_space", 3)]
    assert at.get("download_button")
    at.run()
    assert len(made) == 1
    assert not [b for b in at.button if b.key == "reproduce"]


def test_own_trials_are_read_from_the_database(
    database: Path, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[str, str]] = []
    monkeypatch.setattr(
        body, "reproduce", lambda paper, trials, seed, progress: made.append((trials.dataset, trials.response))
    )
    monkeypatch.setattr(body, "reproduction_page", lambda found: b"<!doctype html>")
    monkeypatch.setattr(body, "sample_store", lambda sample: pytest.fail("the sample was read"))
    with Store.open(database) as opened:
        opened.add("mine", toy_import())
    at = open_page("papers", paper="Eiger", paper_trials="mine")
    assert not at.exception
    at.button(key="reproduce").click().run()
    assert not at.exception
    assert made == [("mine", "time")]
