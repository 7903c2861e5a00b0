"""Experiments and results: kept once, found by key, gone with their dataset, never too many."""

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


def test_results_are_kept_once_and_found_by_key(store: Store) -> None:
    store.experiments.keep_results("mine", [("a", {"seconds": 1.0}), ("b", {"seconds": 2.0}), ("a", {"seconds": 1.0})])
    store.experiments.keep_results("mine", [("a", {"seconds": 9.0}), ("c", {"why": "ü"})])
    assert store.experiments.results(["c", "a", "nothing", "a"]) == {"a": {"seconds": 1.0}, "c": {"why": "ü"}}
    assert store.experiments.results([]) == {}
    store.experiments.keep_results("mine", [])


def test_all_or_none(store: Store) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        store.experiments.keep_results("mine", [("a", {}), ("b", {"x": float("nan")})])
    with pytest.raises(StoreError, match="There is no dataset 'yours'"):
        store.experiments.keep_results("yours", [("a", {})])
    assert store.experiments.results(["a"]) == {}


def test_the_newest_experiment_comes_first_and_each_once(store: Store) -> None:
    for id in ("x", "y", "x"):
        store.experiments.keep("mine", id, f"name of {id}", 7, "recipe = 1")
    cards = store.experiments.all()
    assert [(c.id, c.dataset, c.name, c.n_fits, c.document) for c in cards] == [
        ("x", "mine", "name of x", 7, "recipe = 1"),
        ("y", "mine", "name of y", 7, "recipe = 1"),
    ]
    store.experiments.forget("x")
    assert [c.id for c in store.experiments.all()] == ["y"]


def test_they_survive_the_process_and_go_with_their_dataset(store: Store) -> None:
    store.experiments.keep("mine", "x", "n", 1, "")
    store.experiments.keep_results("mine", [("a", {})])
    path = store.path
    store.close()
    with Store.open(path) as again:
        again.datasets.rename("mine", "yours")
        assert again.experiments.all()[0].dataset == "yours"
        again.datasets.delete("yours")
        assert (again.experiments.all(), again.experiments.results(["a"])) == ((), {})


def test_the_oldest_results_go_when_there_are_too_many(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_records, "MOST_RESULTS", 2)
    for key in "abcd":
        store.experiments.keep_results("mine", [(key, {})])
    store.experiments.keep("mine", "x", "n", 1, "")
    assert set(store.experiments.results("abcd")) == {"c", "d"}
