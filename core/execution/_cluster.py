"""Tasks on a Dask cluster, through Dask's own client: it deals tasks out, and again where a worker dies."""

import logging
import os
import platform
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from core import __version__
from core.errors import ExecutionError, count
from core.execution.execute import INSIDE, LOST, Job, keep_memory
from core.progress import Progress, silent

_CONNECT_S, _WORKERS_S, _START_S = 5.0, 30.0, 120.0
_LOOK_EVERY_S, _ASK_EVERY_S, _WAIT_S = 0.2, 2.0, 5.0
_QUIET = {
    "DASK_LOGGING__DISTRIBUTED": "error",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
}
"""Settings of Dask's programs that are started here. They tell errors only: nobody reads what the scheduler writes, and
at its own level, which tells each task that is given up, the pipe would fill and the scheduler stand still. And they
look seldom at themselves, for a dashboard that is not there: by default each worker samples its tasks a hundred times a
second and measures its own delay fifty times, which is paid by the clock, the longer the more of them share cores."""
_ALIKE = ("numpy", "scipy", "scikit-learn")
"""What results depend on, beside Ridgeline itself."""


def on_cluster(job: Job[Any, Any, Any], cluster: str) -> None:
    """Run tasks on a cluster; see `execute`."""
    job.progress(0.0, f"connecting to {cluster}")
    with _client(cluster, job.progress) as client:
        _check_versions(client, cluster)
        job.rounds(partial(_round, job, client))


def _round(job: Job[Any, Any, Any], client: Any, left: set[int]) -> None:
    """Run what is left once; a task stays left where what all tasks need was lost with the workers that held it."""
    from distributed import as_completed
    from distributed.client import FutureCancelledError
    from distributed.protocol.pickle import dumps

    n = len(job.tasks)
    common = _sent(client, dumps((job.function, job.shared)), lambda said: job.progress(1.0 - len(left) / n, said))
    packed = [(i, dumps(job.tasks[i])) for i in sorted(left)]
    futures = client.map(_call, packed, common=common, pure=False, retries=0)
    try:
        coming, running = as_completed(futures, loop=client.loop), set(futures)
        where, asked = _on(client), time.monotonic()
        while running:
            if time.monotonic() > asked + _ASK_EVERY_S:
                where, asked = _on(client), time.monotonic()
            job.told(n - len(left), where)
            for future in coming.next_batch(block=False):
                running.discard(future)
                try:
                    i, result = _result(future)
                except FutureCancelledError:
                    continue
                left.discard(i)
                job.on_result(i, result)
            time.sleep(_LOOK_EVERY_S)
        job.told(n - len(left), where)
    finally:
        client.cancel([*(future for future in futures if not future.done()), common], force=True)


def _sent(client: Any, common: bytes, tell: Callable[[str], None]) -> Any:
    """Send what all tasks need to all workers; where all have died, wait until some are there again."""
    end = time.monotonic() + _START_S
    while True:
        tell(f"sending what all tasks need{_on(client)}")
        try:
            (sent,) = client.scatter([common], broadcast=True, hash=False, timeout=_WAIT_S)
            return sent
        except TimeoutError:
            if time.monotonic() > end:
                raise ExecutionError(
                    f"The cluster has had no worker for {_START_S:.0f} s. Start some with dask worker, then this again."
                ) from None


def _call(work: tuple[int, bytes], common: bytes) -> Any:
    """Run a task in a worker.

    What it needs travels as bytes and is opened here, in the worker's own thread for tasks: elsewhere the imports
    would hold up the worker's talk with the others for seconds, one worker after another.
    """
    from distributed.protocol.pickle import loads

    number, task = work
    function, shared = _opened(common)
    return number, function(shared, loads(task))


@lru_cache(maxsize=1)
def _opened(common: bytes) -> Any:
    """Return what all tasks need, once for each process."""
    from distributed.protocol.pickle import loads

    keep_memory()
    return loads(common)


