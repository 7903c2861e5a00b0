"""An Eiger database by its schema, its dumps, its offline log and the CSV of the same trials give identical frames."""

import csv
import gzip
import random
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.ingest import Mapping, SourceFile, find_reader
from core.ingest.joining.merge import join_inputs, join_machines
from core.store import Store
from core.trial import Frame, Import, Kind, Metric
from tests.ingest.eiger_files import Experiment, database, experiment, log, mysql_dump, sqlite_dump, table

ROLES = Mapping(application=("application",), input=("dataset",), machine="machine")
FORMS = {
    "trials.db": lambda made: database(made),
    "trials.db.gz": lambda made: gzip.compress(database(made), mtime=0),
    "sqlite.sql": lambda made: sqlite_dump(made).encode(),
    "mysql.sql": lambda made: mysql_dump(made).encode(),
    "fakeeiger.log.a1B2c3": lambda made: log(made).encode(),
}


def read(name: str, raw: bytes, mapping: Mapping | None = None) -> Import:
    file = SourceFile(name, raw)
    return find_reader(file).read(file, mapping)


def frame(folder: Path, imported: Import, response: str = "time", metrics: tuple[str, ...] | None = None) -> Frame:
    with Store.open(folder / "store.duckdb") as store:
        store.add(imported.source, imported)
        return store.frame(imported.source, response, metrics)


