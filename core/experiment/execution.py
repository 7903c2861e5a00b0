"""Tasks one after another, in processes of this machine, or on a Dask cluster: the same results, in any order."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

import core.threads
from core.errors import ExecutionError
from core.progress import Progress

assert core.threads  # in every process one thread adds up, so that it does not matter where a task runs

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

Work = Callable[[S, T], R]

LOST = 3
"""How often workers may die before the tasks that they had are given up."""


def execute(
    function: Work[S, T, R],
    tasks: Sequence[T],
    shared: S,
    *,
    on_result: Callable[[int, R], None],
    progress: Progress,
    cluster: str = "",
    workers: int = 1,
) -> None:
    """Call `function(shared, task)` for each task and hand each result over as it comes.

    Parameters
    ----------
    function : of the top level of a module, because other processes import it by its name
    tasks : small values
    shared : what all tasks need, such as a frame; sent once to each process, never written to
    on_result : called in this thread with the task's number and its result; results that it was
        given are whole, whatever happens later
    progress : called between results; where it raises Cancelled, the rest is given up
    cluster : "tcp://HOST:PORT" of a Dask scheduler, or "local:N" for one of N processes of this machine
    workers : processes of this machine, where there is no cluster

    Raises
    ------
    ExecutionError
        If the cluster cannot be used, or a task ended its process several times.
    Exception
        Whatever `function` raises first.
    """
    if not tasks:
        return progress(1.0, told(0, 0))
    if cluster:
        from core.experiment._cluster import on_cluster

        return on_cluster(function, tasks, shared, on_result, progress, cluster)
    if workers > 1:
        return _in_processes(function, tasks, shared, on_result, progress, workers)
    for i, task in enumerate(tasks):
        progress(i / len(tasks), told(i, len(tasks)))
        on_result(i, function(shared, task))
    progress(1.0, told(len(tasks), len(tasks)))


def told(n_done: int, n_tasks: int, where: str = "") -> str:
    """Return how far the tasks are, in words."""
    return f"{n_done:,} of {n_tasks:,} done{where}"


def _in_processes(
    function: Work[S, T, R],
    tasks: Sequence[T],
    shared: S,
    on_result: Callable[[int, R], None],
    progress: Progress,
    workers: int,
) -> None:
    """Run tasks in processes; those that a process took with it when it died are run again."""
    left = dict.fromkeys(range(len(tasks)))
    folder = Path(tempfile.mkdtemp(prefix="ridgeline_tasks_"))
    try:
        joblib.dump(shared, folder / "shared")
        for attempt in range(LOST + 1):
            try:
                with closing(_results(function, tasks, folder / "shared", left, workers)) as results:
                    for i, result in results:
                        del left[i]
                        on_result(i, result)
                        done = len(tasks) - len(left)
                        progress(done / len(tasks), told(done, len(tasks), f" in {workers} processes"))
                return
            except TerminatedWorkerError:
                if attempt == LOST:
                    raise ExecutionError(died(len(left))) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def died(n_left: int) -> str:
    """Return what to say where processes died again and again."""
    return (
        f"Processes that ran tasks were ended {LOST + 1} times, most likely for want of memory; {n_left:,} tasks "
        "are not done. Start it again with fewer workers, and it goes on from there."
    )


def _results(
    function: Work[S, T, R], tasks: Sequence[T], shared: Path, left: dict[int, None], workers: int
) -> Generator[tuple[int, R]]:
    with joblib.parallel_config(backend="loky", n_jobs=workers, inner_max_num_threads=1):
        run = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        found = run(joblib.delayed(_with_file)(function, shared, i, tasks[i]) for i in list(left))
        try:
            # No `yield from`: that would close it itself, with a warning.
            while (pair := next(found, None)) is not None:
                yield pair
        finally:
            with warnings.catch_warnings():  # it tells what it lets go of, which is what was asked
                warnings.simplefilter("ignore", UserWarning)
                found.close()


def _with_file(function: Work[S, T, R], shared: Path, number: int, task: T) -> tuple[int, R]:
    return number, function(_loaded(shared), task)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    """Return what all tasks need, read once by each process; this program wrote the file a moment ago."""
    return joblib.load(path)
