"""Folders of Parquet files: the same trials as imported, drawn by hash, read in place; what is wrong is one sentence."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import OptionError, StoreError
from core.store import Store
from core.store._parquet import rows as parquet_rows
from core.store._parquet.roles import content_hashes, draw
from core.store._parquet.rows import batches
from core.store.cards import Sample
from core.store.folders import FolderRoles, open_folder
from core.trial import Import, Kind, Metric, Trials

TIME = Metric("time", Kind.RESPONSE, "s")
ROLES = FolderRoles(
    application=("app",),
    input=("size",),
    machine="gpu",
    metrics=(("time", TIME), ("misses", Metric("misses")), ("width", Metric("width", Kind.PARAMETER))),
    labels=(("suite", "suite"),),
)
N = 600


def rows(n: int = N, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "app": [f"app{i % 3}" for i in range(n)],
        "size": rng.integers(0, 4, n),
        "gpu": [f"gpu{i % 4}" for i in range(n)],
        "time": rng.lognormal(0, 2, n),
        "misses": np.where(rng.random(n) < 0.05, np.nan, rng.normal(size=n)),
        "width": rng.choice([2.0, 4.0, 8.0], n),
        "suite": [None if i % 7 == 0 else "ab"[i % 2] for i in range(n)],
    }


def write(folder: Path, n_files: int = 3, n: int = N, seed: int = 0, **more: Any) -> Path:
    table = pa.table(rows(n, seed) | more)
    folder.mkdir(parents=True, exist_ok=True)
    step = -(-n // n_files)
    for i in range(n_files):
        pq.write_table(table.slice(i * step, step), folder / f"part-{i}.parquet", row_group_size=64)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "test.duckdb") as store:
        yield store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "runs")


def the_import() -> Import:
    told = rows()
    metrics = tuple(metric for _, metric in ROLES.metrics)
    trials = Trials(
        tuple(told["app"]),
        tuple(map(str, told["size"])),
        tuple(told["gpu"]),
        metrics,
        np.column_stack([told[m.name] for m in metrics]),
        {"suite": tuple(t or "" for t in told["suite"])},
    )
    return Import("runs.csv", "a", "csv", trials)


@pytest.mark.slow
def test_small_enough_it_is_the_same_as_imported(store: Store, folder: Path) -> None:
    store.add("imported", the_import())
    store.folders.add("read", open_folder(str(folder)), ROLES)
    for where in ((), (("machine", "=", "gpu1"),), (("time", "<", "1"), ("suite", "!=", "a")), (("input", ">=", "2"),)):
        for metrics in (None, ("misses", "width")):
            mine, theirs = (store.frame(d, "time", metrics, where) for d in ("read", "imported"))
            assert mine.digest() == theirs.digest()
            assert mine.notes == theirs.notes
    assert store.labels("read") == store.labels("imported")
    assert store.metric_names("read") == store.metric_names("imported")
    assert store.has_repeats("read") == store.has_repeats("imported")
    one, other = store.metrics("read"), store.metrics("imported")
    assert [replace(m, n_distinct=0) for m in one] == [replace(m, n_distinct=0) for m in other]
    assert all(abs(a.n_distinct - b.n_distinct) <= 0.1 * b.n_distinct for a, b in zip(one, other, strict=True))
    cards = {card.name: card for card in store.datasets.all()}
    for name in ("n_trials", "n_applications", "n_inputs", "n_machines", "n_metrics", "responses"):
        assert getattr(cards["read"], name) == getattr(cards["imported"], name), name
    sides = [store.host_target(d, "time", "gpu0", "gpu1") for d in ("read", "imported")]
    assert sides[0].host.frame.digest() == sides[1].host.frame.digest()
    assert len(store.trials("read")) == len(store.measured("read")) == N


def test_a_sample_says_so_and_depends_on_contents_alone(store: Store, tmp_path: Path, folder: Path) -> None:
    told = rows()
    mixed = np.random.default_rng(1).permutation(N)
    again = tmp_path / "again"
    again.mkdir()
    names = list(told)[::-1]
    for i, part in enumerate(np.array_split(mixed, 7)):
        table = pa.table({name: [told[name][j] for j in part] for name in names})
        pq.write_table(table, again / f"z{9 - i}.parquet", row_group_size=17)
    store.folders.add("one", open_folder(str(folder)), ROLES)
    store.folders.add("other", open_folder(str(again)), ROLES)
    one, other = (store.frame(d, "time", ("width",), sample=Sample(100)) for d in ("one", "other"))
    assert len(one) == 100
    assert one.notes[0] == "100 of 600 trials, by hash"
    assert one.digest() == other.digest()
    assert store.frame("one", "time", ("width",), sample=Sample(100, seed=1)).digest() != one.digest()
    few = store.frame("one", "time", ("width",), (("machine", "=", "gpu1"),), sample=Sample(100))
    assert few.notes[:2] == ("100 of 150 trials, by hash", "only trials with machine=gpu1")


def test_a_sample_is_like_the_whole(tmp_path: Path) -> None:
    folder = open_folder(str(write(tmp_path / "many", n=20_000)))
    drawn = draw(batches(folder, ["time", "gpu"]), 4_000)
    assert drawn.n_of == 20_000
    assert abs(np.mean(np.log(drawn.rows["time"].to_numpy()))) < 4 * 2 / np.sqrt(4_000)
    counts = np.unique(drawn.rows["gpu"].to_numpy(zero_copy_only=False), return_counts=True)[1]
    assert (np.abs(counts - 1_000) < 4 * np.sqrt(750)).all()


def test_hashes_see_numbers_not_how_they_are_kept() -> None:
    plain = pa.RecordBatch.from_pydict(
        {"x": pa.array([0.0, 1.0, None]), "t": pa.array(["a", None, "b"]).dictionary_encode()}
    )
    other = pa.RecordBatch.from_pydict(
        {
            "t": pa.array(["b", "a", None, "b"]).dictionary_encode()[1:].cast(pa.dictionary(pa.int32(), pa.string())),
            "x": pa.array([-0.0, 1.0, None]),
        }
    )
    assert np.array_equal(content_hashes(plain), content_hashes(other))
    assert len(set(content_hashes(plain).tolist())) == 3


def test_workloads_of_host_and_target_are_drawn_together(store: Store, tmp_path: Path) -> None:
    n = 2_000
    table = {
        "app": ["a"] * 2 * n,
        "size": list(range(n)) * 2,
        "gpu": ["host"] * n + ["target"] * n,
        "time": np.random.default_rng(0).lognormal(size=2 * n),
        "misses": np.arange(2.0 * n),
        "width": np.ones(2 * n),
        "suite": ["a"] * 2 * n,
    }
    (tmp_path / "pairs").mkdir()
    pq.write_table(pa.table(table), tmp_path / "pairs" / "a.parquet")
    store.folders.add("pairs", open_folder(str(tmp_path / "pairs")), ROLES)
    sides = store.host_target("pairs", "time", "host", "target", ("misses",), sample=Sample(400))
    shared = set(sides.host.frame.labels["input"]) & set(sides.target.frame.labels["input"])
    assert len(shared) == 200
    assert sides.target.frame.notes[0] == "400 of 4,000 trials, by hash"


def test_the_summary_is_of_all_rows(store: Store, folder: Path) -> None:
    store.folders.add("read", open_folder(str(folder)), ROLES)
    found, told = store.folders.summary("read"), rows()
    time, misses, width = found.metrics
    assert (width.n_distinct, width.quantiles) == (
        3,
        tuple(np.quantile(told["width"], [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")),
    )
    assert sum(width.counts) == N
    assert (time.n_values, time.n_missing, time.low, time.high) == (N, 0, told["time"].min(), told["time"].max())
    assert misses.n_missing == int(np.isnan(told["misses"]).sum())
    assert misses.mean == pytest.approx(np.nanmean(told["misses"]), rel=1e-12)
    assert time.log
    assert np.allclose(
        np.log(time.quantiles), np.log(np.quantile(told["time"], [0.05, 0.25, 0.5, 0.75, 0.95])), atol=0.05
    )
    assert np.array_equal(time.counts, np.bincount(np.searchsorted(time.edges[1:], told["time"]), minlength=960))
    ok = ~np.isnan(told["misses"])
    expected = np.corrcoef(np.log(told["time"][ok]), told["misses"][ok])[0, 1]
    assert found.correlations[0][1] == pytest.approx(expected, abs=1e-8)
    assert found.texts["machine"] == ("gpu0", "gpu1", "gpu2", "gpu3")
    assert found.n_inputs == 12
    store.add("imported", the_import())
    with pytest.raises(StoreError, match="is no folder"):
        store.folders.summary("imported")


def test_many_values_are_counted_in_bins(store: Store, tmp_path: Path) -> None:
    told = rows(20_000)
    store.folders.add("many", open_folder(str(write(tmp_path / "many", n=20_000))), ROLES)
    time = store.folders.summary("many").metrics[0]
    assert abs(time.n_distinct - 20_000) < 1_500
    assert np.array_equal(time.counts, np.bincount(np.searchsorted(time.edges[1:], told["time"]), minlength=960))
    assert np.allclose(
        np.log(time.quantiles), np.log(np.quantile(told["time"], [0.05, 0.25, 0.5, 0.75, 0.95])), atol=0.01
    )


def test_hive_folders_are_columns(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = rows()
    for gpu in range(4):
        at = [i for i in range(N) if i % 4 == gpu]
        home = tmp_path / "hive" / f"gpu=gpu{gpu}"
        home.mkdir(parents=True)
        pq.write_table(pa.table({k: [v[i] for i in at] for k, v in told.items() if k != "gpu"}), home / "a.parquet")
    (tmp_path / "hive" / "_SUCCESS").touch()
    store.add("imported", the_import())
    store.folders.add("hive", open_folder(str(tmp_path / "hive")), ROLES)
    assert store.frame("hive", "time").digest() == store.frame("imported", "time").digest()
    opened: list[str] = []
    real = parquet_rows._opened
    monkeypatch.setattr(parquet_rows, "_opened", lambda place, file: opened.append(file.name) or real(place, file))
    where = (("machine", "=", "gpu2"),)
    assert store.frame("hive", "time", where=where).digest() == store.frame("imported", "time", where=where).digest()
    assert opened == ["gpu=gpu2/a.parquet"]
    with pytest.raises(StoreError, match="No trial fulfils machine=gpu9"):
        store.frame("hive", "time", where=(("machine", "=", "gpu9"),))


def test_rows_of_columns_that_are_folders_names_alone_come_once(tmp_path: Path) -> None:
    for clock in ("1.5", "2.5"):
        home = tmp_path / f"clock={clock}"
        home.mkdir()
        pq.write_table(pa.table({"time": [1.0, 2.0, 3.0]}), home / "a.parquet")
    told = [batch.to_pydict() for batch in parquet_rows.batches(open_folder(str(tmp_path)), ["clock"])]
    assert told == [{"clock": [1.5] * 3}, {"clock": [2.5] * 3}]


def test_any_fsspec_address(store: Store, folder: Path) -> None:
    memory = fsspec.filesystem("memory")
    for file in folder.iterdir():
        memory.pipe(f"/ridgeline-test/{file.name}", file.read_bytes())
    store.add("imported", the_import())
    store.folders.add("far", open_folder("memory://ridgeline-test"), ROLES)
    assert store.frame("far", "time").digest() == store.frame("imported", "time").digest()
    memory.rm("/ridgeline-test", recursive=True)


def test_other_types_of_the_same_numbers(store: Store, tmp_path: Path) -> None:
    told = rows()
    told |= {
        "width": pa.array([int(w) for w in told["width"]], pa.int16()),
        "app": pa.array(told["app"]).dictionary_encode(),
    }
    (tmp_path / "typed").mkdir()
    pq.write_table(pa.table(told), tmp_path / "typed" / "a.parquet")
    store.add("imported", the_import())
    store.folders.add("typed", open_folder(str(tmp_path / "typed")), ROLES)
    assert store.frame("typed", "time").digest() == store.frame("imported", "time").digest()


# --- what is wrong is said in one sentence ---


def _without(path: Path, folder_too: bool = False) -> None:
    for each in path.iterdir():
        each.unlink()
    if folder_too:
        path.rmdir()


def _emptied(path: Path) -> None:
    for each in path.iterdir():
        pq.write_table(pq.read_table(each).slice(0, 0), each)


def _with_texts(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.column_names.index("time"), "time", pa.array(["fast"] * len(table))), path)


WAYS: dict[str, Callable[[Path, Path], object]] = {
    "gone": lambda folder, file: _without(folder, folder_too=True),
    "empty": lambda folder, file: _without(folder),
    "cut": lambda folder, file: file.write_bytes(file.read_bytes()[:-100]),
    "no parquet": lambda folder, file: file.write_text("time,misses\n1,2\n"),
    "no rows": lambda folder, file: _emptied(folder),
    "other columns": lambda folder, file: pq.write_table(pq.read_table(file).drop_columns(["width"]), file),
    "texts": lambda folder, file: _with_texts(file),
    "new": lambda folder, file: pq.write_table(pa.table(rows(10)), folder / "part-9.parquet"),
}


def broken(path: Path, how: str) -> None:
    WAYS[how](path, path / "part-1.parquet")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("gone", "There is no folder"),
        ("empty", "holds no Parquet files"),
        ("cut", "part-1.parquet of .* cannot be read"),
        ("no parquet", "part-1.parquet of .* cannot be read"),
        ("no rows", "hold no rows"),
        ("other columns", "part-1.parquet of .* has no column 'width', which part-0.parquet has"),
        ("texts", "Column 'time' holds texts in part-1.parquet of .* and numbers in part-0.parquet"),
    ],
)
def test_a_folder_that_is_no_use(folder: Path, how: str, said: str) -> None:
    broken(folder, how)
    with pytest.raises(StoreError, match=said) as told:
        open_folder(str(folder))
    assert "\n" not in str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "said"),
    [("gone", "There is no folder"), ("cut", "is not what it was on .*: 1 file is changed"), ("new", "1 file is new")],
)
def test_a_folder_that_changed(store: Store, folder: Path, how: str, said: str) -> None:
    store.folders.add("read", open_folder(str(folder)), ROLES)
    broken(folder, how)
    with pytest.raises(StoreError, match=said):
        store.frame("read", "time")
    assert store.datasets.all()[0].n_trials == N
    if how == "new":
        before = store.datasets.all()[0].revision
        store.folders.add("read", open_folder(str(folder)), ROLES)
        assert len(store.frame("read", "time", gaps="metrics")) == N + 10
        assert store.datasets.all()[0].revision > before


def test_damage_inside_a_file_names_it(store: Store, folder: Path) -> None:
    file = folder / "part-2.parquet"
    raw = bytearray(file.read_bytes())
    raw[8 : len(raw) // 2] = bytes(len(raw) // 2 - 8)
    file.write_bytes(raw)
    with pytest.raises(StoreError, match=r"part-2.parquet of .* cannot be read as Parquet"):
        store.folders.add("read", open_folder(str(folder)), ROLES)
    assert store.datasets.all() == ()


def test_infinite_and_texts_and_unknown_columns(store: Store, tmp_path: Path) -> None:
    told = rows()
    told["misses"][5] = np.inf
    wrong = open_folder(str(write(tmp_path / "inf", misses=told["misses"])))
    with pytest.raises(StoreError, match="Metric 'misses' is infinite"):
        store.folders.add("read", wrong, ROLES)
    with pytest.raises(StoreError, match=r"The response 'suite' of .* holds texts, expected numbers"):
        store.folders.add("read", wrong, replace(ROLES, metrics=(("suite", TIME),), labels=()))
    with pytest.raises(StoreError, match="has no column 'nothing'; its columns are: app"):
        store.folders.add("read", wrong, replace(ROLES, machine="nothing"))
    assert store.datasets.all() == ()


def test_it_is_only_read(store: Store, folder: Path) -> None:
    store.folders.add("read", open_folder(str(folder)), ROLES)
    ids = store.frame("read", "time").ids[:2]
    for change in (
        lambda: store.curation.exclude("read", ids, "mad", "far"),
        lambda: store.curation.include("read", ids),
        lambda: store.curation.apply("read", "mad", {}),
        lambda: store.curation.undo("read", "mad"),
        lambda: store.machines.set("read", "gpu0", {Metric("clock", Kind.MACHINE): 1.0}),
        lambda: store.add("read", the_import()),
    ):
        with pytest.raises(StoreError, match="is a folder of Parquet files that is only read"):
            change()
    assert (store.curation.hidden("read"), store.curation.audit("read"), store.curation.exclusions("read")) == (
        (),
        (),
        (),
    )
    store.add("imported", the_import())
    with pytest.raises(StoreError, match="holds imported trials"):
        store.folders.add("imported", open_folder(str(folder)), ROLES)
    with pytest.raises(StoreError, match="in one dataset"):
        store.host_target("read", "time", "gpu0", "gpu1", host_dataset="imported")
    with pytest.raises(StoreError, match="A sample is drawn of a folder only"):
        store.frame("imported", "time", sample=Sample(10))
    with pytest.raises(OptionError, match="There is no column 'nothing' to filter by"):
        store.frame("read", "time", where=(("nothing", "=", "1"),))


def test_renamed_deleted_and_reopened(tmp_path: Path, folder: Path) -> None:
    with Store.open(tmp_path / "x.duckdb") as store:
        store.folders.add("read", open_folder(str(folder)), ROLES)
        store.datasets.rename("read", "kept")
    with Store.open(tmp_path / "x.duckdb") as store:
        assert len(store.frame("kept", "time", gaps="metrics")) == N
        (card,) = store.datasets.all()
        assert card.folder == str(folder)
        (source,) = store.datasets.sources("kept")
        assert (source.n_trials, source.format) == (N, "parquet folder")
        store.datasets.delete("kept")
        assert store.datasets.all() == ()
    with duckdb.connect(str(tmp_path / "x.duckdb")) as left:
        assert left.execute("SELECT count(*) FROM folder").fetchall() == [(0,)]
    assert len(list(folder.iterdir())) == 3


def test_the_database_that_counts_reaches_no_file(folder: Path) -> None:
    from core.store.scratch import in_memory

    with in_memory("64MB") as database:
        for attack in (
            f"SELECT * FROM read_parquet('{folder}/part-0.parquet')",
            f"COPY (SELECT 1) TO '{folder}/x.csv'",
            f"ATTACH '{folder}/x.duckdb'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(duckdb.Error):
                database.execute(attack)
