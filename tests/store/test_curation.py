"""What rules and people say of trials and metrics: visible, counted once, taken back, and written down."""

import numpy as np
import pytest

from core.errors import StoreError
from core.store import Store
from core.trial import Import, Kind, Metric, Trials
from tests.store.test_store import an_import

SPREAD = Metric("spread", Kind.COUNTER, "s")


@pytest.fixture
def store(filled):
    with filled(an_import) as store:
        yield store


@pytest.fixture
def ids(store: Store) -> tuple[str, ...]:
    return store.measured("d").ids


def counted(store: Store) -> set[str]:
    return set(store.frame("d", "time", ["misses"]).ids)


def test_a_trial_counts_when_no_rule_excludes_it(store: Store, ids) -> None:
    store.curation.exclude("d", ids[:3], "by hand", "fan was off")
    store.curation.exclude("d", ids[2:5], "mad", "far out")
    assert counted(store) == set(ids[5:])
    assert store.datasets.all()[0].n_excluded == 5
    assert len(store.curation.exclusions("d")) == 6
    assert "5 excluded trials" in store.frame("d", "time", ["misses"]).notes[0]
    table = store.trials("d").set_index("id")["excluded"]
    assert (table[ids[2]], table[ids[0]], table[ids[9]]) == (
        "by hand: fan was off; mad: far out",
        "by hand: fan was off",
        "",
    )
    store.curation.include("d", ids[2:4], rule="mad")
    assert counted(store) == {ids[3], *ids[5:]}
    store.curation.include("d", ids)
    assert counted(store) == set(ids)


def test_excluding_again_replaces_what_this_rule_said_of_these_trials(store: Store, ids) -> None:
    store.curation.exclude("d", ids[:2], "by hand", "first")
    store.curation.exclude("d", ids[1:3], "by hand", "second")
    assert {(e.trial, e.reason) for e in store.curation.exclusions("d")} == {
        (ids[0], "first"),
        (ids[1], "second"),
        (ids[2], "second"),
    }


def test_curating_replaces_all_that_a_rule_said(store: Store, ids) -> None:
    store.curation.exclude("d", ids[:1], "by hand", "kept")
    store.curation.apply(
        "d", "mad", {ids[1]: "7.1 MADs", ids[2]: "9 MADs"}, {"misses": "constant"}, [(SPREAD, {ids[0]: 0.25})]
    )
    assert {e.trial for e in store.curation.exclusions("d")} == set(ids[:3])
    store.curation.apply("d", "mad", {ids[3]: "8 MADs"}, reason="threshold=8")
    assert {(e.trial, e.rule) for e in store.curation.exclusions("d")} == {(ids[0], "by hand"), (ids[3], "mad")}
    assert store.curation.hidden("d") == ()
    assert "spread" not in [m.name for m in store.metric_names("d")]
    last, before, _ = store.curation.audit("d")
    assert (last.action, last.rule, last.reason, last.n_trials, last.n_metrics) == (
        "curate",
        "mad",
        "threshold=8",
        1,
        0,
    )
    assert set(last.lifted) == {ids[1], ids[2]}
    assert (before.n_trials, before.n_metrics, before.lifted, before.metrics) == (2, 2, (), ("misses", "spread"))


def test_uncurating_takes_everything_back_and_keeps_a_trail(store: Store, ids) -> None:
    untouched = store.frame("d", "time").digest()
    n_metrics = store.datasets.all()[0].n_metrics
    store.curation.exclude("d", ids[:2], "by hand", "mine")
    store.curation.apply("d", "mad", {ids[0]: "far"}, {"work": "constant"}, [(SPREAD, dict.fromkeys(ids, 1.0))])
    assert store.datasets.all()[0].n_metrics == n_metrics + 1
    store.curation.undo("d", "mad")
    assert store.datasets.all()[0].n_metrics == n_metrics
    assert counted(store) == set(ids[2:])
    last = store.curation.audit("d")[0]
    assert (last.action, last.rule, last.n_trials, last.lifted, set(last.metrics)) == (
        "uncurate",
        "mad",
        1,
        (ids[0],),
        {"work", "spread"},
    )
    store.curation.include("d", ids[:2])
    assert store.frame("d", "time").digest() == untouched
    n = len(store.curation.audit("d"))
    store.curation.undo("d", "mad")
    assert len(store.curation.audit("d")) == n


