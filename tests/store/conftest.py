"""What the store's tests share: databases that hold a dataset from the beginning, filled once."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from core.store import Store
from core.trial import Import

Filled = Callable[[Callable[[], Import]], AbstractContextManager[Store]]
_FILLED: dict[str, bytes] = {}


@pytest.fixture
def filled(tmp_path: Path) -> Filled:
    """Return what opens a database of the test's own, whose dataset `d` is what a function makes; it is stored once."""

    def opened(make: Callable[[], Import]) -> Store:
        name, path = f"{make.__module__}.{make.__qualname__}", tmp_path / "test.duckdb"
        if name not in _FILLED:
            with Store.open(path) as store:
                store.add("d", make())
            _FILLED[name] = path.read_bytes()
        path.write_bytes(_FILLED[name])
        return Store.open(path)

    return opened
