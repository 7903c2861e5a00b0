"""Kill a process while it changes a database, again and again, and look at what is left."""

import multiprocessing
import random
import shutil
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.process import BaseProcess
from pathlib import Path

from core.errors import StoreError
from core.export import read_model, write_model
from core.recipes import make_recipe
from core.store import Store
from core.store.backup import inspect
from tests.conftest import machine_frame
from tests.prove.table import Line, Proof
from tests.store.test_migration import make_version_1
from tests.store.test_store import an_import

ROWS, BATCH, MOST = 24, 10, 5000
NOT_WHOLE = "backups not whole"
Work = Callable[[Store, Path], Iterator[str]]
Look = Callable[[Store, set[str], Path], Counter[str]]


@dataclass(frozen=True)
class Kind:
    """What is under way when the kill comes.

    Attributes
    ----------
    work : does it for ever and yields what is acknowledged
    look : counts what is lost of the acknowledged, and what is there by halves
    halves : what that is called
    at_least : lines that are written before the kill may come
    whole : whether the kill comes at any moment of twice the time that all of it takes, else within a quarter of a second
    """

    work: Work
    look: Look
    halves: str = "partial"
    at_least: int = 2
    whole: bool = False


def importing(store: Store, path: Path) -> Iterator[str]:
    """Import files, one after another."""
    while True:
        sha = uuid.uuid4().hex
        store.add("d", an_import(seed=int(sha[:6], 16), sha=sha))
        yield sha


