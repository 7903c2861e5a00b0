"""Tasks in processes of this machine, by the executor that joblib brings: it notices where a process dies."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
from joblib.externals.loky.process_executor import ProcessPoolExecutor, TerminatedWorkerError

from core.errors import ExecutionError
from core.execution._work import INSIDE, LOST, R, S, T, Work, died, told
from core.progress import Progress

_LOOK_EVERY_S = 0.2
_NICE = 10
"""By which processes that compute give way to the program that somebody waits for."""
_ALONE = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS", INSIDE)


def in_processes(
    function: Work[S, T, R],
    tasks: Sequence[T],
    shared: S,
    on_result: Callable[[int, R], None],
    progress: Progress,
    workers: int,
) -> None:
    """Run tasks in processes; see `execute`. Those that a process took with it when it died are run again."""
    left = set(range(len(tasks)))
    with TemporaryDirectory(prefix="ridgeline_tasks_", ignore_cleanup_errors=True) as folder:
        joblib.dump(shared, file := Path(folder) / "shared")
        for _ in range(LOST + 1):
            with suppress(TerminatedWorkerError):
                return _round(partial(_with_file, function, file), tasks, left, on_result, progress, workers)
    raise ExecutionError(died(len(left)))


def cores() -> int:
    """Return how many processes this one may run at once."""
    return 1 if os.environ.get(INSIDE) else int(joblib.cpu_count())


def _round(
    run: Callable[[T], R],
    tasks: Sequence[T],
    left: set[int],
    on_result: Callable[[int, R], None],
    progress: Progress,
    workers: int,
) -> None:
    """Run what is left once; where it ends early, processes are ended in the middle of their tasks.

    No more tasks are handed over than the executor passes on at once, as it cannot be ended with others waiting.
    """
    n, alone = min(workers, len(left)), dict.fromkeys(_ALONE, "1")
    pool, coming = ProcessPoolExecutor(n, initializer=_serve, initargs=(os.getpid(),), env=alone), iter(sorted(left))
    waiting: dict[Future[R], int] = {}
    try:
        while left:
            for i in islice(coming, 2 * workers - len(waiting)):
                waiting[pool.submit(run, tasks[i])] = i
            for future in wait(waiting, _LOOK_EVERY_S, FIRST_COMPLETED).done:
                result, number = future.result(), waiting.pop(future)
                left.discard(number)
                on_result(number, result)
            done = len(tasks) - len(left)
            progress(done / len(tasks), told(done, len(tasks), f" in {workers} processes"))
    finally:
        pool.shutdown(kill_workers=bool(left))


def _serve(parent: int) -> None:
    """Give way to the parent, and end this process where that was killed; it would wait for tasks for ever."""
    if hasattr(os, "nice"):
        os.nice(_NICE)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _with_file(function: Work[S, T, R], shared: Path, task: T) -> R:
    return function(_loaded(shared), task)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    """Return what all tasks need, read once by each process; this program wrote the file a moment ago."""
    return joblib.load(path)
