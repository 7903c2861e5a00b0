"""Kill the dashboard itself while a tab uploads, fits, races, experiments or sweeps, and look at what is left."""

import random
import re
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.error import URLError

import duckdb
from websockets.exceptions import WebSocketException

from core.errors import StoreError
from core.export import read_model
from core.store import Store
from tests.made import jobs_of
from tests.pages.toys import space_import, toy_import
from tests.prove.dashboard import Dashboard
from tests.prove.tab import Tab
from tests.prove.table import Line, Proof

ROWS = 24
GONE = (WebSocketException, OSError, URLError, TimeoutError)
Drive = Callable[[Tab, str], Iterator[str]]
Look = Callable[[Path, str, set[str]], Counter[str]]


@dataclass(frozen=True)
class Kind:
    """What a tab does when the kill comes.

    Attributes
    ----------
    drive : does it for ever in a tab, with a dataset's name, and yields what the page acknowledges
    look : counts what is lost of the acknowledged, and what is there by halves
    within_s : of which the kill comes at any moment
    """

    drive: Drive
    look: Look
    within_s: float


def uploading(tab: Tab, dataset: str) -> Iterator[str]:
    """Upload tables, each in a tab of its own, and import them."""
    while True:
        tab = Tab(tab.address)
        name, first = uuid.uuid4().hex, random.randrange(10**6)
        rows = "".join(f"app{i},gpu{i % 3},{first + i * i},{first + i}\n" for i in range(ROWS))
        tab.visit("trials", "trials_view=Upload")
        tab.upload("Files of trials", f"{name}.csv", f"program,gpu,instructions,time (ms)\n{rows}".encode())
        tab.press("import")
        if f"{name}\\.csv** (csv): {ROWS} trials" in tab.text():
            yield name


def uploads(path: Path, dataset: str, told: set[str]) -> Counter[str]:
    """Count tables that are gone, and those that are not whole."""
    with Store.open(path) as store:
        there = {card.name: card.n_trials for card in store.datasets.all() if len(card.name) == 32}
        wrong = sum(n != ROWS for n in there.values())
        wrong += sum(len(store.frame(name, "time", ["instructions"])) != ROWS for name in told & set(there))
    return Counter(lost=len(told - set(there)), partial=wrong)


def fitting(tab: Tab, dataset: str) -> Iterator[str]:
    """Fit models, and save each under a name of its own."""
    while True:
        name = uuid.uuid4().hex
        recipe = random.choice(("gaussian_process", "extra_trees", "support_vectors", "ridge", "eiger"))
        tab.visit("model", f"dataset={dataset}&recipe={recipe}&{recipe}_seed={random.randrange(1000)}")
        while tab.find("button", "save_model") is None:
            tab.stay(0.5)
        tab.set("text_input", "model_name", string_value=name)
        tab.press("save_model")
        if name in "".join(toast.body for toast in tab.all("toast")):
            yield name


def fitted(path: Path, dataset: str, told: set[str]) -> Counter[str]:
    """Count models that are gone, and those that are no whole file."""
    with Store.open(path) as store:
        there = {card.name: card.id for card in store.models.all()}
        partial = sum(read_model(store.models.get(id)) is None for name, id in there.items() if name in told)
    return Counter(lost=len(told - set(there)), partial=partial)


def racing(tab: Tab, dataset: str) -> Iterator[str]:
    """Race, and read how many runs are done."""
    yield from _watched(tab, "compare", dataset, "race", r"(\d+) of \d+ runs are done")


def studying(tab: Tab, dataset: str) -> Iterator[str]:
    """Run an experiment, and read how many fits are done."""
    yield from _watched(tab, "experiments", dataset, "run_experiment", r"(\d+) of \d+ fits")


def _watched(tab: Tab, page: str, dataset: str, button: str, words: str) -> Iterator[str]:
    tab.visit(page, f"dataset={dataset}")
    tab.press(button)
    while True:
        tab.stay(0.2)
        bars = tab.all("progress")
        yield from re.findall(words, " ".join(bar.text for bar in bars))
        if not bars:  # it has ended: a page where nothing is under way asks for nothing, and would not notice the kill
            tab.visit(page, f"dataset={dataset}")


