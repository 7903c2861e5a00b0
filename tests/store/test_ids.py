"""Ids from outside: a trial is stored once, whatever number of times it comes."""

import uuid
from dataclasses import replace

import numpy as np
import pytest

from core.errors import StoreError
from core.store import Store
from core.store.cards import Delivery
from core.trial import Import, Kind, Metric, Trials
from tests.store.test_store import an_import

IDS = tuple(str(uuid.UUID(int=i + 1)) for i in range(24))


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "test.duckdb") as store:
        yield store


def with_ids(ids: tuple[str, ...], sha: str = "a", source: str = "run.csv") -> Import:
    imported = an_import(len(ids), sha=sha)
    return replace(imported, source=source, trials=replace(imported.trials, ids=ids))


def test_given_ids_become_the_trials_ids(store: Store) -> None:
    receipt = store.add("d", with_ids(IDS))
    assert (receipt.n_trials, receipt.n_known, receipt.warnings) == (24, 0, ())
    assert store.measured("d").ids == IDS


def test_a_trial_that_is_there_is_not_stored_again(store: Store) -> None:
    store.add("d", with_ids(IDS[:10]))
    receipt = store.add("d", with_ids(IDS[4:16], sha="b"))
    assert (receipt.n_trials, receipt.n_known) == (6, 6)
    assert receipt.warnings == ("6 trials in the dataset already, by id, not stored again",)
    assert store.measured("d").ids == IDS[:16]
    assert [s.n_trials for s in store.datasets.sources("d")] == [10, 6]
    assert store.datasets.sources("d")[1].warnings == receipt.warnings
    assert store.add("other", with_ids(IDS)).n_trials == 24


def test_an_id_that_comes_twice_at_once_counts_once_and_the_first_one_wins(store: Store) -> None:
    trials = Trials(
        ("a", "b", "c"),
        ("",) * 3,
        ("",) * 3,
        (Metric("m"),),
        np.array([[1.0], [2.0], [3.0]]),
        {"k": ("x", "y", "z")},
        ids=(IDS[0], IDS[1].upper(), IDS[0]),
    )
    receipt = store.add("d", Import("f", "s", "csv", trials))
    assert (receipt.n_trials, receipt.n_known) == (2, 1)
    measured = store.measured("d")
    assert (measured.ids, measured.application, list(measured.values[:, 0])) == (IDS[:2], ("a", "b"), [1.0, 2.0])
    assert measured.labels["k"] == ("x", "y")


def test_ids_may_be_given_for_some_trials_only(store: Store) -> None:
    store.add("d", with_ids((IDS[0], "", "", IDS[3])))
    ids = store.measured("d").ids
    assert (ids[0], ids[3]) == (IDS[0], IDS[3])
    assert len(set(ids)) == 4


def test_an_id_that_is_none_is_refused_whole(store: Store) -> None:
    with pytest.raises(StoreError, match=r"run.csv: the trial id 'seven' is no UUID; nothing was stored"):
        store.add("d", with_ids((IDS[0], "seven")))
    assert store.datasets.all() == ()


def test_a_source_grows_and_its_number_stays_true(store: Store) -> None:
    for part in (IDS[:4], IDS[2:8], IDS[8:12]):
        store.add_delivered([Delivery("d", with_ids(part, sha="inbox today", source="inbox"), grows=True)])
    (source,) = store.datasets.sources("d")
    assert (source.n_trials, store.datasets.all()[0].n_trials) == (12, 12)
    assert "2 trials in the dataset already" in source.warnings[0]
    with store._connection.reading() as cursor:
        positions = cursor.execute("SELECT position FROM trial ORDER BY number").fetchall()
    assert [p for (p,) in positions] == list(range(12))


def test_units_as_files_wrote_them_are_kept(store: Store) -> None:
    def add(sha: str, unit: str) -> None:
        trials = Trials(("a",), ("",), ("",), (Metric("time_s", Kind.RESPONSE, "s"), Metric("n")), np.ones((1, 2)))
        store.add("d", Import(sha, sha, "csv", trials, original_units={"time_s": unit} if unit else {}))

    for sha, unit in (("1", ""), ("2", "ns"), ("3", "ms"), ("4", "ns")):
        add(sha, unit)
    assert {m.metric.name: m.original for m in store.metrics("d")} == {"time_s": "ns, ms", "n": ""}
