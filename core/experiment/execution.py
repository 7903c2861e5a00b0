"""Tasks one after another, in processes of this machine, or on a Dask cluster: the same results, in any order."""

import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

import core.threads
from core.experiment._cluster import on_cluster
from core.experiment.work import LOST, R, S, T, Work, died
from core.progress import Progress

assert core.threads  # in every process one thread adds up, so that it does not matter where a task runs

def execute(
    function: Callable[[S, T], R],
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
    work = Work(function, tasks, shared, on_result, progress)
    if cluster and tasks:
        return on_cluster(work, cluster)
    if workers > 1 and tasks:
        return _in_processes(work, workers)
    for i, task in enumerate(tasks):
        work.tell(len(tasks) - i)
        on_result(i, function(shared, task))
    work.tell(0)


def _in_processes(work: Work[S, T, R], workers: int) -> None:
    """Run tasks in processes; those that a process took with it when it died are run again."""
    left = dict.fromkeys(range(len(work.tasks)))
    folder = Path(tempfile.mkdtemp(prefix="ridgeline_tasks_"))
    try:
        joblib.dump(work.shared, folder / "shared")
        for attempt in range(LOST + 1):
            try:
                with closing(_results(work, folder / "shared", left, workers)) as results:
                    for i, result in results:
                        del left[i]
                        work.on_result(i, result)
                        work.tell(len(left), f" in {workers} processes")
                return
            except TerminatedWorkerError:
                if attempt == LOST:
                    raise died(len(left)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _results(
    work: Work[S, T, R], shared: Path, left: dict[int, None], workers: int
) -> Generator[tuple[int, R]]:
    with joblib.parallel_config(backend="loky", n_jobs=workers, inner_max_num_threads=1):
        run = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        found = run(joblib.delayed(_with_file)(work.function, shared, i, work.tasks[i]) for i in list(left))
        try:
            # No `yield from`: that would close it itself, with a warning.
            while (pair := next(found, None)) is not None:
                yield pair
        finally:
            with warnings.catch_warnings():  # it tells what it lets go of, which is what was asked
                warnings.simplefilter("ignore", UserWarning)
                found.close()


def _with_file(function: Callable[[S, T], R], shared: Path, number: int, task: T) -> tuple[int, R]:
    return number, function(_loaded(shared), task)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    """Return what all tasks need, read once by each process; this program wrote the file a moment ago."""
    return joblib.load(path)
