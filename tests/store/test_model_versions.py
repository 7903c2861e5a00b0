"""Saved models: a name that is there gets a next version, notes can be edited, and nothing is lost."""

from pathlib import Path

import duckdb
import pytest

from core.errors import StoreError
from core.store import Store
from tests.store.test_migration import make_version_1


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "x.duckdb") as opened:
        yield opened


def save(store: Store, name: str, text: str, note: str = "") -> str:
    return store.models.save(
        name, text.encode(), dataset="d", recipe="eiger", response="time", n_trials=9, scores={}, options={}, note=note
    )


def shown(store: Store) -> set[tuple[str, int, str]]:
    return {(card.name, card.version, card.note) for card in store.models.all()}


def test_the_same_name_gets_the_next_version_and_every_file_stays(store: Store) -> None:
    keys = [save(store, "m", '{"a": 1}'), save(store, "m", '{"a": 2}', "fan fixed"), save(store, " m ", '{"a": 3}')]
    assert shown(store) == {("m", 1, ""), ("m", 2, "fan fixed"), ("m", 3, "")}
    assert [store.models.get(key) for key in keys] == [b'{"a": 1}', b'{"a": 2}', b'{"a": 3}']
    assert [card.version for card in store.models.all()] == [3, 2, 1]


def test_the_same_file_is_kept_once_under_a_name_and_again_under_another(store: Store) -> None:
    first = save(store, "m", "{}")
    assert save(store, "m", "{}") == first
    other = save(store, "n", "{}")
    assert other != first
    assert shown(store) == {("m", 1, ""), ("n", 1, "")}
    assert store.models.get(first) == store.models.get(other)


def test_a_name_given_away_and_taken_back_loses_nothing(store: Store) -> None:
    first = save(store, "m", "{}")
    store.models.rename(first, "n")
    again = save(store, "m", "{}")
    assert shown(store) == {("n", 1, ""), ("m", 1, "")}
    assert first != again


def test_rename_takes_all_versions_along_and_no_name_that_is_taken(store: Store) -> None:
    key = save(store, "m", "1")
    save(store, "m", "2")
    save(store, "n", "3")
    with pytest.raises(StoreError, match="There is a model 'n' already"):
        store.models.rename(key, "n")
    store.models.rename(key, "better")
    assert shown(store) == {("better", 1, ""), ("better", 2, ""), ("n", 1, "")}


def test_a_deleted_version_leaves_the_numbers_of_the_others(store: Store) -> None:
    keys = [save(store, "m", str(i)) for i in range(3)]
    store.models.delete(keys[1])
    assert shown(store) == {("m", 1, ""), ("m", 3, "")}
    save(store, "m", "4")
    assert {version for _, version, _ in shown(store)} == {1, 3, 4}


def test_notes_are_edited(store: Store) -> None:
    key = save(store, "m", "1", "draft")
    store.models.note(key, "  for the K40 in rack 3\nsent to Ann ")
    assert store.models.all()[0].note == "for the K40 in rack 3\nsent to Ann"


def test_models_of_an_older_database_become_versions_by_age(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    make_version_1(path)
    with duckdb.connect(str(path)) as old:
        old.execute(
            "INSERT INTO model SELECT 'later', * EXCLUDE (id) REPLACE (created + INTERVAL 1 DAY AS created) FROM model"
        )
    with Store.open(path) as store:
        assert {card.id: card.version for card in store.models.all()} == {"m": 1, "later": 2}
        assert store.models.get("later") == b'{"a": 1}'
