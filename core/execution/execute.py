"""Tasks one after another, in processes here, or on a Dask cluster: the same results; and how long is left."""

import ctypes
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Generic, TypeVar

import core.threads
from core.errors import ExecutionError
from core.frozen import Frozen
from core.progress import Progress, in_turn, part, silent

assert core.threads  # in every process one thread adds up, so that it does not matter where a task runs

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")
LOST = 3
"""How often workers may die before the tasks that they had are given up."""
INSIDE = "RIDGELINE_WORKER"
"""Set where a process is one of several that run tasks: it starts none of its own unless asked."""

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""As in glibc's malloc.h."""
PAYS_S = 20.0
"""Seconds of work from which processes are worth their start, which takes some three seconds each."""
_FEW = 25
"""Tasks of which the first tells what one takes; of more the second, as the first also loads what they need."""
MOST_WORKERS = 8
"""Processes that are started where nobody says how many, each of some 300 MB."""


class Job(Frozen, Generic[S, T, R]):
    """Tasks, and what becomes of them; see `execute`."""

    function: Callable[[S, T], R]
    tasks: Sequence[T]
    shared: S
    on_result: Callable[[int, R], None]
    progress: Progress

    def told(self, n_done: int, where: str = "") -> None:
        """Tell how far the tasks are, in words."""
        self.progress(n_done / len(self.tasks), f"{n_done:,} of {len(self.tasks):,} done{where}")

    def rounds(self, run: Callable[[set[int]], None]) -> None:
        """Run what is left, again where workers died.

        Parameters
        ----------
        run : runs tasks of some numbers and takes out those that are done; it may leave some

        Raises
        ------
        ExecutionError
            If some are left after several rounds.
        """
        left = set(range(len(self.tasks)))
        for _ in range(LOST + 1):
            run(left)
            if not left:
                return
        raise ExecutionError(
            f"Processes that ran tasks were ended {LOST + 1} times, most likely for want of memory; {len(left):,} "
            "tasks are not done. Start it again with fewer workers, and it goes on from there."
        )


def paying(seconds: float, n_tasks: int) -> int:
    """Return how many processes are worth their start for tasks that take so long altogether: 1 for none."""
    if seconds < PAYS_S:
        return 1
    from core.execution._processes import cores

    return max(1, min(cores(), n_tasks, MOST_WORKERS))


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
    if not tasks:
        return progress(1.0, "all is done")
    job = Job(function, tasks, shared, on_result, progress)
    if cluster:
        from core.execution._cluster import on_cluster

        return on_cluster(job, cluster)
    if workers > 1:
        from core.execution._processes import in_processes

        return in_processes(job, workers)
    for i, task in enumerate(tasks):
        job.told(i)
        on_result(i, function(shared, task))
    job.told(len(tasks))


def execute_where_it_pays(
    function: Callable[[S, T, Progress], R],
    tasks: Sequence[T],
    shared: S,
    *,
    on_result: Callable[[int, R], None],
    progress: Progress,
    workers: int | None = None,
) -> None:
    """Call `function(shared, task, progress)` for each task: here, or in processes where the first ones take long.

    Parameters
    ----------
    function, tasks, shared, on_result, progress : as in `execute`; in processes a task tells no progress
    workers : processes of this machine; as many as pay if None

    Raises
    ------
    Exception
        As `execute`.
    """
    several, telling = workers or 1, int(len(tasks) > _FEW)
    for i, (share, task) in enumerate(in_turn(progress, tasks)):
        if several > 1:
            rest, hand = part(progress, i / len(tasks), 1.0), partial(_handed, on_result, i)
            alone = partial(_silently, function)
            return execute(alone, tasks[i:], shared, on_result=hand, progress=rest, workers=several)
        started, left = time.process_time(), len(tasks) - i - 1
        on_result(i, function(shared, task, share))
        if i == telling and workers is None:
            several = paying((time.process_time() - started) * left, left)


def _silently(function: Callable[[S, T, Progress], R], shared: S, task: T) -> R:
    return function(shared, task, silent)


def _handed(on_result: Callable[[int, R], None], before: int, k: int, result: R) -> None:
    on_result(before + k, result)


def keep_memory() -> None:
    """Let this process keep the memory that arrays of some megabytes give back, where the C library is glibc.

    Processes that do nothing but run tasks else fetch each such array from the system and return it, which was 4 of
    10 seconds of fits in processes of this machine, and more than half in those that Dask's nanny starts.
    """
    with suppress(OSError, AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, 32 << 20)
        mallopt(_M_TRIM_THRESHOLD, 256 << 20)
