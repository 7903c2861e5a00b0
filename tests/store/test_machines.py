"""Machine metrics: typed once, changed with a trail, and offered where the same machine is unknown."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import StoreError
from core.store import Store
from core.trial import Kind, Metric
from tests.store.test_store import CLOCK, an_import

CORES = Metric("cores", Kind.MACHINE)


@pytest.fixture
def store(filled):
    with filled(an_import) as store:
        yield store


def test_typed_metrics_reach_the_trials(store: Store) -> None:
    store.machines.set("d", "gpu2", {CLOCK: 950.0, CORES: 16.0}, {"vendor": "b", "bus": "pcie"})
    frame = store.frame("d", "time", ["clock", "cores"])
    assert len(frame) == 6
    assert set(frame.labels["machine"]) == {"gpu2"}
    assert set(map(tuple, frame.X)) == {(950.0, 16.0)}
    assert set(frame.labels["bus"]) == {"pcie"}
    (row,) = store.curation.audit("d")
    assert (row.action, row.rule, row.n_metrics, row.metrics) == ("machine", "by hand", 2, ("clock", "cores"))
    assert row.reason == "gpu2: clock nothing → 950 MHz, cores nothing → 16, vendor 'a' → 'b', bus '' → 'pcie'"


def test_what_is_there_is_changed_and_can_be_taken_away(store: Store) -> None:
    store.machines.set("d", "gpu0", {replace(CLOCK, unit=""): 710.0})
    assert store.curation.audit("d")[0].reason == "gpu0: clock 700 → 710"
    store.machines.set("d", "gpu0", {CLOCK: np.nan}, {"vendor": ""})
    assert store.curation.audit("d")[0].reason == "gpu0: clock 710 → nothing MHz, vendor 'n' → ''"
    assert len(store.frame("d", "time", ["clock"])) == 12
    n = len(store.curation.audit("d"))
    store.machines.set("d", "gpu1", {CLOCK: 900.0})
    assert len(store.curation.audit("d")) == n


def test_mistakes_are_named(store: Store) -> None:
    with pytest.raises(StoreError, match="no machine 'gpu9' in dataset 'd'; there are: gpu0, gpu1"):
        store.machines.set("d", "gpu9", {CLOCK: 1.0})
    with pytest.raises(StoreError, match="'clock' is in MHz in dataset 'd', and was typed in GHz"):
        store.machines.set("d", "gpu0", {replace(CLOCK, unit="GHz"): 1.0})
    with pytest.raises(StoreError, match="'misses' is a counter metric"):
        store.machines.set("d", "gpu0", {Metric("misses", Kind.MACHINE): 1.0})
    with pytest.raises(StoreError, match="finite number"):
        store.machines.set("d", "gpu0", {CORES: np.inf})
    assert store.curation.audit("d") == ()


def test_machines_known_elsewhere_are_offered_and_not_taken(store: Store) -> None:
    receipt = store.add("other", replace(an_import(seed=3, sha="b"), machines=None))
    assert receipt.warnings == (
        "nothing is known here of 'gpu0', 'gpu1', 'gpu3', but dataset 'd' has machine metrics of that name, which can be taken over",
    )
    assert "clock" not in [m.name for m in store.metric_names("other")]
    dataset, values, labels = store.machines.known()["gpu0"]
    assert (dataset, values, labels) == ("d", {CLOCK: 700.0}, {"vendor": "n"})
    store.machines.set("other", "gpu0", values, labels)
    again = store.add("other", replace(an_import(seed=4, sha="c"), machines=None))
    assert again.warnings[0].startswith("nothing is known here of 'gpu1', 'gpu3', but")
    assert store.add("d", replace(an_import(seed=5, sha="d"), machines=None)).warnings == ()


def test_the_dataset_that_knows_most_is_asked(store: Store) -> None:
    store.add("other", replace(an_import(seed=3, sha="b"), machines=None))
    store.machines.set("other", "gpu0", {CLOCK: 705.0, CORES: 8.0})
    known = store.machines.known()
    assert known["gpu0"] == ("other", {CLOCK: 705.0, CORES: 8.0}, {})
    assert known["gpu1"][0] == "d"
    assert "gpu4" in known, "a machine without trials has metrics too"
