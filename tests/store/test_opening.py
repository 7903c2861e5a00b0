"""Opening: one owner, no damage done, older files brought up to date, newer ones refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from core.errors import StoreError
from core.locked import lock
from core.store import Store, _schema
from tests.store.test_store import an_import

ROOT = Path(__file__).resolve().parents[2]
PATIENT_S = 300
"""How long a busy machine may take to start a process."""


def spawn(code: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


OPEN = """
import sys, pathlib
from core.store import Store
from core.errors import StoreError
from core.locked import lock
try:
    Store.open(pathlib.Path(sys.argv[1]))
except StoreError as error:
    print(error)
"""

WRITE = """
import sys, pathlib
from dataclasses import replace
from core.store import Store
from tests.store.test_store import an_import
store = Store.open(pathlib.Path(sys.argv[1]))
print("open", flush=True)
for i in range(10_000):
    store.add("d", an_import(seed=100 * int(sys.argv[2]) + i, sha=f"{sys.argv[2]}-{i}"))
    print(i, flush=True)
"""


def test_to_open_and_close_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with Store.open(path) as store:
        store.add("d", an_import())
    before = path.read_bytes(), path.with_name("x.duckdb.commits").read_text()
    Store.open(path).close()
    assert (path.read_bytes(), path.with_name("x.duckdb.commits").read_text()) == before


@pytest.mark.slow
def test_a_second_process_is_told_who_owns_the_database(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with Store.open(path):
        path.read_bytes()  # loses DuckDB's own lock, but not ours
        said, _ = spawn(OPEN, path).communicate(timeout=PATIENT_S)
    assert f"in use by process {os.getpid()} since 20" in said
    said, trouble = spawn(OPEN, path).communicate(timeout=PATIENT_S)
    assert said == "", trouble


def test_a_second_opening_in_this_process_is_refused_too(tmp_path: Path) -> None:
    with Store.open(tmp_path / "x.duckdb"), pytest.raises(StoreError, match="in use by process"):
        Store.open(tmp_path / "x.duckdb")
    Store.open(tmp_path / "x.duckdb").close()


FLOCK = """
import fcntl, sys
file = open(sys.argv[1], "a+")
try:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("taken", flush=True)
else:
    file.write("process 1 since 2025-01-01 00:00:00")
    file.flush()
    print("mine", flush=True)
sys.stdin.read()
"""


def test_versions_that_lock_by_flock_are_excluded_and_exclude(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    command = [sys.executable, "-c", FLOCK, f"{path}.lock"]
    with Store.open(path), subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.communicate(timeout=PATIENT_S)[0] == "taken\n"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "mine\n"
        with pytest.raises(StoreError, match="in use by process 1 since 2025"):
            Store.open(path)
        other.communicate(timeout=PATIENT_S)
    Store.open(path).close()


@pytest.mark.skipif(sys.platform == "win32", reason="a process that holds a lock may take it again there")
def test_an_owner_that_has_only_just_locked_the_database_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(tmp_path / "x.duckdb.lock", "w", encoding="utf-8") as file:
        lock(file)
        monkeypatch.setattr(time, "sleep", lambda _: print("process 7 since 2026", file=file, flush=True))
        with pytest.raises(StoreError, match="in use by process 7 since 2026"):
            Store.open(tmp_path / "x.duckdb")


@pytest.mark.slow
def test_kill_loses_nothing_acknowledged_and_stores_nothing_by_halves(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    acknowledged = 0
    for life in range(4):
        process = spawn(WRITE, path, life)
        assert process.stdout.readline() == "open\n"
        acknowledged += sum(bool(process.stdout.readline()) for _ in range(life))
        time.sleep(0.01 + 0.03 * life)
        process.send_signal(signal.SIGKILL)
        acknowledged += len(process.stdout.read().splitlines())
        process.wait()
        process.stdout.close()
        process.stderr.close()
        with Store.open(path) as store:
            cards = store.datasets.all()
            n = cards[0].n_trials if cards else 0
            assert n % 24 == 0
            assert n >= 24 * acknowledged
            if n:
                assert len(store.frame("d", "time", ["misses", "width", "work"])) == n
    assert acknowledged >= 6


@pytest.mark.parametrize("content", [b"hello, I am a text\n" * 500, b"\0" * 20_000, b"size,time\n1,2.5\n" * 9, b""])
@pytest.mark.parametrize("name", ["x.duckdb", "x.csv"])
def test_foreign_files_are_left_alone(tmp_path: Path, content: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(StoreError, match="not a database of Ridgeline"):
        Store.open(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_no_database_and_gets_no_lock_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    with pytest.raises(StoreError, match=f"{folder} is a folder. Name a file in it: --db {folder}/NAME.duckdb"):
        Store.open(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_lock_of_before_stays_beside_what_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    Store.open(path).close()
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match="not a database of Ridgeline"):
        Store.open(path)
    assert path.with_name("x.duckdb.lock").exists()


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE t (x INTEGER)")
    with pytest.raises(StoreError, match="not one of Ridgeline"):
        Store.open(path)


@pytest.mark.slow
def test_flipped_bytes_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    with Store.open(path) as store:
        store.add("d", an_import())
        before = store.frame("d", "time", ["misses"]).digest()
    raw = path.read_bytes()
    for at in range(4096, len(raw), 170_021):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 0xFF]) + raw[at + 1 :])
        Path(f"{path}.commits").unlink(missing_ok=True)
        try:
            with Store.open(path) as store:
                assert store.frame("d", "time", ["misses"]).digest() == before
        except StoreError as error:
            assert "damaged" in str(error)


def test_a_newer_database_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.duckdb"
    monkeypatch.setattr(_schema, "VERSION", 7)
    Store.open(path).close()
    monkeypatch.undo()
    with pytest.raises(StoreError, match=r"has version 7, and Ridgeline .* knows 4"):
        Store.open(path)


def test_sql_cannot_leave_the_database(tmp_path: Path) -> None:
    secret = tmp_path.parent / "secret.csv"
    secret.write_text("a\n1\n")
    with Store.open(tmp_path / "x.duckdb") as store, store._connection.reading() as cursor:
        for attack in (
            f"SELECT * FROM read_csv('{secret}')",
            f"COPY dataset TO '{secret}'",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET enable_external_access = true",
            "SET memory_limit = '1TB'",
            f"ATTACH '{secret}.duckdb'",
            "SELECT * FROM secret",
            "SELECT * FROM 'https://example.org/x.csv'",
        ):
            with pytest.raises(duckdb.Error):
                cursor.execute(attack)