def assert_identical(own: Frame, other: Frame) -> None:
    assert own.metrics == other.metrics
    assert own.response == other.response
    assert own.X.tobytes() == other.X.tobytes()
    assert own.y.tobytes() == other.y.tobytes()
    assert own.labels == other.labels
    assert own.configuration.tobytes() == other.configuration.tobytes()
    assert own.notes == other.notes
    assert replace(own, ids=other.ids).digest() == other.digest()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_frame_of_the_csv(tmp_path: Path, form: str) -> None:
    made = experiment()
    expected = frame(tmp_path, read("trials.csv", table(made).encode(), ROLES))
    assert expected.X.shape == (24, 8)  # four metrics, and an indicator for each of four datasets
    assert_identical(frame(tmp_path, read(form, FORMS[form](made))), expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_the_frame_of_the_csv_whose_roles_are_guessed(tmp_path: Path, form: str) -> None:
    made = experiment()
    names = ("l2 misses", "clock_mhz", "flops")
    expected = frame(tmp_path, read("trials.csv", table(made).encode()), "energy", names)
    assert_identical(frame(tmp_path, read(form, FORMS[form](made)), "energy", names), expected)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_numbers_and_gaps_come_back_alike(tmp_path: Path, seed: int) -> None:
    made = gapped(experiment(), random.Random(seed))
    names = ("flops", "l2 misses", "cores", "clock_mhz")
    expected = frame(tmp_path, read("trials.csv", table(made).encode(), ROLES), "time", names)
    assert 0 < len(expected) < 24
    for form, written in FORMS.items():
        assert_identical(frame(tmp_path, read(form, written(made)), "time", names), expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_settings_and_run_numbers_among_the_counters_are_told_as_in_a_table(tmp_path: Path, form: str) -> None:
    made = experiment()
    size, iteration = (made.named("metrics", name, "nondeterministic", "") for name in ("size", "iteration"))
    for trial, *_ in made.rows["trials"]:
        made.add("nondeterministic_metrics", trial, size, 10.0 * (1 + (trial - 1) // 12))
        made.add("nondeterministic_metrics", trial, iteration, float(trial))
    expected = frame(tmp_path, read("trials.csv", table(made).encode(), ROLES))
    assert Metric("size", Kind.PARAMETER) in expected.metrics
    assert "iteration" in expected.labels
    imported = read(form, FORMS[form](made))
    assert "taken as parameters" in imported.warnings[0]
    assert_identical(frame(tmp_path, imported), expected)


def gapped(made: Experiment, rng: random.Random) -> Experiment:
    """The experiment with other numbers, some of them missing."""
    for name in ("nondeterministic_metrics", "deterministic_metrics", "machine_metrics"):
        rows = [(o, m, rng.uniform(1, 10) * 10.0 ** rng.randint(-9, 12)) for o, m, _ in made.rows[name]]
        made.rows[name] = [row for row in rows if name != "nondeterministic_metrics" or rng.random() < 0.9]
    return made


def test_with_one_machine_the_numbers_are_the_same_too(tmp_path: Path) -> None:
    made = experiment()
    made.rows["trials"] = [row for row in made.rows["trials"] if row[2] == 1]
    kept = {row[0] for row in made.rows["trials"]}
    made.rows["nondeterministic_metrics"] = [r for r in made.rows["nondeterministic_metrics"] if r[0] in kept]
    names = ("flops", "bytes read", "l2 misses")
    expected = frame(tmp_path, read("trials.csv", table(made).encode(), ROLES), "time", names)
    found = frame(tmp_path, read("trials.db", database(made)), "time", names)
    assert found.names == expected.names  # kinds differ: a table of one machine cannot tell what belongs to inputs
    assert_identical(found, replace(expected, metrics=found.metrics))


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the program sqlite3 is not there")
def test_the_dump_of_the_program_sqlite3(tmp_path: Path) -> None:
    made = experiment()
    made.rows["machines"][0] = (1, "K20\nof two\r\nlines \\n", "it's")
    (tmp_path / "eiger.db").write_bytes(database(made))
    dump = subprocess.run(["sqlite3", tmp_path / "eiger.db", ".dump"], capture_output=True, check=True).stdout
    found = read("dump.sql", dump)
    assert found.warnings == ()
    assert_identical(frame(tmp_path, found), frame(tmp_path, read("trials.db", database(made))))


def test_eigers_own_measurements(tmp_path: Path, real_data: Path) -> None:
    folder = real_data / "data/eiger_gpgpu3"
    times, machines, inputs = (
        SourceFile(n, (folder / n).read_bytes()) for n in ("times.csv", "machines.csv", "app_metrics.csv")
    )
    joined = join_inputs(join_machines(find_reader(times).read(times), machines), inputs)
    assert joined.machines is not None
    joined = replace(joined, machines=replace(joined.machines, labels={}))  # Eiger keeps no texts
    expected = frame(tmp_path, joined, "time_s")
    assert expected.X.shape == (175, 46)
    for form, written in FORMS.items():
        found = frame(tmp_path, read(form, written(gpgpu3(folder))), "time_s", tuple(m.name for m in expected.metrics))
        assert found.labels["input"] == found.labels["application"]  # Eiger needs a dataset to put metrics down
        assert found.labels["machine"] == expected.labels["machine"]
        assert_identical(found, replace(expected, labels=found.labels))


def gpgpu3(folder: Path) -> Experiment:
    """The three tables as Eiger's own script fills the database: a dataset for each application."""
    tables = {name: list(csv.reader((folder / f"{name}.csv").open())) for name in ("times", "machines", "app_metrics")}
    made = Experiment()
    home = made.named("datacollections", "gpgpu3", "", None)
    time_s = made.named("metrics", "time_s", "nondeterministic", "")
    apps = {}
    names = [made.named("metrics", name, "deterministic", "") for name in tables["app_metrics"][0][1:]]
    for row in tables["app_metrics"][1:]:
        apps[row[0]] = app = made.named("applications", row[0], "")
        dataset = made.named("datasets", row[0], app, "", None, "")
        for metric, cell in zip(names, row[1:], strict=True):
            made.add("deterministic_metrics", dataset, metric, float(cell))
    names = [made.named("metrics", name, "machine", "") for name in tables["machines"][0][2:]]
    machines = {row[0]: made.named("machines", row[0], row[1]) for row in tables["machines"][1:]}
    for row in tables["machines"][1:]:
        for metric, cell in zip(names, row[2:], strict=True):
            made.add("machine_metrics", machines[row[0]], metric, float(cell))
    for trial, (app, machine, seconds, _) in enumerate(tables["times"][1:], start=1):
        made.add("trials", trial, home, machines[machine], apps[app], apps[app])
        made.add("nondeterministic_metrics", trial, time_s, float(seconds))
    assert np.isfinite([row[2] for row in made.rows["nondeterministic_metrics"]]).all()
    return made
