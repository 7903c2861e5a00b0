"""The store keeps every number, all of an import or nothing, and says so in one sentence when it cannot."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from core.errors import OptionError, StoreError
from core.ingest import SourceFile, drop, parts_of
from core.store import Store
from core.store import _rows as facts_module
from core.trial import Facts, Import, Kind, Metric, Trials
from core.validate.folds import default_folds
from tests.made import jobs_of

TIME = Metric("time", Kind.RESPONSE, "s")
MISSES = Metric("misses", Kind.COUNTER)
WIDTH = Metric("width", Kind.PARAMETER)
CLOCK = Metric("clock", Kind.MACHINE, "MHz")
WORK = Metric("work", Kind.DETERMINISTIC)


def an_import(n: int = 24, seed: int = 0, sha: str = "a", order: np.ndarray | None = None) -> Import:
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.lognormal(size=n), rng.normal(size=n), np.tile([2.0, 4.0], n // 2)])
    names = [(f"app{i % 3}", f"in{i % 2}", f"gpu{i % 4}") for i in range(n)]
    rows = np.arange(n) if order is None else order
    return Import(
        source="run.csv",
        sha256=sha,
        format="csv",
        trials=Trials(
            application=tuple(names[i][0] for i in rows),
            input=tuple(names[i][1] for i in rows),
            machine=tuple(names[i][2] for i in rows),
            metrics=(TIME, MISSES, WIDTH),
            values=values[rows],
            labels={"suite": tuple("ab"[i % 2] for i in rows)},
        ),
        machines=Facts(
            tuple((f"gpu{i}",) for i in range(5)),
            (CLOCK,),
            np.array([[700.0], [900.0], [np.nan], [1100.0], [1.0]]),
            {"vendor": ("n", "n", "a", "a", "a")},
        ),
        inputs=Facts(
            tuple((f"app{a}", f"in{i}") for a in range(3) for i in range(2)), (WORK,), np.arange(6.0)[:, None] ** 3
        ),
    )


@pytest.fixture
def store(tmp_path: Path):
    with Store.open(tmp_path / "test.duckdb") as store:
        yield store


def test_frame_equals_a_pivot_made_by_hand(store: Store) -> None:
    imported = an_import()
    receipt = store.add("d", imported)
    assert (receipt.n_trials, receipt.n_metrics, receipt.already) == (24, 5, None)
    frame = store.frame("d", "time", ["misses", "width", "work"])
    t = imported.trials
    work = dict(zip(imported.inputs.keys, imported.inputs.values[:, 0], strict=True))
    expected = {
        (t.values[i, 0], t.values[i, 1], t.values[i, 2], work[(t.application[i], t.input[i])]) for i in range(24)
    }
    assert {(y, *row) for y, row in zip(frame.y, frame.X.tolist(), strict=True)} == expected
    assert frame.labels["suite"] != frame.labels["machine"]
    assert set(frame.labels["vendor"]) == {"n", "a"}


@pytest.mark.slow
@pytest.mark.parametrize("value", [0.1, 5e-324, 1.7976931348623157e308, 2.0**53 - 1, -0.0, 1 / 3, 123456789.123456789])
def test_numbers_come_back_bit_for_bit(store: Store, value: float) -> None:
    one = an_import(2)
    values = one.trials.values.copy()
    values[0, 1] = value
    store.add("d", replace(one, trials=replace(one.trials, values=values)))
    back = store.frame("d", "time", ["misses"])
    row = int(np.flatnonzero(back.y == values[0, 0])[0])
    assert back.X[row, 0].tobytes() == np.float64(value).tobytes()


def test_default_metrics_are_known_before_a_run_and_complete(store: Store) -> None:
    store.add("d", an_import())
    frame = store.frame("d", "time")
    assert {name for name in frame.names if "=" not in name} == {"width", "work"}
    assert "clock" in " ".join(frame.notes)


def test_machines_of_which_only_the_name_is_known_are_predicted_from_by_it(store: Store) -> None:
    one = an_import()
    store.add("d", replace(one, machines=None, trials=replace(one.trials, labels={})))
    frame = store.frame("d", "time", where=[("application", "=", "app0")])
    names = [name for name in frame.names if name.startswith("machine=")]
    assert names == [f"machine={machine}" for machine in sorted(set(frame.labels["machine"]))]
    assert f"no metric tells the {len(names)} machines apart, so the machine itself is predicted from" in frame.notes
    assert str(default_folds(frame)) != "by:machine"
    told = frame.X[:, frame.names.index("machine=gpu2")]
    assert told.tolist() == [float(machine == "gpu2") for machine in frame.labels["machine"]]
    assert set(store.frame("d", "time", ["work", "machine"]).names) == {"work", *names}
    assert not [name for name in store.frame("d", "time", ["work"]).names if "=" in name]


def test_names_beside_a_counter_that_tells_nothing_are_predicted_from_on_several_machines(store: Store) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"{m},{d},{b},{work * b / speed * rng.uniform(0.98, 1.02):.4f},{rng.uniform(0.3, 0.6):.3f}"
        for m, work in (("tiny", 1), ("base", 6), ("large", 30))
        for d, speed in (("orin", 1), ("xavier", 0.4), ("rpi", 0.02), ("t4", 2.5))
        for b in (1, 4, 16)
    ]
    text = "\n".join(("model,device,batch,latency_ms,cache_miss_rate", *rows))
    (imported,) = drop(parts_of([SourceFile("edge.csv", text.encode())])).gathered().imports
    store.add("d", imported)
    frame = store.frame("d", "latency_ms")
    assert {"application=tiny", "machine=rpi", "cache_miss_rate"} <= set(frame.names)
    assert str(default_folds(frame)).startswith("kfold")


def test_trials_without_a_chosen_metric_are_counted(store: Store) -> None:
    store.add("d", an_import())
    frame = store.frame("d", "time", ["clock"])
    assert len(frame) == 18
    assert frame.notes == ("6 trials without a chosen metric (most often 'clock') left out",)


def test_row_order_of_the_file_is_irrelevant(tmp_path: Path) -> None:
    order = np.random.default_rng(1).permutation(24)
    frames = []
    for name, imported in (("a", an_import()), ("b", an_import(order=order))):
        with Store.open(tmp_path / f"{name}.duckdb") as store:
            store.add("d", imported)
            frames.append(store.frame("d", "time", ["misses", "width", "work"]))
    assert np.array_equal(frames[0].X, frames[1].X)
    assert np.array_equal(frames[0].configuration, frames[1].configuration)


def test_repeats_share_a_configuration_and_are_numbered(store: Store) -> None:
    store.add("d", an_import(24))
    frame = store.frame("d", "time", ["misses"])
    assert len(set(frame.configuration)) == 12
    store.add("d", replace(an_import(24, seed=1), sha256="b"))
    assert len(set(store.frame("d", "time", ["misses"]).configuration)) == 12
    assert store.trials("d")["run"].max() == 4


def test_a_file_with_its_settings_in_another_order_repeats(store: Store) -> None:
    """The columns of what was set stand in any order, also in files of one dataset."""
    whole, depth = an_import(), Metric("depth", Kind.PARAMETER)
    metrics = (*whole.trials.metrics, depth)
    values = np.column_stack([whole.trials.values, np.repeat([1.0, 2.0], 12)])
    for sha, order in (("a", [0, 1, 2, 3]), ("b", [0, 1, 3, 2])):
        trials = replace(whole.trials, metrics=tuple(metrics[j] for j in order), values=values[:, order])
        moved = replace(trials, values=trials.values + np.array([1e-3, 0, 0, 0]) * (sha == "b"))
        store.add("d", replace(whole, trials=moved, sha256=sha))
    frame = store.frame("d", "time", ["misses", "width", "depth"])
    assert np.bincount(frame.configuration).tolist() == [2] * 24
    assert store.trials("d")["run"].tolist() == [1] * 24 + [2] * 24


def test_a_zero_that_was_rounded_from_below_is_the_same_setting(store: Store) -> None:
    whole = an_import()
    zeros = np.column_stack([whole.trials.values[:, :2], np.repeat([0.0, -0.0], 12)])
    store.add("d", replace(whole, trials=replace(whole.trials, values=zeros)))
    frame = store.frame("d", "time", ["misses", "width"])
    assert len(set(frame.configuration)) == 12


def test_the_same_file_is_recognised(store: Store) -> None:
    store.add("d", an_import())
    again = store.add("d", replace(an_import(), source="copy.csv"))
    assert again.n_trials == 0
    assert again.already.startswith("copy.csv was already imported on 20")
    assert store.add("other", an_import()).already is None
    assert [c.n_trials for c in store.datasets.all()] == [24, 24]


def test_files_of_one_form_are_stored_as_one_after_the_other(tmp_path: Path) -> None:
    files = [replace(an_import(seed=i), source=f"{i}.csv", sha256=str(i)) for i in range(6)]
    files[1] = replace(files[1], warnings=("its own",), machines=None)
    files[3] = replace(files[3], trials=replace(files[3].trials, labels={}))
    files[5] = replace(files[5], sha256="4", source="copy.csv")
    found = []
    for several in ([[file] for file in files], [files]):
        with Store.open(tmp_path / f"{len(several)}.duckdb") as store:
            receipts = [receipt for some in several for receipt in store.add_all("d", some)]
            assert receipts[1].warnings == ("its own",)
            assert [r.n_trials for r in receipts] == [24] * 5 + [0]
            assert receipts[5].already.startswith("copy.csv was already imported on 20")
            sources = [(c.name, c.sha256, c.n_trials, c.warnings) for c in store.datasets.sources("d")]
            metrics = ["misses", "width", "clock", "work"]
            found.append((store.trials("d"), sources, store.frame("d", "time", metrics).X))
    (trials, sources, values), (others, alike, same) = found
    pd.testing.assert_frame_equal(trials, others)
    assert sources == alike
    assert np.array_equal(values, same)


def test_an_import_that_is_given_twice_is_stored_once(store: Store) -> None:
    same = an_import()
    assert [receipt.n_trials for receipt in store.add_all("d", [same, an_import(seed=1, sha="b"), same])] == [24, 24, 0]


def test_a_known_file_may_bring_facts_that_are_new(store: Store) -> None:
    whole = an_import()
    store.add("d", replace(whole, machines=None))
    again = store.add("d", whole)
    assert again.n_trials == 0
    assert again.already.endswith("; 4 values of machines and inputs added")
    assert store.add("d", whole).already.endswith("; nothing was stored")
    assert len(store.frame("d", "time", ["clock", "work"])) == 18


def test_an_import_that_fails_midway_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add("before", an_import())
    real, calls = facts_module.insert_from, []

    def failing(cursor, sql, batches, values=()):
        calls.append(sql.split()[2])
        if calls[-1] == "machine_metric":
            raise duckdb.IOException("pulled the plug")
        real(cursor, sql, batches, values)

    monkeypatch.setattr(facts_module, "insert_from", failing)
    with pytest.raises(StoreError):
        store.add("d", an_import(sha="b"))
    assert "measurement" in calls
    assert [c.name for c in store.datasets.all()] == ["before"]
    monkeypatch.undo()
    assert store.add("d", an_import(sha="b")).n_trials == 24


def test_facts_that_contradict_are_refused_whole(store: Store) -> None:
    store.add("d", an_import())
    other = an_import(seed=1, sha="b")
    values = other.machines.values.copy()
    values[0, 0] = 701.0
    with pytest.raises(StoreError, match="'clock' of machine 'gpu0' is 701 here and 700 in dataset 'd'"):
        store.add("d", replace(other, machines=replace(other.machines, values=values)))
    assert store.datasets.all()[0].n_trials == 24
    assert store.add("d", other).n_trials == 24


def test_facts_of_one_key_twice_in_an_import_are_stored_once_and_must_agree(store: Store, tmp_path: Path) -> None:
    made, twice = an_import(), [0, 1, 2, 3, 4, 0]
    store.add("d", replace(made, machines=made.machines.take(twice)))
    store.add("once", made)
    assert store.frame("d", "time", ["clock"]).digest() == store.frame("once", "time", ["clock"]).digest()
    store.close()
    with duckdb.connect(str(tmp_path / "test.duckdb"), read_only=True) as database:
        for table in ("machine_metric", "machine_label"):
            sql = f"SELECT count(*), count(DISTINCT (machine, COLUMNS('metric|name'))) FROM {table}"
            assert len(set(database.execute(sql).fetchall()[0])) == 1, table
    wrong = made.machines.take(twice)
    wrong.values[5, 0] = 701.0
    with Store.open(tmp_path / "new.duckdb") as new, pytest.raises(StoreError, match="'clock' of machine 'gpu0'"):
        new.add("d", replace(made, machines=wrong))


def test_one_name_with_two_units_becomes_two_metrics(store: Store) -> None:
    store.add("d", an_import())
    other = an_import(seed=1, sha="b")
    metrics = (replace(TIME, unit="us"), MISSES, WIDTH)
    receipt = store.add("d", replace(other, trials=replace(other.trials, metrics=metrics)))
    assert "kept apart as 'time [us]'" in receipt.warnings[0]
    assert len(store.frame("d", "time", ["misses"])) == len(store.frame("d", "time [us]", ["misses"])) == 24


def test_several_files_are_one_transaction(store: Store) -> None:
    bad = an_import(seed=1, sha="b")
    values = bad.trials.values.copy()
    values[3, 1] = np.inf
    with pytest.raises(StoreError, match="'misses' is infinite"):
        store.add_all("d", [an_import(), replace(bad, trials=replace(bad.trials, values=values))])
    assert store.datasets.all() == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "n"),
    [
        ([("machine", "=", "gpu1")], 6),
        ([("machine", "!=", "gpu1"), ("suite", "=", "a")], 12),
        ([("width", ">=", "4")], 12),
        ([("vendor", "=", "a")], 12),
        ([("work", "<", "2")], 8),
    ],
)
def test_filters(store: Store, where, n: int) -> None:
    store.add("d", an_import())
    assert len(store.frame("d", "time", ["misses"], where)) == n
    assert len(store.trials("d", where)) == n


def test_unknown_names_list_what_there_is(store: Store) -> None:
    store.add("d", an_import())
    with pytest.raises(StoreError, match="no dataset 'x'; there are: d"):
        store.frame("x", "time")
    with pytest.raises(StoreError, match="no metric 'tim' in dataset 'd'; there are: time"):
        store.frame("d", "tim")
    with pytest.raises(OptionError, match="no column 'gpu'"):
        store.frame("d", "time", where=[("gpu", "=", "1")])
    with pytest.raises(OptionError, match=r"no column 'kernel'.* 'app0' stands in application: application=app0\.$"):
        store.frame("d", "time", where=[("kernel", "=", "app0")])
    with pytest.raises(OptionError, match="'width > wide' compares numbers, and 'wide' is none"):
        store.frame("d", "time", where=[("width", ">", "wide")])
    with pytest.raises(StoreError, match="No trial fulfils machine=gpu9"):
        store.frame("d", "time", where=[("machine", "=", "gpu9")])


@pytest.mark.parametrize("header", ["time [s]", "time (s)", "time/s", "time, s"])
def test_a_metric_is_found_by_the_header_that_it_had(store: Store, header: str) -> None:
    store.add("d", an_import())
    frame = store.frame("d", header)
    assert frame.response.name == "time"
    assert frame.y.tolist() == store.frame("d", "time").y.tolist()
    with pytest.raises(StoreError, match=r"no metric 'time \[ms\]'"):
        store.frame("d", "time [ms]")


def test_excluded_trials_do_not_count_and_can_return(store: Store) -> None:
    store.add("d", an_import())
    ids = store.frame("d", "time", ["misses"]).ids[:2]
    store.curation.exclude("d", ids, "by hand", "fan was off")
    frame = store.frame("d", "time", ["misses"])
    assert len(frame) == 22
    assert "2 excluded trials" in frame.notes[0]
    assert {e.reason for e in store.curation.exclusions("d")} == {"fan was off"}
    store.curation.include("d", ids)
    assert len(store.frame("d", "time", ["misses"])) == 24
    with pytest.raises(StoreError, match="not in the dataset"):
        store.curation.exclude("d", ["00000000-0000-0000-0000-000000000000"], "x", "y")


def test_cards(store: Store) -> None:
    store.add("d", an_import())
    (card,) = store.datasets.all()
    assert (card.n_applications, card.n_inputs, card.n_machines, card.n_metrics) == (3, 6, 4, 5)
    assert [str(r) for r in card.responses] == ["time (s)"]
    by_name = {m.metric.name: m for m in store.metrics("d")}
    assert (by_name["clock"].n_missing, by_name["clock"].low, by_name["clock"].high) == (6, 700.0, 1100.0)
    assert store.datasets.sources("d")[0].name == "run.csv"
    assert store.labels("d")["machine"] == ("gpu0", "gpu1", "gpu2", "gpu3")


def test_rename_and_delete(store: Store) -> None:
    store.add("d", an_import())
    store.add("e", an_import())
    with pytest.raises(StoreError, match="There is a dataset 'e' already"):
        store.datasets.rename("d", "e")
    store.datasets.rename("d", "f")
    store.datasets.delete("f")
    assert [c.name for c in store.datasets.all()] == ["e"]
    assert len(store.frame("e", "time", ["misses"])) == 24
    assert store.add("f", an_import()).n_trials == 24


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["'; DROP TABLE trial; --", 'say "x"', "a\nb", "emoji 🎈", "x" * 200, "<img src=x>", "a\x00b"]
)
def test_hostile_names_are_data(store: Store, name: str) -> None:
    imported = an_import(2)
    trials = replace(imported.trials, application=(name, "b"), metrics=(TIME, Metric(name), WIDTH))
    store.add(name if "\x00" not in name else "d", replace(imported, trials=trials, inputs=None))
    (card,) = store.datasets.all()
    frame = store.frame(card.name, "time", [name])
    assert name in frame.labels["application"]
    assert frame.names == (name,)


@pytest.mark.slow
def test_threads_see_whole_and_right_answers(store: Store) -> None:
    store.add("d", an_import())
    expected = store.frame("d", "time", ["misses"]).digest()
    wrong: list[object] = []

    def read(k: int) -> None:
        for _ in range(15):
            if store.frame("d", "time", ["misses"]).digest() != expected:
                wrong.append(k)

    def write(k: int) -> None:
        for i in range(4):
            store.add(f"w{k}", an_import(seed=i, sha=f"{k}-{i}"))

    threads = [threading.Thread(target=f, args=(k,)) for k in range(3) for f in (read, write)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert {c.name: c.n_trials for c in store.datasets.all()} == {"d": 24, "w0": 96, "w1": 96, "w2": 96}


def test_models_and_jobs(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with Store.open(path) as store:
        raw = json.dumps({"a": 0.1}).encode()
        key = store.models.save(
            "first",
            raw,
            dataset="d",
            recipe="eiger",
            response="time",
            n_trials=9,
            scores={"mape": 3.5},
            options={"k": 1},
        )
        store.jobs.start("validate", "long work")
        done = store.jobs.start("validate", "short work")
        store.jobs.finish(done, "done", "fine")
    with Store.open(path) as store:
        (card,) = store.models.all()
        assert (card.name, card.scores, card.options) == ("first", {"mape": 3.5}, {"k": 1})
        assert store.models.get(key) == raw
        store.models.rename(key, "second")
        assert store.models.all()[0].name == "second"
        assert {title: state for _, title, state in jobs_of(store)} == {
            "long work": "interrupted",
            "short work": "done",
        }
        store.models.delete(key)
        with pytest.raises(StoreError, match="no saved model"):
            store.models.get(key)


def test_backup_opens_and_equals(store: Store, tmp_path: Path) -> None:
    store.add("d", an_import())
    copy = store.backup()
    with Store.open(copy) as other:
        assert other.frame("d", "time", ["misses"]).digest() == store.frame("d", "time", ["misses"]).digest()


def test_large_frame_equals_pandas_pivot(store: Store) -> None:
    n, p = 3000, 12
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, p))
    values[rng.random((n, p)) < 0.05] = np.nan
    values[:, 0] = np.arange(n)
    metrics = tuple(Metric(f"m{j}") for j in range(p))
    trials = Trials(tuple(f"a{i}" for i in range(n)), ("",) * n, ("",) * n, metrics, values)
    store.add("d", Import("f", "s", "csv", trials))
    names = [f"m{j}" for j in range(1, p)]
    frame = store.frame("d", "m0", names)
    table = pd.DataFrame(values, columns=[m.name for m in metrics]).dropna().sort_values("m0")
    order = np.argsort(frame.y)
    assert np.array_equal(frame.X[order], table[names].to_numpy())


def test_names_and_notes_have_an_end(tmp_path: Path) -> None:
    """A name of a hundred thousand letters would fill every page that shows it."""
    with Store.open(tmp_path / "x.duckdb") as store:
        kept = {"dataset": "d", "recipe": "r", "response": "time", "n_trials": 1, "scores": {}, "options": {}}
        with pytest.raises(StoreError, match=r"The name of a model has at most 200 characters; .* has 100,000"):
            store.models.save("x" * 100_000, b"{}", **kept)
        with pytest.raises(StoreError, match="A note has at most 4,000 characters; this one has 4,001"):
            store.models.save("m", b"{}", **kept, note="x" * 4001)
        with pytest.raises(StoreError, match="The name of a dataset has at most 200"):
            store.add("x" * 201, an_import())
        assert (store.models.all(), store.datasets.all()) == ((), ())
