"""Look-ups: values by what they have in common, and what is made once and kept."""

from collections.abc import Callable, Hashable, Iterable, MutableMapping
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, keys and values in the order they come."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def first_by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    """Return the first value of each key, keys in the order they come."""
    found: dict[K, V] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def once(memo: MutableMapping[Any, Any], key: Hashable, make: Callable[[], V]) -> V:
    """Return what was made for a key before, or make it now."""
    if key not in memo:
        memo[key] = make()
    found: V = memo[key]
    return found