def test_every_change_is_in_the_trail_with_enough_to_undo_it(store: Store, ids) -> None:
    store.curation.exclude("d", ids[:2], "a", "x")
    store.curation.exclude("d", ids[1:3], "b", "y")
    store.curation.include("d", ids)
    trail = store.curation.audit("d")
    assert [(t.action, t.rule, t.n_trials) for t in reversed(trail)] == [
        ("exclude", "a", 2),
        ("exclude", "b", 2),
        ("include", "a", 2),
        ("include", "b", 2),
    ]
    assert {t.rule: set(t.lifted) for t in trail if t.action == "include"} == {"a": set(ids[:2]), "b": set(ids[1:3])}
    assert trail[0].at >= trail[-1].at


def test_hidden_metrics_are_not_offered_but_can_be_chosen(store: Store) -> None:
    assert own_names(store) == {"width", "work"}
    store.curation.apply("d", "constant", {}, {"work": "has one value"})
    store.curation.apply("d", "giveaway", {}, {"work": "cycles of the same machine"})
    frame = store.frame("d", "time")
    assert own_names(store) == {"width", "misses"}
    note = next(n for n in frame.notes if "hidden" in n)
    assert (
        note
        == "metrics left out because they are hidden: work (constant: has one value; giveaway: cycles of the same machine)"
    )
    assert store.frame("d", "time", ["work"]).names == ("work",)
    card = {m.metric.name: m for m in store.metrics("d")}["work"]
    assert card.hidden == "constant: has one value; giveaway: cycles of the same machine"
    assert {m.metric.name: m.hidden for m in store.metrics("d")}["width"] == ""
    assert [(h.metric, h.rule) for h in store.curation.hidden("d")] == [("work", "constant"), ("work", "giveaway")]
    store.curation.undo("d", "constant")
    assert own_names(store) == {"width", "misses"}
    store.curation.undo("d", "giveaway")
    assert own_names(store) == {"width", "work"}


def own_names(store: Store) -> set[str]:
    """Return the default metrics, without names of machines that no metric tells apart."""
    return {name for name in store.frame("d", "time").names if "=" not in name}


def test_derived_metrics_can_be_used_and_are_replaced(store: Store, ids) -> None:
    store.curation.apply("d", "tail", {}, derived=[(SPREAD, {id: 0.5 * i for i, id in enumerate(ids)})])
    frame = store.frame("d", "time", ["spread"])
    assert sorted(frame.X[:, 0]) == [0.5 * i for i in range(24)]
    card = {m.metric.name: m for m in store.metrics("d")}["spread"]
    assert (card.rule, str(card.metric)) == ("tail", "spread (s)")
    store.curation.apply(
        "d",
        "tail",
        {},
        {"spread": "for the eye alone"},
        [(Metric("spread", Kind.RESPONSE, "ms"), {ids[0]: 3.0, ids[1]: np.nan})],
    )
    card = {m.metric.name: m for m in store.metrics("d")}["spread"]
    assert (card.n_values, card.high, card.metric.kind, card.metric.unit) == (1, 3.0, Kind.RESPONSE, "ms")
    with pytest.raises(StoreError, match="'misses', but one of that name was measured in dataset 'd'"):
        store.curation.apply("d", "tail", {}, derived=[(Metric("misses"), {})])
    with pytest.raises(StoreError, match="made by the rule 'tail'"):
        store.curation.apply("d", "other", {}, derived=[(SPREAD, {})])
    with pytest.raises(StoreError, match="infinite"):
        store.curation.apply("d", "tail", {}, derived=[(SPREAD, {ids[0]: np.inf})])
    assert {m.metric.name: m.high for m in store.metrics("d")}["spread"] == 3.0


def test_a_measured_metric_of_a_derived_ones_name_is_kept_apart(store: Store, ids) -> None:
    store.curation.apply("d", "tail", {}, derived=[(SPREAD, dict.fromkeys(ids, 1.0))])
    trials = Trials(("z",), ("",), ("",), (Metric("time", Kind.RESPONSE, "s"), SPREAD), np.array([[1.0, 2.0]]))
    receipt = store.add("d", Import("f", "z", "csv", trials))
    assert "was made by the rule 'tail'" in receipt.warnings[0]
    store.curation.undo("d", "tail")
    assert {m.metric.name: m.n_values for m in store.metrics("d")}["spread [measured]"] == 1


