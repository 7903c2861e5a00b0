"""What all tests share: real measurements if they are there, and small frames."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

import duckdb
import numpy as np
import pytest

from core.execution.execute import INSIDE
from core.store import Store, _schema
from core.store._connection import Connection
from core.trial import Frame, Kind, Metric, make_frame
from core.validate.intervals import NONE, Interval

os.environ[INSIDE] = "1"
"""Tests run in several processes already; else a race that looks long on a busy machine would start its own."""

BLOCK = "16384"
"""Bytes of a block of the tests' databases, the fewest that DuckDB has."""


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real measurement sets; set RIDGELINE_REAL_DATA to the folder that holds `data/`."""
    folder = os.environ.get("RIDGELINE_REAL_DATA")
    if not folder:
        pytest.skip("RIDGELINE_REAL_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session", autouse=True)
def _made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let each new database of this process begin as a copy of one that `Store.open` made, which costs half as much.

    Its blocks are small: every table has one at least, and tests have few trials, so that a file of theirs has a
    fifteenth of the bytes to write and to copy. Other processes that a test starts make theirs whole.
    """
    made = tmp_path_factory.mktemp("database") / "empty.duckdb"
    duckdb.connect(str(made), config={"default_block_size": BLOCK, "storage_compatibility_version": "v1.4.0"}).close()
    Store.open(made).close()
    empty, version, connect = made.read_bytes(), _schema.VERSION, Connection._connect

    def begun(connection: Connection) -> duckdb.DuckDBPyConnection:
        if not connection.read_only and not connection.path.exists() and version == _schema.VERSION:
            with suppress(OSError), open(connection.path, "xb", opener=partial(os.open, mode=0o600)) as file:
                file.write(empty)
        return connect(connection)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "_connect", begun)
        yield


@pytest.fixture(scope="module", autouse=True)
def _still_heap() -> None:
    """Let collections of garbage pass over what stands before a file: Streamlit asks for one after every run of a page.

    As the dashboard does (`pages/_ui/server.py`); what a file makes is collected as ever.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def _own_main() -> Iterator[None]:
    """Put `__main__` back after a file: Streamlit leaves a page there, which a process that starts later would run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return a worker for each processor, and one more where browsers are driven: these wait much.

    There are no more than a machine's memory has room for with a browser each.
    """
    waiting = "not slow" not in config.option.markexpr
    return min((os.cpu_count() or 1) + waiting, 4)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each worker import its share of the files first: what a fresh clone has to compile is compiled once.

    All import the files in one order else, and compile each as often as there are workers. What is imported and
    collected stays, so that nothing is gained by looking there for garbage.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker:
        gc.disable()
        places = [session.config.invocation_params.dir / arg.partition("::")[0] for arg in session.config.args]
        files = sorted({f for place in places for f in ([place] if place.is_file() else place.rglob("test_*.py"))})
        for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            with suppress(Exception):  # collecting it says what is wrong
                import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    gc.enable()


def pytest_unconfigure() -> None:
    """Let what ends with the process be let go in order, by one collection: pytest asks for five of the whole heap."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens pages or a browser as slow, and put files with slow tests first, so that workers end together.

    Files with browsers wait much, those with pages never: they stand by turns, so that no core is free meanwhile.
    """
    kinds: dict[str, dict[Path, None]] = {kind: {} for kind in ("browser", "page", "slow")}
    for item in items:
        page = "open_page" in getattr(item, "fixturenames", ())
        kind = "browser" if item.get_closest_marker("browser") else "page" if page else "slow"
        if kind != "slow" or item.get_closest_marker("slow"):
            item.add_marker("slow")
            kinds[kind][item.path] = None
    first = dict.fromkeys(path for some in zip_longest(*kinds.values()) for path in some if path)
    place = {path: i for i, path in enumerate(first)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def machine_frame(n_apps: int = 8, n_machines: int = 4, repeats: int = 1, seed: int = 0, noise: float = 0.05) -> Frame:
    """Applications on machines whose time is a product of powers of their metrics, with noise."""
    rng = np.random.default_rng(seed)
    work = 10 ** rng.uniform(3, 7, n_apps)
    memory = work**0.8 * 10 ** rng.uniform(-1, 1, n_apps)
    clock, bandwidth = rng.uniform(1, 4, n_machines), rng.uniform(10, 400, n_machines)
    rows = [(a, m) for a in range(n_apps) for m in range(n_machines) for _ in range(repeats)]
    a, m = np.array(rows).T
    y = 1e-6 * (work[a] / clock[m] + 3 * memory[a] / bandwidth[m]) * np.exp(noise * rng.standard_normal(len(a)))
    X = np.column_stack([work[a], memory[a], clock[m], bandwidth[m]])
    names = ("instructions", "bytes", "clock", "bandwidth")
    kinds = (Kind.DETERMINISTIC, Kind.DETERMINISTIC, Kind.MACHINE, Kind.MACHINE)
    return make_frame(
        X,
        y,
        [Metric(n, k) for n, k in zip(names, kinds, strict=True)],
        Metric("time", Kind.RESPONSE, "s"),
        labels={"application": [f"app{i}" for i in a], "machine": [f"gpu{i}" for i in m]},
    )


def plain_interval(width: float, nominal: float, n_residuals: int, folds: str) -> Interval:
    """Return the interval that is as wide everywhere."""
    nothing = np.empty(0)
    return Interval(np.array([width]), NONE, nothing, nothing, nominal, n_residuals, folds)


def grow_few_trees(patch: pytest.MonkeyPatch) -> None:
    """Let `auto`, what stands beside it and what believes in designs grow few trees."""
    from core.race import versus
    from core.recipes import auto
    from core.space import held_out

    every = auto.members_of
    patch.setattr(auto, "members_of", lambda frame, trees, *how, **more: every(frame, min(trees, 10), *how, **more))
    patch.setattr(held_out, "_TREES", 20)
    patch.setattr(versus, "STOCK_TREES", 10)


def compute_what_is_asked(patch: pytest.MonkeyPatch) -> None:
    """Let the Model page neither look for the best model nor test other thresholds behind it, if nobody asks."""
    from pages._model import answer, values

    patch.setattr(answer, "UNASKED", 0)
    patch.setattr(values, "ahead", lambda *about: None)


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few trees be grown, if nobody asks how good they are."""
    grow_few_trees(monkeypatch)


@pytest.fixture
def few_entries(few_trees: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `auto` choose among three entries with few trees, where nobody looks at what each of them says."""
    from core.recipes import auto

    every = auto.members_of
    monkeypatch.setattr(auto, "members_of", lambda *how, **more: every(*how, **more)[:3])


@pytest.fixture
def frame() -> Frame:
    return machine_frame()
