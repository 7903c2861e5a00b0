"""A log that is damaged, cut or gone: what can be read is kept, copies are made, and it is said once."""

import os
import shutil
from pathlib import Path

import pytest

from core.errors import StoreError
from core.store import DatabaseError, Store
from tests.store.test_store import an_import

ROOT = Path(__file__).resolve().parents[2]
N = 12

FILES = ("x.duckdb", "x.duckdb.wal", "x.duckdb.commits")


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database as a process leaves it that ends without closing it: its files while it is open."""
    folder, open_folder = tmp_path_factory.mktemp("crashed"), tmp_path_factory.mktemp("open")
    with Store.open(open_folder / "x.duckdb") as store:
        for i in range(N):
            store.add("d", an_import(seed=i, sha=str(i)))
        for name in FILES:
            shutil.copy2(open_folder / name, folder / name)
    return folder


@pytest.fixture
def path(crashed: Path, tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy2(crashed / name, tmp_path / name)
    return tmp_path / "x.duckdb"


def wal(path: Path) -> Path:
    return path.with_name(path.name + ".wal")


def n_sources(path: Path) -> int:
    with Store.open(path) as store:
        return len(store.datasets.sources("d")) if store.datasets.all() else 0


@pytest.mark.slow
def test_a_whole_log_is_replayed_and_nothing_said(path: Path) -> None:
    assert n_sources(path) == N
    assert n_sources(path) == N


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_damaged_log_is_kept_aside_and_read_as_far_as_it_goes(path: Path, share: float) -> None:
    raw, before = bytearray(wal(path).read_bytes()), path.read_bytes()
    raw[int(len(raw) * share)] ^= 0xFF
    wal(path).write_bytes(raw)
    with pytest.raises(DatabaseError, match="its log is damaged: the changes before the damage were kept"):
        Store.open(path)
    (aside,) = path.parent.glob("quarantine-*")
    assert (aside / "x.duckdb").read_bytes() == before
    assert (aside / "x.duckdb.wal").read_bytes() == bytes(raw)
    n = n_sources(path)
    assert 0 < n < N
    with Store.open(path) as store:
        assert [s.sha256 for s in store.datasets.sources("d")] == [str(i) for i in range(n)], "the first ones, in order"
        assert len(store.frame("d", "time", ["misses"])) == 24 * n
        store.add("d", an_import(seed=99, sha="later"))
    assert n_sources(path) == n + 1


def test_damage_that_says_no_place_leaves_the_log_out(path: Path) -> None:
    from core.store._lock import set_log_aside

    said = set_log_aside(path, "Failure while replaying WAL file: something new")
    assert "the last changes are left out" in said
    assert not wal(path).exists()
    assert n_sources(path) < N


def test_without_room_for_copies_nothing_is_touched(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = bytearray(wal(path).read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    wal(path).write_bytes(raw)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(StoreError, match="damaged and was left as it is"):
        Store.open(path)
    assert wal(path).read_bytes() == bytes(raw)


@pytest.mark.parametrize("what", ["gone", "cut"])
def test_changes_that_are_missing_are_told_of_once(path: Path, what: str) -> None:
    if what == "gone":
        wal(path).unlink()
    else:
        os.truncate(wal(path), wal(path).stat().st_size // 2)
    with pytest.raises(
        DatabaseError, match=r"The last \d+ changes to the database .* are missing: its log x.duckdb.wal"
    ):
        Store.open(path)
    assert n_sources(path) < N
    assert n_sources(path) < N


def test_a_counter_that_nobody_can_write_or_read_hinders_nothing(path: Path) -> None:
    counter = path.with_name("x.duckdb.commits")
    counter.write_text("many")
    assert n_sources(path) == N
    counter.unlink()
    counter.mkdir()
    assert n_sources(path) == N
