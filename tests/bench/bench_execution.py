"""2,000 fits of a study: by an experiment wherever it can run, and by plain joblib over the same fits.

Run by hand: python tests/bench/bench_execution.py [SEEDS]

Each way is a program of its own, so that its seconds of processor are all that it and its processes used. Where a
worker is killed, it kills itself at the middle fit. `sha256` is that of the table of all fits. The efficiency is the
processor's seconds of the experiment with one worker (in this process, or one of Dask) over those of the same with n:
what of n cores would go into fits, whether they are there or not.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["PYTHONPATH"] = sys.path[0]

import joblib  # noqa: TID251  what it is compared with
import psutil

from core.experiment import run as running
from core.experiment.experiment import Result, scored
from core.experiment.grid import Fit, Grid, make_grid
from core.experiment.toml_text import read_experiment
from core.experiment.trials import trials_subjects
from core.ingest import load_sample
from core.progress import silent
from core.report.experiment.results import fits_table
from core.report.shared.csv_text import to_csv
from core.store import Store
from core.trial import Frame
from core.validate.crossval import held_out
from core.workspace import SAMPLES
from tests.bench.record import Line, faster, record

TEXT = """
dataset = "generations"
response = "cycles"
recipe = "ridge"
folds = ["kfold:10:application", "kfold:10"]
seeds = {seeds}
[vary]
penalty = {{ from = 1e-4, to = 10, count = 10, scale = "log" }}
"""
_WHOLE = running.fit_batch


def grid_of(seeds: int) -> Grid:
    """Lay out the study on a shipped sample."""
    experiment = read_experiment(TEXT.format(seeds=seeds))
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "x.duckdb") as store:
        store.add(experiment.dataset, load_sample(SAMPLES / experiment.dataset))
        frame = store.frame(experiment.dataset, experiment.response)
    return make_grid(experiment, trials_subjects(frame))


def one(train: Frame, test: Frame, fit: Fit) -> Result:
    """One fit, as an experiment makes it."""
    model = fit.procedure.fit(train, silent)
    return Result(scored(test.y, held_out(model, test).predicted), scored(train.y, held_out(model, train).predicted))


def plain(grid: Grid, jobs: int) -> dict[str, Result]:
    """The loop that anybody would write: joblib over fits, each with its two sides."""
    (subject,) = grid.subjects

    def calls():
        sides = {}
        for fit in grid.fits:
            if fit.split not in sides:
                sides[fit.split] = [subject.frame.take(rows) for rows in subject.sides(fit.split)]
            yield joblib.delayed(one)(*sides[fit.split], fit)

    found = joblib.Parallel(n_jobs=jobs)(calls())
    return {fit.key: result for fit, result in zip(grid.fits, found, strict=True)}


def by_split(grid: Grid, jobs: int) -> dict[str, Result]:
    """The same by a careful writer: a task per split, so that a frame travels once for several fits."""
    (subject,) = grid.subjects
    of: dict[object, list[Fit]] = {}
    for fit in grid.fits:
        of.setdefault(fit.split, []).append(fit)
    found = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(several)(*(subject.frame.take(rows) for rows in subject.sides(split)), fits)
        for split, fits in of.items()
    )
    keys = [fit.key for fits in of.values() for fit in fits]
    return dict(zip(keys, [result for some in found for result in some], strict=True))


def several(train: Frame, test: Frame, fits: Sequence[Fit]) -> list[Result]:
    return [one(train, test, fit) for fit in fits]


def experiment(grid: Grid, **where: object) -> dict[str, Result]:
    """The same by an experiment."""
    return running.run(grid, {}, lambda results: None, silent, **where)


def killed(grid: Grid, **where: object) -> dict[str, Result]:
    """The same; the process that first comes to the middle fit ends itself."""
    from tests.bench import bench_execution  # by this name other processes can import it

    marker = Path(tempfile.mkdtemp()) / "died"
    os.environ["RIDGELINE_BENCH_KILL"] = f"{grid.fits[len(grid.fits) // 2].key} {marker}"
    running.fit_batch = bench_execution.deadly_batch
    found = experiment(grid, **where)
    assert marker.exists()
    return found


def deadly_batch(shared: running.Shared, batch: running.Batch) -> tuple[Result, ...]:
    """Fit a batch, or die if it holds the fit to die at and nobody has yet."""
    key, marker = os.environ["RIDGELINE_BENCH_KILL"].split(" ", 1)
    if any(fit.key == key for fit in batch.fits) and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return _WHOLE(shared, batch)


EFFICIENT = {"2": 0.9, "4": 0.85}
"""The least efficiency, by the number of workers."""
WAYS: dict[str, Callable[[Grid], dict[str, Result]]] = {
    "plain joblib, a loop in one process": lambda grid: plain(grid, 1),
    "experiment, one process": lambda grid: experiment(grid),
    "plain joblib, 2 processes, a fit a task": lambda grid: plain(grid, 2),
    "plain joblib, 2 processes, a split a task": lambda grid: by_split(grid, 2),
    "experiment --workers 2": lambda grid: experiment(grid, workers=2),
    "experiment --workers 4": lambda grid: experiment(grid, workers=4),
    "experiment --workers 2, one killed": lambda grid: killed(grid, workers=2),
    "experiment --cluster local:1": lambda grid: experiment(grid, cluster="local:1"),
    "experiment --cluster local:2": lambda grid: experiment(grid, cluster="local:2"),
    "experiment --cluster local:4": lambda grid: experiment(grid, cluster="local:4"),
    "experiment --cluster local:2, one killed": lambda grid: killed(grid, cluster="local:2"),
}


def main() -> None:
    """Run each way as a program of its own, and print the table."""
    seeds = sys.argv[1] if len(sys.argv) > 1 else "10"
    print(
        "| way | s | s of processor | over plain joblib | efficiency | sha256 |\n|---|---|---|---|---|---|", flush=True
    )
    base, alone = 0.0, dict[str, float]()
    for title in WAYS:
        command = [sys.executable, __file__, seeds, title]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            used = _used(program)
            seconds, table = program.communicate()[0].split()
        base = base if title.startswith("experiment") and base else used
        kind = "Dask" if "cluster" in title else "processes" if "experiment" in title else title
        one = alone.setdefault(kind, used)
        print(f"| {title} | {seconds} | {used:.1f} | {used / base:.2f} | {one / used:.0%} | {table[:12]} |", flush=True)
        if title.startswith("experiment -"):
            peer, limit = "plain joblib over the same fits, one process", f"{seconds} s by the clock"
            record(Line(f"2,000 fits, {title}", used, "s", peer, base, limit=limit))
        if title[-1] in EFFICIENT:
            faster(f"2,000 fits, efficiency of {title}", used, one, "the same with one worker", EFFICIENT[title[-1]])


def _used(program: subprocess.Popen[str]) -> float:
    """Watch a program to its end, and return the seconds of processor that it and its processes took.

    What the system tells of ended children leaves out those that nobody waited for, such as a cluster's.
    """
    top, used = psutil.Process(program.pid), {}
    while program.poll() is None:
        with suppress(psutil.NoSuchProcess):
            for each in (top, *top.children(recursive=True)):
                with suppress(psutil.NoSuchProcess):
                    times = each.cpu_times()
                    used[each.pid] = times.user + times.system
        time.sleep(0.05)
    return sum(used.values())


def _one_way(seeds: int, title: str) -> None:
    from tests.bench import bench_execution as me

    grid = me.grid_of(seeds)
    started = time.perf_counter()
    found = me.WAYS[title](grid)
    seconds = time.perf_counter() - started
    print(f"{seconds:.1f}", sha256(to_csv(fits_table(grid, found)).encode()).hexdigest())


if __name__ == "__main__":
    if len(sys.argv) > 2:
        _one_way(int(sys.argv[1]), sys.argv[2])
    else:
        main()
