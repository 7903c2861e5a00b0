"""An experiment that is killed, or whose worker is, ends with the same table, byte for byte."""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.cli.experiment import Journal
from core.execution._cluster import _local
from core.experiment.experiment import Result
from core.experiment.grid import Grid
from core.experiment.run import run
from core.report.experiment.results import fits_table
from core.report.shared.csv_text import to_csv
from tests.experiment.made import TEXT, made_grid

pytestmark = pytest.mark.slow


def large_grid() -> Grid:
    """Some hundred fits."""
    return made_grid(TEXT.replace("count = 3", "count = 30"))


def slowly(path: Path) -> None:
    """Run the experiment, with time between results to be killed in."""

    def rest(fraction: float, message: str) -> None:
        time.sleep(0.01)

    grid = large_grid()
    with Journal(path) as journal:
        run(grid, journal.known.copy(), journal.keep, rest)


def test_killed_at_random_moments(tmp_path: Path) -> None:
    grid, path, chance = large_grid(), tmp_path / "x.jsonl", random.Random(7)
    whole = to_csv(fits_table(grid, run(grid, {}, lambda results: None)))
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.experiment.test_kill"])
    ends = []
    for n_killed in range(4):
        before = path.stat().st_size if path.exists() else 0
        program = context.Process(target=slowly, args=(path,))
        program.start()
        while n_killed < 3 and program.is_alive():
            time.sleep(0.005)
            if path.exists() and path.stat().st_size > before:
                time.sleep(chance.uniform(0.0, 0.1))
                program.kill()
                break
        program.join()
        ends.append(program.exitcode)
    assert ends == [-signal.SIGKILL] * 3 + [0]
    with Journal(path) as journal:
        assert to_csv(fits_table(grid, journal.known)) == whole
    assert len(path.read_bytes().splitlines()) == grid.n_fits == 330


def test_a_worker_killed_midway_changes_nothing() -> None:
    distributed = pytest.importorskip("distributed")
    grid = made_grid(TEXT.replace("count = 3", "count = 6"))
    whole = to_csv(fits_table(grid, run(grid, {}, lambda results: None)))
    kept: list[str] = []
    with _local("2") as cluster, distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=120)
        at_work = sorted(client.run(os.getpid).values())

        def keep(results: Sequence[tuple[str, Result]]) -> None:
            kept.extend(key for key, _ in results)
            if len(kept) >= grid.n_fits // 4 and at_work:
                os.kill(at_work.pop(), signal.SIGKILL)
                at_work.clear()

        found = run(grid, {}, keep, cluster=cluster.scheduler_address)
    assert not at_work
    assert sorted(kept) == sorted({fit.key for fit in grid.fits})
    assert to_csv(fits_table(grid, found)) == whole
    assert grid.n_fits == 66