def raced(path: Path, dataset: str, told: set[str]) -> Counter[str]:
    """Count runs that were said to be done and are gone."""
    return _kept(path, dataset, told, "race_run")


def studied(path: Path, dataset: str, told: set[str]) -> Counter[str]:
    """Count fits that were said to be done and are gone."""
    return _kept(path, dataset, told, "experiment_result")


def _kept(path: Path, dataset: str, told: set[str], table: str) -> Counter[str]:
    with duckdb.connect(str(path), read_only=True) as raw:
        sql = f"SELECT count(*), count(*) FILTER (json_valid(document)) FROM {table} JOIN dataset d ON d.id = dataset WHERE d.name = ?"
        n, whole = raw.execute(sql, [dataset]).fetchall()[0]
    return Counter(lost=max(max(map(int, told), default=0) - n, 0), partial=n - whole)


def sweeping(tab: Tab, dataset: str) -> Iterator[str]:
    """Ask for the best designs of a space, with one model after another."""
    while True:
        tab.visit("design_space", f"dataset={dataset}_space&space_stargazer_seed={random.randrange(1000)}")
        tab.stay(1.0)
        yield "looked"


def swept(path: Path, dataset: str, told: set[str]) -> Counter[str]:
    """Count datasets that are gone: a sweep keeps nothing but its name in the list of jobs."""
    with Store.open(path) as store:
        return Counter(lost=int(len(store.measured(f"{dataset}_space").ids) != 80), partial=0)


KINDS = {
    "upload in the browser": Kind(uploading, uploads, 3.0),
    "fit in the browser": Kind(fitting, fitted, 5.0),
    "race in the browser": Kind(racing, raced, 5.0),
    "experiment in the browser": Kind(studying, studied, 5.0),
    "sweep in the browser": Kind(sweeping, swept, 3.0),
}


def kills(kind: str, n: int, folder: Path, seed: int = 0) -> Line:
    """Kill the dashboard n times, at random moments of a tab's work, and look at the database after each."""
    draw, found, acknowledged = random.Random(seed), Counter[str](), 0
    path = folder / kind.replace(" ", "-") / "x.duckdb"
    path.parent.mkdir(parents=True)
    for i in range(n):
        with Store.open(path) as store:
            store.add(f"toy{i}", toy_import(6 + i))
            store.add(f"toy{i}_space", space_import())
        dashboard = Dashboard(path, path.with_name("log"))
        told, left = driven(dashboard, KINDS[kind], f"toy{i}", draw)
        acknowledged += len(told)
        found["processes left"] += left
        try:
            found += KINDS[kind].look(path, f"toy{i}", told)
            with Store.open(path) as store:
                found["jobs still called running"] += sum(state == "running" for _, _, state in jobs_of(store))
        except StoreError:
            found["failed opens"] += 1
    bad = {
        name: found[name] for name in ("lost", "partial", "failed opens", "jobs still called running", "processes left")
    }
    return Line(f"kill -9 during {kind}", n, bad, {"acknowledged": acknowledged})


def driven(dashboard: Dashboard, kind: Kind, dataset: str, draw: random.Random) -> tuple[set[str], int]:
    """Let a tab work until the dashboard is killed; return what was acknowledged, and how many processes are left."""
    told, left, over = set[str](), list[int](), threading.Event()
    tab = Tab(dashboard.address)
    tab.visit("trials")  # what the first page takes is no part of the work

    def end() -> None:
        left.append(dashboard.kill())
        over.set()

    timer = threading.Timer(draw.uniform(0.0, kind.within_s), end)
    timer.start()
    with suppress(*GONE):
        for token in kind.drive(tab, dataset):
            told.add(token)
            time.sleep(0.001)
    over.wait()
    return told, left[0]


def proofs(n: int, folder: Path) -> dict[str, Proof]:
    """Return one proof a kind, by its name."""
    return {f"kill: {kind}": partial(kills, kind, n, folder) for kind in KINDS}
