"""A store of its own for each test of a page, and pages run as from `app.py`."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from importlib import import_module
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
import streamlit as st
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner

from core.pipeline import FittedPipeline
from core.progress import Progress, silent
from core.race.auto import Automatic
from core.race.race import Place, Track
from core.race.result import Run
from core.recipes import Recipe
from core.recipes.auto import Auto
from core.trial import Frame, Import
from core.validate.calibration import AUTO
from core.validate.crossval import Validation
from core.validate.folds import FoldPlan
from core.workspace import APP
from tests.conftest import compute_what_is_asked
from tests.pages.toys import toy_import

OpenPage = Callable[..., AppTest]
Stock = Callable[[str, Callable[[], Import]], None]
PATIENT_S = 600
"""How long a page on a busy machine may take."""


manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
"""What is installed brings the same components whenever a test opens the app; looking costs as much as a page."""


def _wait(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait for the script's end; Streamlit's own wait asks a thousand times a second, which is a tenth of a run."""
    thread = runner._script_thread
    thread.join(timeout)
    if thread.is_alive():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"the page did not end within {timeout:g} s")


local_script_runner.require_widgets_deltas = _wait


@pytest.fixture(autouse=True)
def _full_errors() -> None:
    """Let `at.exception` say what went wrong; the shipped setting hides it."""
    config.set_option("client.showErrorDetails", "full")


@pytest.fixture(autouse=True)
def _no_best_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the Model page look for the best model, and test other thresholds, only where a test asks for it."""
    compute_what_is_asked(monkeypatch)


_VALIDATIONS: dict[str, Validation] = {}


@pytest.fixture(autouse=True)
def _validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages know what they validated of the same trials in an earlier test: it is half of what they compute."""
    from pages._design_space import model
    from pages._model import values

    def validate(
        recipe: Recipe,
        frame: Frame,
        plan: FoldPlan,
        seed: int,
        progress: Progress,
        interval: str = AUTO,
        *how: Any,
        **more: Any,
    ) -> Validation:
        key = values.validation_key(frame, recipe, plan, seed, interval)
        if key not in _VALIDATIONS:
            _VALIDATIONS[key] = once(recipe, frame, plan, seed, progress, interval, *how, **more)
        return _VALIDATIONS[key]

    once = values.validate
    for page in (values, model):
        monkeypatch.setattr(page, "validate", validate)


_FITTED: dict[tuple[str, str], FittedPipeline] = {}
_SOUGHT: dict[tuple[str, str, str], Automatic] = {}


@pytest.fixture(autouse=True)
def _fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages know what they fitted to the same trials in an earlier test, and which model was the best there."""
    from pages._model import answer
    from pages._ui import database

    def fitted(of: Frame, recipe: Recipe) -> FittedPipeline:
        key = (of.digest(), database.recipe_key(recipe))
        if key not in _FITTED:
            _FITTED[key] = fit(of, recipe)
        return _FITTED[key]

    def automatic(frame: Frame, recipe: Auto, dataset: str, progress: Progress) -> Automatic:
        key = (frame.digest(), database.recipe_key(recipe), dataset)
        if key not in _SOUGHT:
            _SOUGHT[key] = seek(frame, recipe, dataset, progress)
        return _SOUGHT[key]

    fit, seek = database._fitted, answer.automatic
    monkeypatch.setattr(database, "_fitted", fitted)
    monkeypatch.setattr(answer, "automatic", automatic)


_RUNS: dict[tuple[object, ...], Run] = {}


@pytest.fixture(autouse=True)
def _raced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let races know the runs of the same trials, folds and entries in an earlier test: they are half of what it takes."""
    module = import_module("core.race.race")
    once = module.run_entry

    def run_entry(track: Track, place: Place, progress: Progress = silent) -> Run:
        key = (track.frame.digest(), str(track.plan), track.seed, repr(place.entry), place.fold, place.rival is None)
        if key not in _RUNS:
            _RUNS[key] = once(track, place, progress)
        return _RUNS[key]

    monkeypatch.setattr(module, "run_entry", run_entry)


@pytest.fixture
def every_entry() -> None:
    """Let `auto` choose among all its entries, where a test asks which model is the better."""


@pytest.fixture(autouse=True)
def _few_trees(request: pytest.FixtureRequest) -> None:
    """How good a model of trees is, and how sure of designs, is a number that hardly a page's test asks for."""
    request.getfixturevalue("few_trees" if "every_entry" in request.fixturenames else "few_entries")


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with databases to copy, `empty.duckdb` first: to make one takes as long as to draw a page."""
    from core.store import Store

    folder = tmp_path_factory.mktemp("made")
    Store.open(folder / "empty.duckdb").close()
    return folder


@pytest.fixture(scope="module", autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """End with a file what its pages run beside them: threads that drain an inbox or do a job outlive a test."""
    yield
    _clear()
    assert [t.name for t in threading.enumerate() if t.name.startswith(("inbox", "job_"))] == []


@pytest.fixture(scope="session")
def _spare(_made: Path) -> Path:
    return copyfile(_made / "empty.duckdb", _made / "spare.duckdb")


@pytest.fixture(autouse=True)
def _nobody_s_own_database(_spare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests that ask for no database use an empty one of this process, never the one of whoever runs them."""
    monkeypatch.setenv("RIDGELINE_DB", str(_spare))


@pytest.fixture
def database(_made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty database that the pages use, closed afterwards."""
    path = copyfile(_made / "empty.duckdb", tmp_path / "test.duckdb")
    monkeypatch.setenv("RIDGELINE_DB", str(path))
    _clear()
    yield path
    _clear()


@pytest.fixture
def stock(database: Path, _made: Path) -> Stock:
    """Return a function that lets the database have one dataset, kept from an earlier test: to copy takes no time."""
    from core.store import Store

    def stocked(dataset: str, made: Callable[[], Import]) -> None:
        path = _made / f"{dataset}.{made.__module__}.{made.__name__}.duckdb"
        if not path.exists():
            with closing(Store.open(path)) as store:
                store.add(dataset, made())
        copyfile(path, database)

    return stocked


@pytest.fixture
def toy(stock: Stock) -> None:
    """Let the database have the dataset `toy`."""
    stock("toy", toy_import)


@pytest.fixture
def new_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a database will be made when a page first asks for one."""
    path = tmp_path / "new.duckdb"
    monkeypatch.setenv("RIDGELINE_DB", str(path))
    _clear()
    yield path
    _clear()


@pytest.fixture
def open_page() -> OpenPage:
    """Return a function that opens a page of the app by its file's name, with URL parameters."""

    def opened(name: str, **url: str) -> AppTest:
        at = AppTest.from_file(str(APP), default_timeout=PATIENT_S)
        at.switch_page(f"pages/{name}.py")  # at once, as a link opens it
        for key, value in url.items():
            at.query_params[key] = value
        return at.run()

    return opened


def _clear() -> None:
    """Close what the pages kept open, and forget what they computed."""
    st.cache_resource.clear()
    st.cache_data.clear()
