"""Backups are whole or not there; a restored database is the backup, and what was there before is kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from core.cli import main
from core.errors import StoreError
from core.store import DatabaseError, Store
from core.store.backup import Backup, inspect, restore, verified
from tests.store.test_store import an_import

ROOT = Path(__file__).resolve().parents[2]

BACKING_UP = """
import pathlib, sys
from core.store import Store
with Store.open(pathlib.Path(sys.argv[1])) as store:
    print("open", flush=True)
    while True:
        store.backup()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    database = tmp_path / "x.duckdb"
    with Store.open(database) as store:
        store.add("d", an_import())
    return database


def n_trials(path: Path) -> int:
    with Store.open(path) as store:
        return store.datasets.all()[0].n_trials


def damaged(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[8192:] = os.urandom(len(raw) - 8192)
    path.write_bytes(raw)


def test_a_backup_has_every_row_and_nothing_beside_it(path: Path) -> None:
    with Store.open(path) as store:
        copy = store.backup()
    assert list((path.parent / "backups").iterdir()) == [copy]
    found = inspect(copy)
    assert found is not None
    assert (found.counts["dataset"], found.counts["trial"]) == (1, 24)


@pytest.mark.slow
def test_a_killed_backup_is_never_taken_for_a_whole_one(path: Path) -> None:
    """The process is killed while it backs up, again and again at another moment."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for delay in (0.0, 0.004, 0.009, 0.013, 0.021, 0.034):
        process = subprocess.Popen(
            [sys.executable, "-c", BACKING_UP, str(path)], cwd=ROOT, stdout=subprocess.PIPE, env=environment
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    copies = list((path.parent / "backups").glob("*.duckdb"))
    assert {(c.counts["dataset"], c.counts["trial"]) for copy in copies if (c := inspect(copy))} <= {(1, 24)}
    assert len(list(verified(path.parent / "backups", "x"))) == len(copies)
    assert n_trials(path) == 24
    assert not list((path.parent / "backups").glob("*.partial*")), "leftovers go when the database is opened"


def test_damage_names_the_newest_whole_backup_and_restore_takes_it(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(path) as store:
        copy = store.backup()
        store.add("d", an_import(seed=1, sha="later"))
    later = copy.with_name("x-29990101-000000-000000.duckdb")
    duckdb.connect(str(later)).close()
    damaged(path)
    before = path.read_bytes()
    with pytest.raises(DatabaseError) as error:
        Store.open(path)
    assert f"The newest whole backup is {copy} (1 dataset, 24 trials, 0 models)" in str(error.value)
    assert path.read_bytes() == before
    assert main(["--db", str(path), "restore"]) == 0
    assert str(copy) in capsys.readouterr().out
    assert n_trials(path) == 24
    (kept,) = path.parent.glob("quarantine-*")
    assert (kept / "x.duckdb").read_bytes() == before


def test_without_a_whole_backup_damage_says_so_and_restore_changes_nothing(path: Path) -> None:
    damaged(path)
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match="There is no whole backup of it in"):
        Store.open(path)
    with pytest.raises(StoreError, match=r"There is no whole backup of x\.duckdb in"):
        restore(path)
    with pytest.raises(StoreError, match="is no whole backup"):
        restore(path, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["backup", 'a"b', "it's"])
def test_a_database_of_any_name_is_backed_up(path: Path, name: str) -> None:
    with Store.open(path.rename(path.with_name(f"{name}.duckdb"))) as store:
        found = inspect(store.backup())
    assert found is not None
    assert found.counts["trial"] == 24


@pytest.mark.parametrize(("stem", "other"), [("lab", "lab-b"), ("t[1]", "t1"), ("lab", "lab-20240101-000000-000000")])
def test_a_backup_of_another_database_in_the_folder_is_never_taken(path: Path, stem: str, other: str) -> None:
    copies = {}
    for name in (stem, other):
        with Store.open(path.with_name(f"{name}.duckdb")) as store:
            copies[name] = store.backup()
    assert [found.path for found in verified(path.parent / "backups", stem)] == [copies[stem]]
    copies[stem].unlink()
    with pytest.raises(StoreError, match="There is no whole backup"):
        restore(path.with_name(f"{stem}.duckdb"))


def test_what_was_cut_short_goes_and_copies_of_other_databases_stay(path: Path) -> None:
    folder, time = path.parent / "backups", "20240101-000000-000000.duckdb"
    folder.mkdir()
    cut = [folder / f"x-{time}.partial", folder / f"x-{time}.partial.wal"]
    others = [folder / f"x-b-{time}.partial", folder / f"my.partial-{time}", folder / f"x-{time}"]
    for file in (*cut, *others):
        file.touch()
    Store.open(path).close()
    assert sorted(folder.iterdir()) == sorted(others)


def test_restoring_a_database_that_is_open_is_refused(path: Path) -> None:
    with Store.open(path) as store:
        copy = store.backup()
        with pytest.raises(StoreError, match="is in use by"):
            restore(path, copy)


def test_restoring_where_nothing_was_makes_the_database(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store:
        copy = store.backup()
    done = restore(tmp_path / "new.duckdb", copy)
    assert done.kept is None
    assert done.backup == Backup(copy, done.backup.counts)
    assert n_trials(tmp_path / "new.duckdb") == 24
