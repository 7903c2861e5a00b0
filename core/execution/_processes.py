"""Tasks in processes of this machine, by the executor that joblib brings: it notices where a process dies."""

import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import joblib
from joblib.externals.loky.process_executor import ProcessPoolExecutor, TerminatedWorkerError

from core.execution.execute import INSIDE, Job, keep_memory

_LOOK_EVERY_S = 0.2
_REST_S = 30.0
"""How long processes that are done wait for the next tasks before they end: a race has two heats, a person several
races, and each start takes some seconds."""
_NICE = 10
"""By which processes that compute give way to the program that somebody waits for."""
_ALONE = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS", INSIDE)
_resting: dict[tuple[Any, ...], list[tuple[ProcessPoolExecutor, threading.Timer]]] = {}
"""What has nothing to do; what works belongs to its job alone, so that a job which is ended ends no other's."""


def in_processes(job: Job[Any, Any, Any], workers: int) -> None:
    """Run tasks in processes; see `execute`. Those that a process took with it when it died are run again."""
    with TemporaryDirectory(prefix="ridgeline_tasks_", ignore_cleanup_errors=True) as folder:
        joblib.dump(job.shared, file := Path(folder) / "shared")
        job.rounds(partial(_round, job, file, workers))


def cores() -> int:
    """Return how many processes this one may run at once."""
    return 1 if os.environ.get(INSIDE) else int(joblib.cpu_count())


def _round(job: Job[Any, Any, Any], shared: Path, workers: int, left: set[int]) -> None:
    """Run what is left once; where it ends early, processes are ended in the middle of their tasks.

    No more tasks are handed over than the executor passes on at once, as it cannot be ended with others waiting.
    """
    kind, coming = (min(workers, len(left)), *sys.path), iter(sorted(left))
    pool = _pool(kind)
    waiting: dict[Future[Any], int] = {}
    try:
        while left:
            for i in islice(coming, 2 * workers - len(waiting)):
                waiting[pool.submit(_with_file, job.function, shared, job.tasks[i])] = i
            for future in wait(waiting, _LOOK_EVERY_S, FIRST_COMPLETED).done:
                result, number = future.result(), waiting.pop(future)
                left.discard(number)
                job.on_result(number, result)
            job.told(len(job.tasks) - len(left), f" in {workers} processes")
    except TerminatedWorkerError:
        pass  # the rest is run again
    finally:
        if left:
            pool.shutdown(kill_workers=True)
        else:
            _rest(kind, pool)


def _pool(kind: tuple[Any, ...]) -> ProcessPoolExecutor:
    """Return processes that rest, or new ones: of this number, and with the modules that this program can import."""
    with suppress(KeyError, IndexError):
        pool, end = _resting[kind].pop()
        end.cancel()
        return pool
    alone = dict.fromkeys(_ALONE, "1")
    return ProcessPoolExecutor(kind[0], initializer=_serve, initargs=(os.getpid(),), env=alone)


def _rest(kind: tuple[Any, ...], pool: ProcessPoolExecutor) -> None:
    """Keep processes for the next tasks, and end them if none come."""

    def end() -> None:
        with suppress(ValueError):  # they were taken at the last moment
            _resting[kind].remove(own)
            pool.shutdown()

    timer = threading.Timer(_REST_S, end)
    timer.daemon, own = True, (pool, timer)
    _resting.setdefault(kind, []).append(own)
    timer.start()


def _serve(parent: int) -> None:
    """Give way to the parent, and end this process where that was killed; it would wait for tasks for ever."""
    keep_memory()
    if hasattr(os, "nice"):
        os.nice(_NICE)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY_S)
        os._exit(1)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _with_file(function: Callable[[Any, Any], Any], shared: Path, task: Any) -> Any:
    return function(_loaded(shared), task)


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    """Return what all tasks need, read once by each process; this program wrote the file a moment ago."""
    return joblib.load(path)
