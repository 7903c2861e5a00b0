"""What functions return, kept for everybody who asks for the same."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import streamlit as st

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


@dataclass(frozen=True)
class Shelf:
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
