"""A disk that is full, a clock that goes back, a database that is gone, no home, two programs at once, many writers."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

from core.errors import StoreError
from core.store import Store, _curation, _records
from core.store import backup as backups
from core.store.inbox import Inbox
from core.workspace import APP
from tests.bench.bench_inbox import spawn_writers, verdict
from tests.prove.table import Line
from tests.store.test_store import an_import

ROOT = APP.parent
FULL = """
import json, pathlib, resource, signal, sys
from core.store import Store
from core.errors import StoreError
from tests.store.test_store import an_import
path, most = pathlib.Path(sys.argv[1]), int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
stored, refused, unread, said = 0, 0, 0, ""
with Store.open(path) as store:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    for i in range(40):
        try:
            store.add("d", an_import(12_000, seed=i, sha=str(i)))
            stored += 1
        except StoreError as error:
            refused, said = refused + 1, str(error)
            try:
                unread += len(store.measured("d").ids) != 12_000 * stored if stored else bool(store.datasets.all())
            except StoreError as error:
                unread += 1
            if refused == 3:
                break
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    try:
        store.add("d", an_import(12_000, seed=99, sha="room"))
        stored += 1
    except StoreError as error:
        said = str(error)
print(json.dumps([stored, refused, unread, said]))
"""


def run(code: str, *args: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program and wait for its end."""
    own = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)], cwd=ROOT, env=own, capture_output=True, text=True, check=False
    )


def disk_full(n: int, folder: Path) -> Line:
    """Let files grow to 1 to 40 MB, the log and its checkpoint among them, and go on; a process's limit stands for a full disk."""
    found, refusals = Counter[str](), 0
    for i in range(n):
        path = folder / f"full-{i}.duckdb"
        ended = run(FULL, path, int(1e6 * 40 ** (i / max(1, n - 1))))
        if ended.returncode:
            found["crashes"] += 1
            continue
        stored, refused, unread, _ = json.loads(ended.stdout.splitlines()[-1])
        refusals += refused
        found["readings refused"] += unread
        with Store.open(path) as store:
            there = len(store.measured("d").ids) if store.datasets.all() else 0
        found["lost or partial"] += there != 12_000 * stored
    bad = {name: found[name] for name in ("lost or partial", "readings refused", "crashes")}
    return Line("disk full", n, bad, {"imports refused": refusals})


class Earlier(datetime):
    """A clock that stands ten years back."""

    @classmethod
    def now(cls, tz: object = None) -> "Earlier":
        """Return the time that it shows."""
        then = datetime.now() - timedelta(days=3650)
        return cls(*then.timetuple()[:6], then.microsecond)


def clock_back(n: int, folder: Path) -> Line:
    """Store now, set the clock back ten years, store again: all is there, and of two backups both are taken for whole."""
    lost = 0
    for i in range(n):
        path = folder / f"clock-{i}" / "x.duckdb"
        path.parent.mkdir()
        with Store.open(path) as store:
            store.add("d", an_import(sha="now"))
            store.backup()
        places = [
            mock.patch.object(module, "datetime", Earlier)
            for module in (backups, _curation, _records)
            if hasattr(module, "datetime")
        ]
        for place in places:
            place.start()
        try:
            with Store.open(path) as store:
                store.add("d", an_import(seed=1, sha="earlier"))
                store.backup()
                lost += (
                    len(store.datasets.sources("d")) != 2
                    or len(list(backups.verified(path.parent / "backups", "x"))) != 2
                )
        finally:
            for place in places:
                place.stop()
    return Line("clock set back ten years", n, {"lost": lost}, {})


def deleted(n: int, folder: Path) -> Line:
    """Delete the database of a running program: what it says afterwards is a sentence, and opening again makes a new one."""
    bad = 0
    for i in range(n):
        path = folder / f"deleted-{i}" / "x.duckdb"
        path.parent.mkdir()
        with Store.open(path) as store:
            store.add("d", an_import())
            for file in path.parent.glob("x.duckdb*"):
                if not file.name.endswith(".lock"):
                    file.unlink()
            try:
                store.add("d", an_import(seed=1, sha="b"))
                store.measured("d")
            except StoreError as error:
                bad += "\n" in str(error)
        with suppress(StoreError):  # says once that changes are missing
            Store.open(path).close()
        with Store.open(path) as store:
            bad += len(store.datasets.all()) > 1
    return Line("database deleted while it is open", n, {"crashes": bad}, {})


def no_home(n: int, folder: Path) -> Line:
    """Start without HOME, and with one that is not there."""
    bad = 0
    for i in range(n):
        home = {} if i % 2 else {"HOME": str(folder / "nowhere")}
        own = (
            {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_DATA_HOME")}
            | home
            | {"PYTHONPATH": str(ROOT)}
        )
        command = [sys.executable, "-m", "core.cli", "--db", str(folder / "home.duckdb"), "datasets"]
        ended = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
        bad += ended.returncode != 0
    return Line("no HOME", n, {"failed": bad}, {})


TWO = """
import pathlib, sys, time
from core.store import Store
from core.errors import StoreError
try:
    with Store.open(pathlib.Path(sys.argv[1])):
        print("owner", flush=True)
        time.sleep(3)
except StoreError as error:
    print(error)
"""


def two_at_once(n: int, folder: Path) -> Line:
    """Start two programs on one database at the same time: one owns it, the other says who."""
    bad = Counter[str]()
    for i in range(n):
        command = [sys.executable, "-c", TWO, str(folder / f"two-{i}.duckdb")]
        own = {**os.environ, "PYTHONPATH": str(ROOT)}
        both = [subprocess.Popen(command, cwd=ROOT, env=own, stdout=subprocess.PIPE, text=True) for _ in "ab"]
        said = sorted(process.communicate()[0] for process in both)
        bad["two owners or none"] += sum(text == "owner\n" for text in said) != 1
        bad["not told who"] += sum("in use by process" in text for text in said) != 1
    return Line("two programs at once", n, {name: bad[name] for name in ("two owners or none", "not told who")}, {})


def writers(n: int, seconds: float, folder: Path) -> Line:
    """Deliver through the inbox from many programs while nobody owns the database, and drain it."""
    database = folder / "writers.duckdb"
    Store.open(database).close()
    inbox = Inbox(database)
    inbox.make()
    home = Path(tempfile.mkdtemp(dir=folder))
    for writer in spawn_writers(home, inbox.path, n, seconds):
        writer.communicate()
    told = [line for k in range(n) for line in (home / f"acknowledged.{k}").read_text().split()]
    with Store.open(database) as store:
        while inbox.status().n_waiting:
            inbox.drain(store)
    found = verdict(database, told)
    shutil.rmtree(home)
    bad = {name: found[name] for name in ("lost", "doubled", "partial", "counted wrong")}
    return Line(f"{n} writers", len(told), bad, {"acknowledged a second": round(len(told) / seconds)})