def _result(future: Any) -> Any:
    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        raise ExecutionError(
            f"A task ended {LOST + 1} workers of the cluster one after another, most likely for want of memory. "
            "Give each worker more, and start it again: it goes on from there."
        ) from None


def _on(client: Any) -> str:
    n = len(client.scheduler_info(n_workers=-1)["workers"])
    return f" on {count(n, 'worker')}" if n else ": no worker is there; waiting for one"


@contextmanager
def _client(cluster: str, progress: Progress = silent) -> Iterator[Any]:
    """Connect to a cluster, or start one and end it after."""
    try:
        import distributed
    except ImportError:
        raise ExecutionError(
            "A cluster needs Dask, which is not installed. Install it with pip install 'ridgeline[cluster]', "
            "or use processes of this machine."
        ) from None
    kind, sign, place = cluster.partition(":")
    if kind == "local" and sign:
        with _local(place) as own, distributed.Client(own, set_as_default=False) as client:
            client.wait_for_workers(len(own.worker_spec), timeout=_START_S)
            yield client
    elif sign and place.startswith("//"):
        with _connected(distributed, cluster, progress) as client:
            yield client
    else:
        raise ExecutionError(
            f"A cluster is tcp://HOST:PORT of a Dask scheduler, or local:N for N processes here; got '{cluster}'."
        )


@contextmanager
def _connected(distributed: Any, address: str, progress: Progress) -> Iterator[Any]:
    try:
        client = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecutionError(
            f"No Dask scheduler answers at {address} ({type(error).__name__}). Start one with dask scheduler, "
            "or look up its address in what it prints."
        ) from None
    with client:
        end = time.monotonic() + _WORKERS_S
        while not client.scheduler_info(n_workers=-1)["workers"]:
            if time.monotonic() > end:
                raise ExecutionError(
                    f"The Dask scheduler at {address} has no workers. "
                    f"Start some with dask worker {address} --nthreads 1."
                )
            progress(0.0, f"waiting for a worker of {address}")
            time.sleep(_LOOK_EVERY_S)
        yield client


@contextmanager
def _local(text: str) -> Iterator[Any]:
    """Start a scheduler and workers that only this machine can reach, and end them after.

    They are programs of their own, because processes made from this one would run its main script,
    which is the dashboard where the dashboard asks.
    """
    from distributed.deploy.subprocess import SubprocessCluster

    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise ExecutionError(f"A cluster local:N takes a number of processes from 1 to 9999, got '{text[:40]}'.")
    home = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    with _quiet():
        cluster = SubprocessCluster(
            host="127.0.0.1",
            n_workers=int(text),
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
            # If this process is killed, nobody else ends them.
            scheduler_kwargs={"idle_timeout": "60 s", "dashboard": False, "http_prefix": ""},
            worker_kwargs={
                "env": {"PYTHONPATH": paths, INSIDE: "1"},
                "memory_limit": 0,
                "dashboard": False,
                "host": "127.0.0.1",
            },
        )
    with cluster:
        yield cluster


@contextmanager
def _quiet() -> Iterator[None]:
    """Have `_QUIET` in the environment, which Dask's own programs take from here when they start."""
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(_QUIET)
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            os.environ.update({} if value is None else {name: value})


def _versions() -> dict[str, str]:
    """Return what results depend on, in this process."""
    python = platform.python_version().rpartition(".")[0]
    return {"Ridgeline": __version__, "Python": python, **{name: metadata.version(name) for name in _ALIKE}}


def _check_versions(client: Any, cluster: str) -> None:
    """Raise ExecutionError unless all workers have what this process has."""
    here = _versions()
    try:
        found = client.run(_versions)
    except Exception as error:
        raise ExecutionError(
            f"A worker of {cluster} cannot run Ridgeline ({type(error).__name__}: {error}). "
            f"Install ridgeline {__version__} where the workers run."
        ) from None
    for worker, there in found.items():
        for name, version in here.items():
            if there.get(name) != version:
                raise ExecutionError(
                    f"Worker {worker} has {name} {there.get(name)}, and this process {version}; results would differ. "
                    "Install the same versions."
                )
