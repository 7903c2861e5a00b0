"""What the command line's tests share: schemas that reports are held against, and folders made once."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from tests.cli.answered import answers_hold

__all__ = ["answers_hold"]

Scene = Callable[[Callable[[], object]], None]
_MADE: dict[str, Path] = {}


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let verbs say nothing of how far they are, and wait for the owner, however busy the machine is."""
    monkeypatch.setattr("core.cli.base.EVERY_S", float("inf"))
    monkeypatch.setattr("core.cli._deliver._WAIT_S", 600.0)


@pytest.fixture(autouse=True)
def _few_stock_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what stands beside a model grow few trees: tests/race sees to how good it is."""
    monkeypatch.setattr("core.race.versus.STOCK_TREES", 10)


@pytest.fixture
def scene(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Return what fills the test's folder, database and all, as a function fills the one it stands in, which runs once.

    The test stands in its folder, and `test.duckdb` there is its database.
    """

    def stand(folder: Path) -> None:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("RIDGELINE_DB", str(folder / "test.duckdb"))

    def filled(make: Callable[[], object]) -> None:
        name = f"{make.__module__}.{make.__qualname__}"
        if name not in _MADE:
            folder = tmp_path_factory.mktemp("scene")
            stand(folder)
            make()
            _MADE[name] = folder
        copytree(_MADE[name], tmp_path, dirs_exist_ok=True)
        stand(tmp_path)

    return filled