def imports(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count files that are gone, and trials that are no whole file's."""
    there = {source.sha256 for source in store.datasets.sources("d")}
    n = len(store.measured("d").ids)
    partial = n != ROWS * len(there) or len(store.frame("d", "time", ["misses"])) != n
    return Counter(lost=len(told - there), partial=int(partial))


def curating(store: Store, path: Path) -> Iterator[str]:
    """Leave out half of the trials, and take them back; yields how many changes the audit must have."""
    ids, n = store.measured("d").ids[: ROWS // 2], len(store.curation.audit("d"))
    while True:
        store.curation.exclude("d", ids, "by hand", "fan")
        yield str(n + 1)
        store.curation.include("d", ids)
        n += 2
        yield str(n)


def curated(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count changes that the audit does not have, and exclusions of some of the trials."""
    out = len(store.measured("d").excluded.get("by hand", ()))
    lost = max(map(int, told), default=0) - len(store.curation.audit("d"))
    return Counter(lost=max(lost, 0), partial=int(out not in (0, ROWS // 2)))


def saving(store: Store, path: Path) -> Iterator[str]:
    """Save models."""
    raw = write_model(make_recipe("ols").fit(machine_frame()))
    while True:
        yield store.models.save(
            uuid.uuid4().hex, raw, dataset="d", recipe="ols", response="time", n_trials=32, scores={}, options={}
        )


def saved(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count models that are gone, and those that are no whole file."""
    there = {card.id for card in store.models.all()}
    return Counter(lost=len(told - there), partial=sum(read_model(store.models.get(id)) is None for id in there & told))


def studying(store: Store, path: Path) -> Iterator[str]:
    """Keep results of an experiment, some at a time; batches are numbered, so that one that nobody was told of is found."""
    n = len(batches(store))
    while True:
        store.experiments.keep("d", "x", "study", 1000, "")
        store.experiments.keep_results("d", [(key, {"error": 0.5}) for key in batch(n)])
        yield str(n)
        n += 1


def batch(n: int) -> list[str]:
    """Return the keys of a batch of results."""
    return [f"{n}-{i}" for i in range(BATCH)]


def batches(store: Store) -> Counter[int]:
    """Return how many results are there of each batch."""
    return Counter(
        int(key.partition("-")[0]) for key in store.experiments.results(key for n in range(MOST) for key in batch(n))
    )


def studied(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count batches that are gone, and those of which some results are there, of earlier programs' and the one under way."""
    last = max(map(int, told), default=-1)
    there = batches(store)
    return Counter(lost=len(set(range(last + 1)) - set(there)), partial=sum(n < BATCH for n in there.values()))


def racing(store: Store, path: Path) -> Iterator[str]:
    """Keep runs of a race."""
    fold = 0
    while True:
        entry, fold = uuid.uuid4().hex, fold + 1
        store.races.keep("d", "race", entry, fold, {"entry": entry})
        yield entry


def raced(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count runs that are gone."""
    return Counter(lost=len(told - {str(run["entry"]) for run in store.races.runs("race")}), partial=0)


def backing_up(store: Store, path: Path) -> Iterator[str]:
    """Write backups."""
    while True:
        yield str(store.backup())


def backed_up(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count backups that are gone, and those that are not whole."""
    return Counter(
        {"lost": sum(not Path(name).exists() for name in told), NOT_WHOLE: not_whole(path.parent / "backups", ROWS)}
    )


def not_whole(folder: Path, rows: int) -> int:
    """Count the backups that do not open or have not so many trials; one that was not touched since it was opened is not opened again."""
    copies = [(copy, copy.stat().st_size, copy.stat().st_mtime_ns) for copy in folder.glob("*.duckdb")]
    return sum(trials(*copy) != rows for copy in copies)


@lru_cache(maxsize=10_000)
def trials(copy: Path, size: int, changed: int) -> int | None:
    """Return how many trials a backup has, None if it does not open."""
    found = inspect(copy)
    return None if found is None else found.counts["trial"]


def migrating(store: Store, path: Path) -> Iterator[str]:
    """Do no more: to open the database is to migrate it."""
    yield "migrated"
    time.sleep(60)


def migrated(store: Store, told: set[str], path: Path) -> Counter[str]:
    """Count what version 1 had and is gone, and backups of it that are not whole."""
    measured = store.measured("old")
    lost = len(measured.ids) != 3 or len(store.curation.exclusions("old")) != 1 or len(store.models.all()) != 1
    return Counter({"lost": int(lost), NOT_WHOLE: not_whole(path.parent / "backups", 3)})


KINDS = {
    "import": Kind(importing, imports),
    "curate": Kind(curating, curated),
    "save": Kind(saving, saved),
    "experiment": Kind(studying, studied),
    "race": Kind(racing, raced),
    "migration": Kind(migrating, migrated, NOT_WHOLE, 1, whole=True),
    "backup": Kind(backing_up, backed_up, NOT_WHOLE),
}


def change(kind: str, path: Path, log: Path) -> None:
    """Do one kind's work until it is killed, and write down what is acknowledged, flushed.

    After ten minutes it ends by itself: whoever was to kill it may be gone.
    """
    end = time.monotonic() + 600
    with log.open("a", buffering=1) as said:
        said.write("begun\n")
        with Store.open(path) as store:
            for token in KINDS[kind].work(store, path):
                said.write(f"{token}\n")
                if time.monotonic() > end:
                    return


def kills(kind: str, n: int, folder: Path, seed: int = 0) -> Line:
    """Kill a process of a kind n times, at random moments, and look at the database after each."""
    draw, found, told_of = random.Random(seed), Counter[str](), Counter[str]()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.prove.kills"])
    within = 0.25
    for i in range(-KINDS[kind].whole, n):
        path = folder / (f"{kind}-{i}" if kind == "migration" else kind) / "x.duckdb"
        prepared(kind, path)
        log = path.with_name("told")
        log.unlink(missing_ok=True)
        process = context.Process(target=change, args=(kind, path, log))
        process.start()
        await_lines(process, log, KINDS[kind].at_least)
        if i < 0:  # to know how long it takes
            begun = time.monotonic()
            await_lines(process, log, KINDS[kind].at_least + 1)
            within = 2 * (time.monotonic() - begun)
        time.sleep(draw.uniform(0.0, within))
        process.kill()
        process.join()
        told = set(log.read_text().split("\n")[:-1]) - {"begun"}
        told_of["acknowledged"] += len(told)
        told_of["kills before that"] += not told
        found += after(kind, path, told)
        if kind == "migration":
            shutil.rmtree(path.parent)
    bad = {name: found[name] for name in ("lost", KINDS[kind].halves, "failed opens")}
    return Line(f"kill -9 during {kind}", n + KINDS[kind].whole, bad, told_of)


def await_lines(process: BaseProcess, log: Path, n: int) -> None:
    """Wait until a process has written so many lines, or has ended."""
    while process.is_alive() and not (log.exists() and log.read_text().count("\n") >= n):
        time.sleep(0.001)


def prepared(kind: str, path: Path) -> None:
    """Make the database that a kind begins with."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "migration":
        make_version_1(path)
        return
    with Store.open(path) as store:
        store.add("d", an_import())


def after(kind: str, path: Path, told: set[str]) -> Counter[str]:
    """Open what is left, and count."""
    try:
        with Store.open(path) as store:
            return KINDS[kind].look(store, told, path)
    except StoreError:
        return Counter({"failed opens": 1})


def proofs(n: int, folder: Path) -> dict[str, Proof]:
    """Return one proof a kind, by its name."""
    return {f"kill: {kind}": partial(kills, kind, n, folder) for kind in KINDS}
