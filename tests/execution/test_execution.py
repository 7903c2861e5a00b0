"""The same tasks give the same results wherever they run; a process that dies costs its tasks a retry."""

import builtins
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from core.errors import Cancelled, ExecutionError, FitError
from core.execution import _cluster
from core.execution.execute import INSIDE, PAYS_S, execute, execute_where_it_pays, paying
from core.progress import silent
from tests.execution.tasks import always_deadly, asleep, counted, deadly, failing, niceness, times_here, weighted

pytestmark = pytest.mark.slow

PLACES = ("here", "processes", "cluster")
PATIENT_S = 120
"""How long a busy machine may take to end processes that are told to."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("distributed")
    with _cluster._local("2") as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def place(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "cluster":
        return {"cluster": request.getfixturevalue("address")}
    return {"workers": 2} if request.param == "processes" else {}


def run(function: Callable[[Any, Any], Any], tasks: list[Any], shared: Any, **where: Any) -> dict[int, Any]:
    found: dict[int, Any] = {}
    execute(function, tasks, shared, on_result=found.__setitem__, progress=where.pop("progress", silent), **where)
    return found


@pytest.mark.parametrize("place", PLACES, indirect=True)
def test_every_place_gives_the_same(place: dict[str, Any]) -> None:
    shared = np.random.default_rng(0).standard_normal((30, 50))
    tasks = [(row, factor) for row in range(30) for factor in (0.5, 2.0)]
    assert run(weighted, tasks, shared, **place) == {i: weighted(shared, task) for i, task in enumerate(tasks)}


@pytest.mark.parametrize("place", PLACES, indirect=True)
def test_no_tasks_are_done_at_once(place: dict[str, Any]) -> None:
    assert run(weighted, [], np.ones((1, 1)), **place) == {}


def test_no_tasks_are_told_without_counts() -> None:
    said: list[tuple[float, str]] = []
    execute(weighted, [], None, on_result=lambda i, r: None, progress=lambda share, text: said.append((share, text)))
    assert said == [(1.0, "all is done")]


@pytest.mark.parametrize("place", PLACES[1:], indirect=True)
def test_a_process_that_dies_costs_a_retry(place: dict[str, Any], tmp_path: Path) -> None:
    assert run(deadly, list(range(40)), tmp_path, **place) == {i: i * i for i in range(40)}
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("place", PLACES[1:], indirect=True)
def test_a_task_that_ends_every_process_is_given_up(place: dict[str, Any]) -> None:
    with pytest.raises(ExecutionError, match="memory"):
        run(always_deadly, list(range(4)), None, **place)


@pytest.mark.parametrize("place", PLACES, indirect=True)
def test_a_users_error_comes_through_as_itself(place: dict[str, Any]) -> None:
    with pytest.raises(FitError, match="Task 2 cannot be fitted"):
        run(failing, list(range(6)), None, **place)


@pytest.mark.parametrize("place", PLACES, indirect=True)
def test_cancel_stops_the_rest(place: dict[str, Any], tmp_path: Path) -> None:
    def stop(fraction: float, message: str) -> None:
        if fraction >= 0.05:
            (tmp_path / "stopped").touch()
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        run(counted, list(range(100)), tmp_path, progress=stop, **place)
    assert 5 <= len(list(tmp_path.glob("ran-*"))) < 50


def test_many_tasks_given_up_leave_the_cluster_usable(address: str, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(Cancelled):
            run(weighted, [(0, 1.0)] * 1_500, np.ones((1, 2)), progress=stop_after_start(), cluster=address)
    assert run(weighted, [(0, 1.0)] * 3, np.ones((1, 2)), cluster=address) == {0: 1.0, 1: 1.0, 2: 1.0}


def stop_after_start() -> Callable[[float, str], None]:
    calls: list[str] = []

    def progress(fraction: float, message: str) -> None:
        calls.append(message)
        if len(calls) > 1:
            raise Cancelled("stopped")

    return progress


@pytest.mark.parametrize("place", PLACES, indirect=True)
def test_progress_grows_to_one(place: dict[str, Any]) -> None:
    seen: list[float] = []
    run(weighted, [(0, 1.0)] * 5, np.ones((1, 2)), progress=lambda fraction, message: seen.append(fraction), **place)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_cluster_of_ones_own_listens_on_this_machine_alone() -> None:
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("distributed")
    others = set(psutil.Process().children(recursive=True))
    with _cluster._client("local:1"):
        made = set(psutil.Process().children(recursive=True)) - others
        ports = [c for p in made for c in p.net_connections() if c.status == "LISTEN"]
        assert ports
        assert {c.laddr.ip for c in ports} == {"127.0.0.1"}
    assert not [p for p in psutil.wait_procs(made, timeout=PATIENT_S)[1] if p.status() != "zombie"]


@pytest.mark.parametrize(
    "cluster", ["somewhere", "local:", "local:0", "local:many", "local:²", "local:" + "9" * 5000, "http:8786"]
)
def test_an_address_that_is_none(cluster: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ExecutionError, match=r"tcp://HOST:PORT of a Dask scheduler, or local:N|local:N takes a number"):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster=cluster)


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(_cluster, "_CONNECT_S", 0.3)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ExecutionError, match=f"No Dask scheduler answers at tcp://127.0.0.1:{port}"):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster=f"tcp://127.0.0.1:{port}")


def test_nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(_cluster, "_WORKERS_S", 0.2)
    alone = {"n_workers": 0, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "protocol": "tcp"}
    with (
        distributed.LocalCluster(**alone) as cluster,
        pytest.raises(ExecutionError, match=r"has no workers. Start some with dask worker tcp://127"),
    ):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster=cluster.scheduler_address)


def test_waiting_for_workers_can_be_stopped() -> None:
    distributed = pytest.importorskip("distributed")
    seen: list[str] = []

    def stop(fraction: float, message: str) -> None:
        seen.append(message)
        if "waiting" in message:
            raise Cancelled("stopped")

    alone = {"n_workers": 0, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "protocol": "tcp"}
    with distributed.LocalCluster(**alone) as cluster, pytest.raises(Cancelled):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster=cluster.scheduler_address, progress=stop)
    assert seen[0].startswith("connecting to tcp://127")


def test_workers_of_another_version_are_told(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "__version__", "9.9.9")
    with pytest.raises(ExecutionError, match=r"has Ridgeline .*, and this process 9\.9\.9"):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster=address)


def test_without_dask_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ExecutionError, match=r"pip install 'ridgeline\[cluster\]'"):
        run(weighted, [(0, 1.0)], np.ones((1, 1)), cluster="local:1")


def test_dask_is_imported_only_for_a_cluster() -> None:
    seen = "import core.execution.execute, sys; print('distributed' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


@pytest.mark.parametrize("work", ["core.race.race", "core.race.auto", "core.experiment.run", "core.experiment.trials"])
def test_what_processes_run_imports_no_reader_and_no_library_but_numpy(work: str) -> None:
    heavy = ("scipy", "sklearn", "pandas", "duckdb", "pyarrow", "core.ingest", "core.store", "core.report")
    seen = f"import {work}, sys; print(sorted(set({heavy!r}) & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_processes_are_given_up_in_the_middle_of_a_task() -> None:
    calls = []

    def progress(fraction: float, message: str) -> None:
        calls.append(message)
        if len(calls) > 1:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        run(asleep, [60.0] * 20, None, workers=2, progress=progress)
    assert len(calls) == 2  # it was asked while no task had ended


def test_processes_rest_for_the_next_tasks_unless_some_failed() -> None:
    here = psutil.Process()

    def new() -> set[psutil.Process]:
        """Return the processes that tasks needed."""
        before = set(here.children())
        run(niceness, list(range(10)), None, workers=2)
        return set(here.children()) - before

    def failed() -> None:
        with pytest.raises(FitError):
            run(failing, [0, 1, 2, 3], None, workers=2)

    failed()  # so that none rest
    first = new()
    assert first
    assert not new()
    failed()
    assert not any(process.is_running() for process in first)
    assert new()


def test_processes_end_with_the_program_that_was_killed(tmp_path: Path) -> None:
    code = (
        "from tests.execution.test_execution import run; from tests.execution.tasks import counted; import pathlib, sys; "
        "run(counted, list(range(20, 40)), pathlib.Path(sys.argv[1]), workers=2)"
    )
    program = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)])
    while len(list(tmp_path.glob("ran-*"))) < 2:
        assert program.poll() is None
        time.sleep(0.05)
    workers = psutil.Process(program.pid).children(recursive=True)
    program.kill()
    program.wait()
    _, left = psutil.wait_procs(workers, timeout=PATIENT_S)
    for process in left:
        process.kill()
    assert not left


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no such order of processes")
def test_processes_give_way_to_the_program_that_somebody_waits_for() -> None:
    assert min(run(niceness, [0, 1], None, workers=2).values()) > os.nice(0)


def test_processes_pay_where_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(INSIDE)
    assert paying(PAYS_S / 2, 100) == 1
    assert paying(1e6, 3) == min(os.cpu_count() or 1, 3)
    monkeypatch.setenv(INSIDE, "1")  # as in a process that is one of several
    assert paying(1e6, 100) == 1


@pytest.mark.parametrize(
    ("pays_s", "n", "workers", "alone"),
    [(PAYS_S, 4, None, 4), (0.0, 4, None, 1), (0.0, 26, None, 2), (PAYS_S, 4, 2, 0)],
)
def test_tasks_run_in_processes_where_it_pays(
    monkeypatch: pytest.MonkeyPatch, pays_s: float, n: int, workers: int | None, alone: int
) -> None:
    """Of few tasks the first tells how long they take, of many the second; nothing where it is said how many run."""
    monkeypatch.setattr("core.execution.execute.PAYS_S", pays_s)
    monkeypatch.setattr("core.execution._processes.cores", lambda: 2)
    monkeypatch.delenv(INSIDE, raising=False)
    found, told = dict[int, tuple[int, int]](), list[tuple[float, str]]()
    keep, tell = found.__setitem__, lambda *one: told.append(one)
    execute_where_it_pays(times_here, [*range(n)], 10, on_result=keep, progress=tell, workers=workers)
    assert [found[i][0] for i in range(n)] == [10 * i for i in range(n)]
    assert [found[i][1] == os.getpid() for i in range(n)] == [i < alone for i in range(n)]
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert shares[-1] == (1.0 if alone < n else 0.75)
