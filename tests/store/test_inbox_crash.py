"""Several writers, an owner that is killed twice while it stores: nothing lost, nothing twice, nothing by halves."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from core.store import Store
from core.store.inbox import Inbox

ROOT = Path(__file__).resolve().parents[2]
N_METRICS = 20
PATIENT_S = 120
"""How long a busy machine may take to begin, and to end, what others do at once."""

WRITER = f"""
import os, sys, time, uuid
from core.store.inbox import deliver
log = open(sys.argv[3], "w", buffering=1)
while not os.path.exists(sys.argv[2]):
    id = uuid.uuid4()
    first = id.int >> 100
    metrics = {{f"m{{j}}": first + j for j in range({N_METRICS})}}
    deliver(sys.argv[1], [{{"dataset": "d", "id": str(id), "application": "a", "metrics": metrics}}])
    log.write(f"{{id}}\\n")
    time.sleep(0.005)
"""

OWNER = """
import sys, time, pathlib
from core.store import Store
from core.store.inbox import Drainer
with Store.open(pathlib.Path(sys.argv[1])) as store:
    Drainer(store).start()
    print("open", flush=True)
    time.sleep(600)
"""


def spawn(code: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def owner(path: Path) -> subprocess.Popen[str]:
    process = spawn(OWNER, path)
    assert process.stdout.readline() == "open\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def storing(inbox: Inbox) -> bool:
    """Wait until files go, which is to say that the owner is in the middle of it."""
    most, end = 0, time.monotonic() + PATIENT_S
    while time.monotonic() < end:
        n = inbox.status().n_waiting
        if n < most:
            return True
        most = max(most, n)
    return False


@pytest.mark.slow
def test_writers_lose_nothing_while_the_owner_is_killed(tmp_path: Path) -> None:
    path, stop = tmp_path / "x.duckdb", tmp_path / "stop"
    inbox = Inbox(path)
    inbox.make()
    owning = owner(path)
    logs = [tmp_path / f"acknowledged.{k}" for k in range(3)]
    writers = [spawn(WRITER, inbox.path, stop, log) for log in logs]
    for _ in range(2):
        assert storing(inbox), "the owner stored nothing"
        kill(owning)
        owning = owner(path)
    assert storing(inbox), "the owner stored nothing"
    stop.touch()
    for writer in writers:
        writer.communicate(timeout=PATIENT_S)
    acknowledged = [line for log in logs for line in log.read_text().split()]
    kill(owning)
    with Store.open(path) as store:
        inbox.drain(store)
        measured = store.measured("d")
        assert store.datasets.sources("d")[0].n_trials == len(measured)
    assert len(acknowledged) > 50
    assert set(acknowledged) - set(measured.ids) == set()
    assert len(measured.ids) == len(set(measured.ids)), "a trial is there twice"
    first = np.array([int(id.replace("-", ""), 16) >> 100 for id in measured.ids], dtype=np.float64)
    columns = [[m.name for m in measured.metrics].index(f"m{j}") for j in range(N_METRICS)]
    assert np.array_equal(measured.values[:, columns], first[:, None] + np.arange(N_METRICS)), "a trial is not whole"
    assert (inbox.status().n_waiting, inbox.status().bad) == (0, ())
