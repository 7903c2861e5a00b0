"""A full disk stops writing, with a sentence; reading goes on, and writing too once there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import DatabaseError, Store
from tests.store.test_store import an_import

N_TRIALS = 4000


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 5 MiB of which 1 MiB is taken."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=5m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can be mounted by root alone")
    (folder / "ballast").write_bytes(b"x" * 2**20)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(store: Store) -> int:
    """Store imports until the disk is full, and return how many were stored."""
    for n in range(100):
        try:
            store.add("d", an_import(N_TRIALS, seed=n, sha=str(n)))
        except DatabaseError as error:
            assert "Nothing was stored: the disk of" in str(error)
            return n
    raise AssertionError("the disk was never full")


def test_reading_goes_on_and_writing_comes_back(small_disk: Path) -> None:
    path = small_disk / "x.duckdb"
    with Store.open(path) as store:
        n = fill(store)
        assert n > 0
        for _ in range(3):
            assert store.datasets()[0].n_trials == n * N_TRIALS
        with pytest.raises(DatabaseError, match="Nothing was stored"):
            store.add("d", an_import(N_TRIALS, seed=1000, sha="more"))
        assert len(store.frame("d", "time", ["misses"])) == n * N_TRIALS
        (small_disk / "ballast").unlink()
        store.add("d", an_import(seed=1001, sha="room"))
        assert store.datasets()[0].n_trials == n * N_TRIALS + 24
    with Store.open(path) as store:
        assert store.datasets()[0].n_trials == n * N_TRIALS + 24
