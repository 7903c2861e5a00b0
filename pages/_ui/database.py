"""The one database of this process, and what functions return, kept for everybody who asks for the same."""

from collections.abc import Callable, Hashable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from core.errors import RidgelineError
from core.frozen import Frozen
from core.ingest import load_sample
from core.store import Store
from core.store.drainer import Drainer
from core.workspace import SAMPLES, database_path
from pages._ui.text import literal

FIRST_SAMPLE = "generations"


def store() -> Store:
    """Return the one database of this process; a new one starts with the first sample in it."""
    path = str(database_path())
    return (_OWNED.get(path) or _open(path)).store


def mark_read_only() -> None:
    """Say so where nothing can be stored."""
    if store().read_only:
        st.badge("This database can only be read here: nothing is stored", icon=":material/lock:", color="orange")


class _Owned(Frozen):
    """The database while this process owns it, and the thread that stores what comes into its inbox."""

    store: Store
    drainer: Drainer | None

    def close(self) -> None:
        _OWNED.pop(str(self.store.path), None)
        if self.drainer is not None:
            self.drainer.stop()
        self.store.close()


_OWNED: dict[str, _Owned] = {}
"""What is open, by its path: a page asks for it some hundred times a run, and Streamlit's cache takes its time."""


@st.cache_resource(show_spinner="Opening the database …", on_release=_Owned.close)
def _open(path: str) -> _Owned:
    is_new = not Path(path).exists()
    opened = Store.open(Path(path))
    if is_new and (SAMPLES / FIRST_SAMPLE).is_dir():
        try:
            opened.add(FIRST_SAMPLE, load_sample(SAMPLES / FIRST_SAMPLE))
        except RidgelineError as error:
            st.warning(literal(f"The sample '{FIRST_SAMPLE}' could not be loaded: {error}"))
    _OWNED[path] = _Owned(opened, None if opened.read_only else Drainer(opened).start())
    return _OWNED[path]


def stamp(dataset: str) -> str:
    """Return a text that changes whenever the trials of a dataset, or what counts of them, do."""
    return f"{store().path} {store().datasets.stamp(dataset)}"


P = ParamSpec("P")
T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def held(database: str, what: str) -> dict[str, Any]:
    """Return what is held of a database by a name: it is empty at first, and lives as long as the process."""
    return {}


def room_for(another: dict[str, Any], most: int) -> None:
    """Let go of the oldest where nothing more has room."""
    while len(another) >= most:
        another.pop(next(iter(another)), None)


class Shelf(Frozen):
    """What is kept for everybody by its key; of more than `most`, the latest."""

    name: str
    most: int

    def get(self, key: str) -> Any | None:
        """Return what is kept under a key, None if nothing is."""
        return held("", self.name).get(key)

    def put(self, key: str, value: T) -> T:
        """Keep a value, and return it."""
        there = held("", self.name)
        room_for(there, self.most)
        there[key] = value
        return value


def kept(
    key: Callable[P, Hashable], entries: int, spinner: str | bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function returns for an hour, by the key of its arguments, in every session.

    The values are shared; nobody may change them.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        def made(key: Hashable, _args: Any, _options: Any) -> T:
            return function(*_args, **_options)

        made.__module__, made.__qualname__ = function.__module__, function.__qualname__  # what Streamlit knows it by
        cached = st.cache_resource(max_entries=entries, ttl="1h", show_spinner=spinner)(made)

        @wraps(function)
        def found(*args: P.args, **options: P.kwargs) -> T:
            return cached(key(*args, **options), args, options)

        return found

    return decorate