def test_measured_is_in_the_order_of_measurement_with_repeats_counted(store: Store) -> None:
    imported = an_import()
    measured = store.measured("d")
    assert len(measured) == 24
    assert measured.application == imported.trials.application
    assert np.array_equal(measured.column("time"), imported.trials.values[:, 0])
    assert [m.name for m in measured.metrics] == ["time", "misses", "width", "work", "clock"]
    clocks = [{"gpu0": 700.0, "gpu1": 900.0, "gpu3": 1100.0}.get(m, np.nan) for m in measured.machine]
    assert np.array_equal(measured.column("clock"), clocks, equal_nan=True)
    assert measured.labels["suite"] == imported.trials.labels["suite"]
    keys = list(zip(measured.application, measured.input, measured.machine, measured.column("width"), strict=True))
    assert len(set(measured.configuration)) == len(set(keys)) == 12
    assert list(measured.run) == [keys[: i + 1].count(key) for i, key in enumerate(keys)]
    store.curation.exclude("d", measured.ids[:2], "by hand", "why")
    store.curation.exclude("d", measured.ids[1:3], "mad", "why")
    assert store.measured("d").excluded == {"by hand": frozenset(measured.ids[:2]), "mad": frozenset(measured.ids[1:3])}
    assert len(store.measured("d")) == 24


def test_trials_that_name_nothing_are_no_repeats(store: Store) -> None:
    trials = Trials(("",) * 3, ("",) * 3, ("",) * 3, (Metric("m"),), np.ones((3, 1)))
    store.add("nameless", Import("f", "n", "csv", trials))
    measured = store.measured("nameless")
    assert (list(measured.run), len(set(measured.configuration))) == ([1, 1, 1], 3)


def test_mistakes_change_nothing(store: Store, ids) -> None:
    store.curation.apply("d", "mad", {ids[0]: "far"}, {"work": "why"})
    before = (store.curation.exclusions("d"), store.curation.hidden("d"), store.curation.audit("d"))
    strange = "00000000-0000-0000-0000-000000000000"
    for wrong in (
        lambda: store.curation.apply("d", "mad", {strange: "x"}),
        lambda: store.curation.apply("d", "mad", {}, {"nothing": "x"}),
        lambda: store.curation.apply("d", "mad", {}, derived=[(SPREAD, {strange: 1.0})]),
        lambda: store.curation.apply("d", " ", {ids[1]: "x"}),
        lambda: store.curation.exclude("d", ["no uuid"], "mad", "x"),
        lambda: store.curation.exclude("d", ids[:1], "", "x"),
    ):
        with pytest.raises(StoreError):
            wrong()
    assert (store.curation.exclusions("d"), store.curation.hidden("d"), store.curation.audit("d")) == before


def test_every_change_moves_the_revision(store: Store, ids) -> None:
    seen = [store.datasets.all()[0].revision]
    for change in (
        lambda: store.curation.exclude("d", ids[:1], "a", "x"),
        lambda: store.curation.exclude("d", ids[:1], "a", "y"),
        lambda: store.curation.include("d", ids[:1]),
        lambda: store.curation.apply("d", "r", {}, {"work": "x"}),
        lambda: store.curation.apply("d", "r", {}, {"width": "x"}),
        lambda: store.curation.undo("d", "r"),
        lambda: store.machines.set("d", "gpu2", {Metric("clock", Kind.MACHINE): 1.5}),
        lambda: store.datasets.rename("d", "d"),
        lambda: store.add("d", an_import(seed=5, sha="b")),
    ):
        change()
        seen.append(store.datasets.all()[0].revision)
    assert seen == sorted(set(seen))


def test_a_deleted_dataset_takes_its_trail_along(store: Store, ids) -> None:
    store.add("e", an_import())
    store.curation.apply("d", "r", {ids[0]: "x"}, {"work": "x"})
    store.datasets.delete("d")
    with store._connection.reading() as cursor:
        for table in ("audit", "hidden_metric", "exclusion"):
            assert cursor.execute(f"SELECT count(*) FROM {table}").fetchall() == [(0,)]
    assert len(store.frame("e", "time", ["misses"])) == 24
