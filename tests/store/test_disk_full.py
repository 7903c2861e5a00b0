"""A full disk stops writing, with a sentence; reading goes on, and writing too once there is room."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store import DatabaseError, Store
from tests.store.test_store import an_import


@pytest.fixture(params=[5, 20], ids=["log", "checkpoint"])
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A file system of which 1 MiB is taken; on 20 MiB it is the checkpoint of a log of 16 MiB that finds no room."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={request.param}m", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("a small file system can be mounted by root alone")
    (folder / "ballast").write_bytes(b"x" * 2**20)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def n_trials(small_disk: Path) -> int:
    """How many trials an import has, so that some imports fit."""
    return shutil.disk_usage(small_disk).total // 2000 * 2


def fill(store: Store, n_trials: int) -> int:
    """Store imports until the disk is full, and return how many were stored."""
    for n in range(100):
        try:
            store.add("d", an_import(n_trials, seed=n, sha=str(n)))
        except DatabaseError as error:
            assert "Nothing was stored: the disk of" in str(error)
            return n
    raise AssertionError("the disk was never full")


@pytest.mark.slow
def test_reading_goes_on_and_writing_comes_back(small_disk: Path, n_trials: int) -> None:
    path = small_disk / "x.duckdb"
    with Store.open(path) as store:
        n = fill(store, n_trials)
        assert n > 0
        for _ in range(3):
            assert store.datasets.all()[0].n_trials == n * n_trials
        with pytest.raises(DatabaseError, match="Nothing was stored"):
            store.add("d", an_import(n_trials, seed=1000, sha="more"))
        assert len(store.frame("d", "time", ["misses"])) == n * n_trials
        (small_disk / "ballast").unlink()
        store.add("d", an_import(seed=1001, sha="room"))
        assert store.datasets.all()[0].n_trials == n * n_trials + 24
    with Store.open(path) as store:
        assert store.datasets.all()[0].n_trials == n * n_trials + 24
