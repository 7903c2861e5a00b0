"""A file that grew, or whose rows stand in another order, brings what is new alone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.store import Store
from core.trial import Import, Kind, Metric
from tests.store.test_store import an_import

WHOLE = an_import()


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "test.duckdb") as store:
        yield store


def some(rows: object, name: str = "later.csv", of: Import = WHOLE) -> Import:
    trials = of.trials.take(np.asarray(rows))
    return replace(of, trials=trials, source=name, sha256=f"{name} {rows}", machines=None)


def test_a_file_that_grew_brings_its_new_rows(store: Store) -> None:
    store.add("d", some(range(20)))
    receipt = store.add("d", some(range(24)))
    assert (receipt.n_trials, receipt.n_known) == (4, 20)
    assert receipt.warnings[0].startswith("20 trials of later.csv, imported on 20")
    assert receipt.warnings[0].endswith("stand here again: they are not stored twice")
    assert store.trials("d")["run"].tolist() == [1] * 12 + [2] * 12
    receipt = store.add("d", some([*range(24)][::-1], "all.csv"))
    assert (receipt.n_trials, receipt.n_known, len(receipt.warnings)) == (0, 24, 2)
    assert len(store.frame("d", "time", ["misses", "width", "work"])) == 24


def test_a_row_that_stands_once_more_is_a_repeat(store: Store) -> None:
    store.add("d", some(range(20)))
    assert store.add("d", some([0, *range(20), 1])).n_trials == 2
    assert sorted(store.trials("d")["run"].tolist()) == [1] * 12 + [2] * 8 + [3] * 2


def shifted(of: Import) -> Import:
    values = of.trials.values.copy()
    values[3, 1] += 1e-9
    return replace(of, trials=replace(of.trials, values=values))


def relabelled(of: Import) -> Import:
    return replace(of, trials=replace(of.trials, labels={"suite": ("z", *of.trials.labels["suite"][1:])}))


def elsewhere(of: Import) -> Import:
    return replace(of, trials=replace(of.trials, machine=("gpu9", *of.trials.machine[1:])))


def wider(of: Import) -> Import:
    more = Metric("hits", Kind.COUNTER)
    values = np.column_stack([of.trials.values, np.where(np.arange(len(of.trials)) == 5, 1.0, np.nan)])
    return replace(of, trials=replace(of.trials, metrics=(*of.trials.metrics, more), values=values))


@pytest.mark.parametrize("changed", [shifted, relabelled, elsewhere, wider])
@pytest.mark.parametrize("first", [False, True])
def test_where_one_trial_is_another_all_are_stored_and_it_is_said(
    store: Store, changed: Callable[[Import], Import], first: bool
) -> None:
    files = [some(range(20), "a.csv"), changed(some(range(24), "b.csv"))]
    if first:
        files = [changed(some(range(20), "a.csv")), some(range(24), "b.csv")]
    store.add("d", files[0])
    receipt = store.add("d", files[1])
    assert (receipt.n_trials, receipt.n_known) == (24, 0)
    assert "19 of 20 trials of a.csv, imported on" in receipt.warnings[0]
    assert receipt.warnings[0].endswith("count twice: the others are not the same")


def test_few_trials_and_those_of_another_dataset_are_stored(store: Store) -> None:
    store.add("d", some(range(2)))
    assert store.add("d", some(range(24))).n_trials == 24
    assert store.add("other", some(range(23))).n_trials == 23


def test_of_many_files_those_of_the_same_name_are_looked_at(store: Store) -> None:
    for i in range(17):
        store.add("d", some(range(20), f"{i}.csv", an_import(seed=i)))
    assert store.add("d", some(range(24), "other.csv", an_import(seed=3))).n_trials == 24
    assert store.add("d", some(range(24), "3.csv", an_import(seed=3))).n_trials == 4


def test_each_file_of_a_folder_that_grew_brings_its_new_rows(store: Store) -> None:
    store.add_all("d", [some(range(20), f"{i}.csv", an_import(seed=i)) for i in range(20)])
    grown = [some(range(20 + i % 5), f"{i}.csv", an_import(seed=i)) for i in range(21)]
    receipts = store.add_all("d", grown)
    assert [receipt.n_trials for receipt in receipts] == [i % 5 for i in range(20)] + [20]


def test_a_metric_that_a_rule_made_does_not_make_trials_others(store: Store) -> None:
    store.add("d", some(range(20)))
    ids = store.trials("d")["id"].tolist()
    store.curation.apply("d", "mad", {}, derived=[(Metric("spread", Kind.COUNTER), dict.fromkeys(ids, 1.0))])
    assert store.add("d", some(range(24))).n_trials == 4
