"""The start page: files of one's own, questions that samples answer, what is there already."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.store import Store
from core.workspace import SAMPLES
from pages._start.body import MINIATURES, QUESTIONS
from pages._ui.database import store
from pages._ui.page import path_of
from tests.pages.conftest import OpenPage
from tests.pages.toys import toy_import


@pytest.fixture
def small_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let samples load nothing, and note which were asked for."""
    loaded: list[str] = []
    from pages._start import body

    monkeypatch.setattr(body, "load_sample", lambda folder: loaded.append(folder.name))
    monkeypatch.setattr(Store, "add", lambda self, dataset, imported: None)
    return loaded


def test_it_opens_with_an_upload_and_four_questions(database: Path, open_page: OpenPage) -> None:
    at = open_page("start")
    assert not at.exception
    assert at.title[0].value == "Start"
    assert [s.value for s in at.header] == [
        "Drop your own files here",
        "Or begin with a question",
        "Recent datasets",
        "Recent models",
    ]
    assert [b.label for b in at.button if str(b.key).startswith("ask_")] == [q.title for q in QUESTIONS]
    assert at.get("file_uploader")


def test_each_question_has_its_sample_and_page() -> None:
    for question in QUESTIONS:
        assert (SAMPLES / question.sample / "sample.toml").is_file()
        assert Path(path_of(question.page)).is_file()
        drawn = (MINIATURES / f"{question.answer}.svg").read_text("utf-8")
        assert len(drawn) < 10_000
        assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert "currentColor" in drawn


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.page)
def test_a_question_loads_its_sample_and_opens_its_page(
    database: Path, open_page: OpenPage, small_samples: list[str], question
) -> None:
    at = open_page("start").button(key=f"ask_{question.page}").click().run()
    assert not at.exception
    assert at.title[0].value == question.page
    assert question.sample in at.query_params["dataset"]
    assert small_samples == [question.sample]


def test_addresses_that_opened_on_the_trials_still_do(database: Path, open_page: OpenPage) -> None:
    at = open_page("start", trials_view="Upload")
    assert at.title[0].value == "Trials"
    assert "Upload" in at.query_params["trials_view"]


def test_what_the_page_before_says_late_leads_nowhere(toy: None, open_page: OpenPage) -> None:
    at = open_page("explore")
    at.switch_page("pages/start.py").run()
    at.query_params["explore_clusters"] = "4"  # as a browser sends it that learnt of it when it had gone on
    at.run()
    assert at.title[0].value == "Start"
    assert not at.query_params


def test_who_comes_back_is_offered_where_they_were(toy: None, open_page: OpenPage) -> None:
    assert not any("Continue" in str(link.proto) for link in open_page("start").main.get("page_link"))
    store().add("another", toy_import())
    open_page("experiments", dataset="toy", where="machine=mine alone")
    assert "alone" not in Path(f"{store().path}.left_off").read_text()  # what others who open the database read, too
    again = open_page("start")
    first = again.main.get("page_link")[0].proto
    assert first.label == "Continue where you left off\\: Experiments of toy"
    assert "toy" in first.query_string


def test_a_dataset_that_is_gone_is_no_place_to_continue(toy: None, open_page: OpenPage) -> None:
    open_page("model", dataset="toy")
    for name, offered in (("gone", 0), ("toy", 1)):
        Path(f"{store().path}.left_off").write_text(f'{{"page": "Model", "choices": {{"dataset": ["{name}"]}}}}')
        links = open_page("start").main.get("page_link")
        assert sum("Continue" in link.proto.label for link in links) == offered


def test_a_damaged_note_of_the_last_place_is_no_place(database: Path, open_page: OpenPage) -> None:
    open_page("experiments")
    for text in ("", "[]", '{"page": "Model", "choices": 3}', '{"page": "Nowhere", "choices": {}}'):
        Path(f"{store().path}.left_off").write_text(text)
        at = open_page("start")
        assert not at.exception
        assert not any("Continue" in link.proto.label for link in at.main.get("page_link"))
