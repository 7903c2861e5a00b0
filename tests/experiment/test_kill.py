"""An experiment that is killed at random moments and begun again ends with the same table, byte for byte."""

import multiprocessing
import random
import signal
import time
from pathlib import Path

from core.experiment.grid import Grid
from core.experiment.journal import Journal
from core.experiment.run import run
from core.report.csv_text import to_csv
from core.report.experiment import fits_table
from tests.experiment.made import TEXT, made_grid


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
