"""A file read in parts is stored as one: same ids, same source, all of it or nothing."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from core.errors import ReadError, StoreError
from core.store import Store
from core.trial import Import, Skipped
from tests.store.test_store import an_import


def cut(imported: Import, rows: slice) -> Import:
    t = imported.trials
    trials = replace(
        t, application=t.application[rows], input=t.input[rows], machine=t.machine[rows], values=t.values[rows],
        labels={name: texts[rows] for name, texts in t.labels.items()},
    )  # fmt: skip
    return replace(imported, trials=trials, skipped=(Skipped(f"line {rows.start}", "why"),))


def parts() -> Iterator[Import]:
    for start in range(0, 24, 7):
        yield cut(an_import(), slice(start, min(start + 7, 24)))


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "test.duckdb") as store:
        yield store


def test_parts_are_what_the_whole_is(store: Store, tmp_path) -> None:
    receipt = store.add_parts("d", parts)
    assert (receipt.n_trials, receipt.n_metrics, len(receipt.skipped), receipt.already) == (24, 5, 4, None)
    with Store.open(tmp_path / "whole.duckdb") as other:
        other.add("d", an_import())
        whole, pieces = other.measured("d"), store.measured("d")
        assert whole.ids == pieces.ids
        assert np.array_equal(whole.values, pieces.values, equal_nan=True)
        assert np.array_equal(whole.run, pieces.run)
        assert list(other.trials("d")["run"]) == list(store.trials("d")["run"])
    (source,) = store.sources("d")
    assert (source.n_trials, source.skipped) == (24, receipt.skipped)


def test_a_file_in_parts_is_recognised(store: Store) -> None:
    store.add_parts("d", parts)
    asked = []

    def again() -> Iterator[Import]:
        for part in parts():
            asked.append(part)
            yield part

    receipt = store.add_parts("d", again)
    assert (receipt.n_trials, len(asked)) == (0, 1)
    assert "already imported" in receipt.already
    assert store.datasets()[0].n_trials == 24


def test_a_part_that_fails_leaves_nothing(store: Store) -> None:
    def failing() -> Iterator[Import]:
        yield from list(parts())[:2]
        raise ReadError("line 15 is cut off")

    with pytest.raises(ReadError):
        store.add_parts("d", failing)
    assert store.datasets() == ()
    with pytest.raises(StoreError, match="nothing to store"):
        store.add_parts("d", lambda: iter(()))
    assert store.add_parts("d", parts).n_trials == 24


def test_ids_are_what_they_always_were(store: Store) -> None:
    import uuid

    store.add("d", an_import())
    space = uuid.UUID("6f1b7f0c-52a5-5d5b-9a3e-1d6f0f5b8f11")
    assert store.measured("d").ids == tuple(str(uuid.uuid5(space, f"d\x1fa\x1f{i}")) for i in range(24))
