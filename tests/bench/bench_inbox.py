"""Sixteen writers into the inbox of a real dashboard that is killed twice: acknowledged, lost, doubled, partial.

Run by hand: make bench, or python tests/bench/bench_inbox.py [WRITERS [SECONDS]]
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from core.store import Store  # noqa: E402 - after the path
from core.store.inbox import Inbox  # noqa: E402

N_COUNTERS = 50

WRITER = f"""
import json, sys, time, uuid
from core.store.inbox import deliver
end, seconds = time.time() + float(sys.argv[2]), []
with open(sys.argv[4], "w", buffering=1) as log:
    while time.time() < end:
        id = uuid.uuid4()
        first = id.int >> 100
        metrics = {{f"counter_{{j}}": first + j for j in range({N_COUNTERS})}} | {{"time_s": 0.1}}
        begun = time.perf_counter()
        deliver(sys.argv[1], [{{"dataset": "d", "id": str(id), "application": "gemm", "machine": sys.argv[3],
                               "metrics": metrics}}])
        seconds.append(time.perf_counter() - begun)
        log.write(f"{{id}}\\n")
print(json.dumps(seconds))
"""


class Dashboard:
    """`streamlit run app.py`, and a browser's tab that opens it again whenever it is gone."""

    def __init__(self, database: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.database, self.process = database, None
        self.opened = threading.Event()
        self._closing = threading.Event()
        self._tab = threading.Thread(target=self._stay_open, daemon=True)

    def start(self) -> None:
        """Start the server; the tab finds it."""
        self.opened.clear()
        command = ["-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--server.port", str(self.port)],
            cwd=ROOT,
            env={**os.environ, "RIDGELINE_DB": str(self.database)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if not self._tab.is_alive():
            self._tab.start()

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """End the server as a person would."""
        self._closing.set()
        self.process.terminate()
        self.process.wait(timeout=30)

    def _stay_open(self) -> None:
        while not self._closing.is_set():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=1):
                    pass
                self._look()
            except Exception:
                time.sleep(0.2)

    def _look(self) -> None:
        """Open the first page, and keep the tab until the server is gone."""
        origin = f"http://127.0.0.1:{self.port}"
        with connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream",
            subprotocols=["streamlit", "bench"],
            origin=origin,
            max_size=None,
        ) as tab:
            ask = BackMsg()
            ask.rerun_script.query_string = ""
            tab.send(ask.SerializeToString())
            for raw in tab:
                said = ForwardMsg()
                said.ParseFromString(raw)
                if said.WhichOneof("type") == "script_finished":
                    self.opened.set()


def spawn_writers(folder: Path, inbox: Path, n: int, seconds: float) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(inbox), str(seconds), f"host{k}", str(folder / f"acknowledged.{k}")],
            cwd=ROOT,
            text=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for k in range(n)
    ]


def verdict(database: Path, acknowledged: list[str]) -> dict[str, int]:
    """Compare what was acknowledged with what the database holds."""
    with Store.open(database) as store:
        measured = store.measured("d")
        source = sum(s.n_trials for s in store.datasets.sources("d"))
    names = [m.name for m in measured.metrics]
    counters = measured.values[:, [names.index(f"counter_{j}") for j in range(N_COUNTERS)]]
    first = np.array([int(id.replace("-", ""), 16) >> 100 for id in measured.ids], dtype=np.float64)
    whole = (counters == first[:, None] + np.arange(N_COUNTERS)).all(axis=1)
    return {
        "stored": len(measured),
        "lost": len(set(acknowledged) - set(measured.ids)),
        "doubled": len(measured.ids) - len(set(measured.ids)),
        "partial": int((~whole).sum()),
        "counted wrong": abs(source - len(measured)),
    }


def main(n_writers: int, seconds: float) -> int:
    folder = Path(tempfile.mkdtemp(prefix="bench-inbox-"))
    database = folder / "bench.duckdb"
    Store.open(database).close()
    inbox = Inbox(database)
    inbox.make()
    dashboard = Dashboard(database)
    dashboard.start()
    assert dashboard.opened.wait(120), "the dashboard did not open"
    writers = spawn_writers(folder, inbox.path, n_writers, seconds)
    for _ in range(2):
        time.sleep(seconds / 3)
        dashboard.kill()
        dashboard.start()
    latencies = np.concatenate([json.loads(w.communicate()[0]) for w in writers])
    ended, waiting = time.monotonic(), inbox.status().n_waiting
    while inbox.status().n_waiting and time.monotonic() - ended < 300:
        time.sleep(0.1)
    drained_s = time.monotonic() - ended
    dashboard.close()
    acknowledged = [line for k in range(n_writers) for line in (folder / f"acknowledged.{k}").read_text().split()]
    found = verdict(database, acknowledged)
    table = {
        "writers": n_writers,
        "seconds": seconds,
        "kills of the dashboard": 2,
        "acknowledged": len(acknowledged),
        "acknowledged per second": round(len(acknowledged) / seconds),
        **found,
        "median ms": round(1e3 * float(np.median(latencies)), 1),
        "99 % ms": round(1e3 * float(np.quantile(latencies, 0.99)), 1),
        "waiting when writers ended": waiting,
        "seconds to drain that": round(drained_s, 1),
        "refused": len(inbox.status().bad),
    }
    for name, value in table.items():
        print(f"{name:28} {value}")
    shutil.rmtree(folder)
    bad = any(found[k] for k in ("lost", "doubled", "partial", "counted wrong"))
    return int(bad or len(acknowledged) / seconds < 100)


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    sys.exit(main(int(given[0]) if given else 16, given[1] if len(given) > 1 else 20.0))
