"""Runs of races: kept once, found by what they are good for, gone with their dataset, never too many."""

from pathlib import Path

import pytest

from core.errors import StoreError
from core.store import Store, _records
from tests.store.test_store import an_import


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store.open(tmp_path / "x.duckdb")
    store.add("mine", an_import())
    yield store
    store.close()


def a_run(entry: str, fold: int, value: float = 0.5) -> dict:
    return {"entry": entry, "fold": fold, "inner": [value, None], "error": ""}


def test_runs_are_found_by_entry_and_fold(store: Store) -> None:
    for entry, fold in (("ols", 1), ("nnls", -1), ("ols", 0)):
        store.races.keep("mine", "a", entry, fold, a_run(entry, fold))
    store.races.keep("mine", "b", "ols", 0, a_run("ols", 7))
    assert [(r["entry"], r["fold"]) for r in store.races.runs("a")] == [("nnls", -1), ("ols", 0), ("ols", 1)]
    assert store.races.runs("a")[0] == a_run("nnls", -1)
    assert store.races.runs("nothing") == ()


def test_a_run_takes_the_place_of_an_earlier_one(store: Store) -> None:
    store.races.keep("mine", "a", "ols", 0, a_run("ols", 0, 1.0))
    store.races.keep("mine", "a", "ols", 0, a_run("ols", 0, 2.0))
    assert store.races.runs("a") == (a_run("ols", 0, 2.0),)


def test_they_survive_the_process_and_go_with_their_dataset(store: Store) -> None:
    store.races.keep("mine", "a", "ols", 0, a_run("ols", 0))
    path = store.path
    store.close()
    with Store.open(path) as again:
        again.datasets.rename("mine", "yours")
        assert len(again.races.runs("a")) == 1
        again.datasets.delete("yours")
        assert again.races.runs("a") == ()
        with pytest.raises(StoreError, match="There is no dataset 'yours'"):
            again.races.keep("yours", "a", "ols", 0, a_run("ols", 0))


def test_a_race_is_forgotten_alone(store: Store) -> None:
    for race in "ab":
        store.races.keep("mine", race, "ols", 0, a_run("ols", 0))
    store.races.forget("a")
    assert (len(store.races.runs("a")), len(store.races.runs("b"))) == (0, 1)


def test_the_oldest_go_when_there_are_too_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_records, "MOST_RUNS", 3)
    for fold in range(5):
        store.races.keep("mine", "a", "ols", fold, a_run("ols", fold))
    assert [r["fold"] for r in store.races.runs("a")] == [2, 3, 4]
