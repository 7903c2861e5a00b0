"""Host and target from the store: what is joined, what is not, and which metrics are left."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.curate import Unjoined, join
from core.errors import FitError, StoreError
from core.store import Store
from core.trial import Facts, Import, Kind, Metric, Trials

TIME, ENERGY = Metric("time", Kind.RESPONSE, "s"), Metric("energy", Kind.RESPONSE, "J")
LOADS, OLD, FEW = Metric("loads"), Metric("old counter"), Metric("rare counter")
BLOCK = Metric("block", Kind.PARAMETER)


def an_import(machines: tuple[str, ...] = ("host", "target"), sha: str = "a", unit: str = "s") -> Import:
    """Four workloads of two launch shapes on each machine, three runs each; the target has no counters."""
    rows, values = [], []
    for m, machine in enumerate(machines):
        for w in range(4):
            if (machine, w) in (("host", 3), ("target", 0)):
                continue
            for block in (64.0, 128.0):
                for run in range(3):
                    rows.append((f"app{w // 2}", f"in{w}", machine))
                    base = (w + 1) * block * (1 + m)
                    counters = [10 * w + block, w + 1.0, np.nan if w == 2 else 5.0]
                    values.append([base + run, 2 * base, *(counters if machine == "host" else [np.nan] * 3), block])
    application, input, machine_of = zip(*rows, strict=True)
    metrics = (replace(TIME, unit=unit), ENERGY, LOADS, OLD, FEW, BLOCK)
    trials = Trials(
        application, input, machine_of, metrics, np.array(values), {"suite": tuple(a[-1] for a in application)}
    )
    clock = Facts(
        tuple((m,) for m in machines),
        (Metric("clock", Kind.MACHINE),),
        np.array([[1.0 + i] for i in range(len(machines))]),
    )
    return Import("runs.csv", sha, "csv", trials, clock)


@pytest.fixture
def store(filled):
    with filled(an_import) as store:
        yield store


def test_workloads_join_on_application_input_and_launch_shape(store: Store) -> None:
    found = join(store.host_target("d", "time", "host", "target"))
    frame = found.frame
    assert len(frame) == 4  # workloads 1 and 2, two shapes each
    assert set(frame.labels["machine"]) == {"target"}
    assert frame.labels["suite"] == tuple(a[-1] for a in frame.labels["application"])
    for i in range(4):
        w = int(frame.labels["input"][i][2:])
        block = frame.X[i, frame.names.index("block")]
        assert frame.y[i] == 2 * (w + 1) * block + 1  # mean of three runs
        assert frame.X[i, frame.names.index("time on host")] == (w + 1) * block + 1
        assert frame.X[i, frame.names.index("energy on host")] == 2 * (w + 1) * block
        assert frame.X[i, frame.names.index("loads")] == 10 * w + block
    assert frame.reference == "time on host"
    assert frame.metrics[frame.names.index("time on host")] == Metric("time on host", Kind.COUNTER, "s")
    assert frame.n_repeats is not None
    assert frame.n_repeats.tolist() == [3] * 4
    assert len(np.unique(frame.configuration)) == 4


def test_what_only_the_machine_settles_keeps_no_workloads_apart(tmp_path: Path) -> None:
    one = an_import()
    registers = np.array([32.0 if machine == "host" else 40.0 for machine in one.trials.machine])
    metrics = (*one.trials.metrics, Metric("registers", Kind.PARAMETER))
    trials = replace(one.trials, metrics=metrics, values=np.column_stack([one.trials.values, registers]))
    with Store.open(tmp_path / "own.duckdb") as own:
        own.add("d", replace(one, trials=trials))
        found = join(own.host_target("d", "time", "host", "target"))
    assert len(found.frame) == 4
    assert len(np.unique(found.frame.configuration)) == 4
    assert any(note.startswith("registers may differ between the machines") for note in found.frame.notes)
    assert {u.setting for u in found.unjoined} == {"block=64.0", "block=128.0"}


def test_what_is_on_one_side_only_is_listed(store: Store) -> None:
    found = join(store.host_target("d", "time", "host", "target"))
    assert {(u.input, u.machine) for u in found.unjoined} == {("in0", "host"), ("in3", "target")}
    assert len(found.unjoined) == 4
    assert Unjoined("app0", "in0", found.unjoined[0].setting, "host") == found.unjoined[0]
    assert (
        "4 workloads of 'host' and 'target' joined; left out: 2 only on 'host', 2 only on 'target'" in found.frame.notes
    )


def test_of_one_machine_in_two_datasets_each_side_is_counted_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path / "two.duckdb") as store:
        whole = an_import(("host",))
        few = np.flatnonzero([text in ("in1", "in2") for text in whole.trials.input])
        store.add("old", whole)
        store.add("new", replace(whole, sha256="b", trials=whole.trials.take(few)))
        found = join(store.host_target("new", "time", "host", "host", host_dataset="old"))
    assert len(found.unjoined) == 2
    assert "4 workloads of 'host' and 'host' joined; left out: 2 only on 'host'" in found.frame.notes


def test_gaps_cost_metrics_by_default_and_workloads_by_name(store: Store) -> None:
    frame = join(store.host_target("d", "time", "host", "target")).frame
    assert "rare counter" not in frame.names
    assert "clock" not in frame.names
    assert any("miss values on the host: rare counter" in note for note in frame.notes)
    chosen = join(store.host_target("d", "time", "host", "target", ["loads", "rare counter"])).frame
    assert chosen.names == ("loads", "rare counter", "time on host")
    assert set(chosen.labels["input"]) == {"in1"}
    assert any("miss a chosen metric (most often 'rare counter')" in note for note in chosen.notes)


def test_metrics_that_the_host_never_has_are_said(store: Store) -> None:
    back = store.host_target("d", "time", "target", "host")
    frame = join(back).frame
    assert frame.names == ("block", "energy on target", "time on target")
    assert any("the host has none of their values: loads, old counter, rare counter" in n for n in frame.notes)


def test_other_responses_have_the_same_reference_of_their_own(store: Store) -> None:
    frame = join(store.host_target("d", "energy", "host", "target")).frame
    assert frame.reference == "energy on host"
    assert "time on host" in frame.names
    assert frame.response == ENERGY


def test_a_host_in_another_dataset_and_another_unit(store: Store) -> None:
    store.add("other", an_import(("old",), sha="b", unit="cycle"))
    found = join(store.host_target("d", "time", "old", "target", host_dataset="other"))
    assert found.frame.reference == ""
    assert "time on old" in found.frame.names
    assert len(found.frame) == 6
    store.add("alike", an_import(("host",), sha="c"))
    assert (
        join(store.host_target("d", "time", "host", "target", host_dataset="alike")).frame.reference == "time on host"
    )


def test_runs_of_the_host_that_curation_leaves_out_do_not_count(store: Store) -> None:
    measured = store.measured("d")
    slow = [i for i, id in enumerate(measured.ids) if measured.machine[i] == "host" and measured.run[i] == 3]
    store.curation.apply("d", "by hand", {measured.ids[i]: "slow" for i in slow}, {}, [])
    frame = join(store.host_target("d", "time", "host", "target")).frame
    assert frame.X[0, frame.names.index("time on host")] % 1 == 0.5  # the mean of two runs
    assert any("excluded trials left out" in note for note in frame.notes)


def test_a_filter_holds_on_both_sides_and_is_said(store: Store) -> None:
    frame = join(store.host_target("d", "time", "host", "target", where=[("block", "=", "64")])).frame
    assert len(frame) == 2
    assert any("only trials with block=64" in note for note in frame.notes)


@pytest.mark.parametrize(
    ("host", "target", "why"),
    [
        ("host", "host", "both host and target"),
        ("gone", "target", "no machine 'gone'"),
        ("host", "gone", r"no machine 'gone'.*there are: host, target"),
    ],
)
def test_what_cannot_be_asked(store: Store, host: str, target: str, why: str) -> None:
    with pytest.raises(StoreError, match=why):
        store.host_target("d", "time", host, target)


def test_nothing_in_common_is_said_with_an_example(store: Store) -> None:
    one = an_import(("lonely",), sha="e")
    trials = replace(one.trials, input=tuple(f"x{i}" for i in one.trials.input))
    store.add("d", replace(one, trials=trials))
    with pytest.raises(FitError, match=r"no workload in common.*app0 · "):
        join(store.host_target("d", "time", "lonely", "target"))


def test_the_order_of_import_changes_nothing(tmp_path: Path, store: Store) -> None:
    one = an_import(sha="f")
    order = np.random.default_rng(0).permutation(len(one.trials))
    t = one.trials
    mixed = replace(
        t,
        application=tuple(t.application[i] for i in order),
        input=tuple(t.input[i] for i in order),
        machine=tuple(t.machine[i] for i in order),
        values=t.values[order],
        labels={"suite": tuple(t.labels["suite"][i] for i in order)},
    )
    store.add("mixed", replace(one, trials=mixed))
    frames = [join(store.host_target(d, "time", "host", "target")).frame for d in ("d", "mixed")]
    assert frames[0].digest() == frames[1].digest()
