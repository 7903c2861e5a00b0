"""The dashboard as a process of its own, which can be killed."""

import multiprocessing
import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from core.store import Store
from core.trial import Import
from core.workspace import APP

PATIENCE_S = 240.0
_CONTEXT = multiprocessing.get_context("forkserver")
_PAGES = [f"pages.{p.parent.name}.{p.stem}" for p in sorted((APP.parent / "pages").glob("_*/*.py"))]


def serve(database: Path, port: int, log: Path) -> None:
    """Do what `streamlit run app.py` does, and never return."""
    os.setsid()  # so that what it starts can be found after its end
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.chdir(APP.parent)
    os.environ["RIDGELINE_DB"] = str(database)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a server of forks takes no notice of it
    from streamlit.web.cli import main

    main(["run", str(APP), "--server.headless", "true", "--server.port", str(port)])


class Dashboard:
    """The dashboard on a database; it starts from a process that has imported it, so that many can be killed."""

    def __init__(self, database: Path, log: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.address, self.log = f"http://127.0.0.1:{self.port}", log
        if str(APP.parent) not in sys.path:
            sys.path.insert(0, str(APP.parent))
        _CONTEXT.set_forkserver_preload(["tests.prove.dashboard", "streamlit.web.cli", "sklearn.linear_model", *_PAGES])
        self._process = _CONTEXT.Process(target=serve, args=(database, self.port, log))
        self._process.start()
        self._wait()

    def kill(self) -> int:
        """End it by kill -9, and return how many processes of its own outlive it by 20 seconds; these are ended too."""
        own = self._own()
        self._process.kill()
        self._process.join()
        _, left = psutil.wait_procs(own, timeout=20)
        for process in left:
            process.kill()
        return len(left)

    def close(self) -> None:
        """End it as a person would."""
        self._process.terminate()
        self._process.join(60)
        if self._process.is_alive():
            self.kill()

    def megabytes(self) -> float:
        """Return the memory that it and its processes hold."""
        whole = [psutil.Process(self._process.pid), *self._own()]
        return float(sum(process.memory_info().rss for process in whole)) / 2**20

    def _own(self) -> list[psutil.Process]:
        own: list[psutil.Process] = psutil.Process(self._process.pid).children(recursive=True)
        return own

    def _wait(self) -> None:
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self._process.is_alive():
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1):
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(f"The dashboard did not answer: {self.log.read_text()[-2000:]}")


@contextmanager
def served(folder: Path, imports: Mapping[str, Import]) -> Iterator[tuple[Dashboard, Path]]:
    """Give a dashboard on a database of these datasets."""
    folder.mkdir()
    path = folder / "x.duckdb"
    with Store.open(path) as store:
        for name, made in imports.items():
            store.add(name, made)
    dashboard = Dashboard(path, folder / "log")
    try:
        yield dashboard, path
    finally:
        dashboard.close()
