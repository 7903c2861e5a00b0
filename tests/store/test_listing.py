"""What there is, counted once per change: the same cards as a store that counts anew."""

from pathlib import Path

import pytest

from core.errors import StoreError
from core.store import Store
from core.store import _datasets as listing
from core.store._connection import Connection
from core.trial import Kind, Metric
from tests.store.test_store import an_import


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "listing.duckdb") as opened:
        opened.add("d", an_import())
        opened.add("b", an_import(seed=2, sha="c"))
        yield opened


def test_cards_follow_every_change(store: Store) -> None:
    ids = store.measured("d").ids
    for change in (
        lambda: store.curation.exclude("d", ids[:1], "a", "x"),
        lambda: store.curation.include("d", ids[:1]),
        lambda: store.curation.apply("d", "r", {}, {"work": "x"}),
        lambda: store.machines.set("d", "gpu2", {Metric("clock", Kind.MACHINE): 1.5}),
        lambda: store.add("d", an_import(seed=5, sha="b")),
        lambda: store.datasets.rename("d", "a"),
        lambda: store.add("new", an_import(seed=7, sha="e")),
        lambda: store.datasets.delete("b"),
    ):
        stamps = [store.datasets.stamp(name) for name in store.datasets.names()]
        kept = store.datasets.all()
        change()
        assert [store.datasets.stamp(name) for name in store.datasets.names()] != stamps
        assert store.datasets.all() != kept
        said = store.datasets.all()
        store.datasets._cards.clear()
        assert said == store.datasets.all()
        assert store.datasets.names() == tuple(card.name for card in said)
        assert [store.datasets.get(card.name) for card in said] == list(said)
    assert store.datasets.get("b") is None
    assert store.datasets.stamp("b") == ""


@pytest.mark.slow
def test_each_dataset_is_counted_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[str] = []
    count = listing.dataset_cards
    monkeypatch.setattr(
        listing, "dataset_cards", lambda cursor, rows: counted.extend(row[1] for row in rows) or count(cursor, rows)
    )
    for i in range(3, 20):
        store.add(f"d{i}", an_import(seed=i, sha=str(i)))
    for _ in range(5):
        store.datasets.names()
        store.datasets.stamp("d")
    assert counted == []
    for _ in range(5):
        store.datasets.all()
    assert sorted(counted) == sorted(store.datasets.names())
    counted.clear()
    store.curation.exclude("d5", store.measured("d5").ids[:1], "a", "x")
    store.datasets.all()
    assert counted == ["d5"]


def test_what_came_together_in_the_order_it_came(store: Store) -> None:
    store.add("d", an_import(seed=5, sha="later"))
    (first, later) = store.datasets.arrivals("d")
    assert first.ids | later.ids == set(store.measured("d").ids)
    assert not first.ids & later.ids
    assert first.when <= later.when
    assert [card.n_trials for card in store.datasets.sources("d")] == [len(first.ids), len(later.ids)]


def test_what_nothing_has_changed_is_asked_for_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    every = Connection.every
    monkeypatch.setattr(Connection, "every", lambda self, sql, values=(): asked.append(sql) or every(self, sql, values))
    said = {}

    def seen() -> dict[str, object]:
        return {"names": store.datasets.names(), "stamp": store.datasets.stamp("d"), "models": store.models.all()}

    for _ in range(4):
        said = seen()
    assert len(asked) == 2  # the datasets, and the models
    store.models.save("m", b"{}", dataset="d", recipe="r", response="t", n_trials=1, scores={}, options={})
    assert [card.name for card in store.models.all()] == ["m"]
    assert (store.datasets.names(), store.datasets.stamp("d")) == (said["names"], said["stamp"])
    store.curation.exclude("d", store.measured("d").ids[:1], "a", "x")
    assert store.datasets.stamp("d") != said["stamp"]
    with pytest.raises(StoreError):
        store.datasets.rename("d", "b")  # which is there: nothing was written
    assert store.datasets.names() == said["names"]


def test_what_is_read_while_another_thread_writes_is_asked_for_again(store: Store) -> None:
    connection = store._connection

    def read() -> tuple[str, ...]:
        found = tuple(str(row[0]) for row in connection.every("SELECT name FROM dataset ORDER BY name"))
        connection.change("INSERT INTO dataset VALUES (99, 'late', now(), 0)")
        return found

    assert connection.unchanged("x", read) == ("b", "d")
    names = "SELECT name FROM dataset ORDER BY name"
    assert connection.unchanged("x", lambda: connection.every(names)) == [("b",), ("d",), ("late",)]
