"""Work in other threads, a few steps ahead, with results in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from os import cpu_count
from typing import Any, Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

WORKERS = max(1, min(4, cpu_count() or 1))


class Window(Generic[A, B]):
    """Items one after the other, each with what `work` made of it in another thread."""

    def __init__(self, items: Iterator[A], work: Callable[[A], B], pool: ThreadPoolExecutor) -> None:
        self._items, self._work, self._pool = items, work, pool
        self._coming: deque[tuple[A, Future[B]]] = deque()

    def __iter__(self) -> Iterator[tuple[A, B]]:
        while True:
            for item in islice(self._items, 1 + WORKERS - len(self._coming)):
                self._coming.append((item, self._pool.submit(self._work, item)))
            if not self._coming:
                return
            item, made = self._coming.popleft()
            yield item, made.result()

    def rest(self) -> Iterator[A]:
        """Yield further items, whatever was made of them; who stops early leaves the others."""
        while self._coming:
            yield self._coming.popleft()[0]
        for item in self._items:  # noqa: UP028  # `yield from` would end them when it is ended
            yield item


def in_threads(work: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Yield what `work` makes of each item."""
    with ThreadPoolExecutor(WORKERS) as pool:
        yield from (made for _, made in Window(iter(items), work, pool))


def ahead(items: Iterator[A]) -> Iterator[A]:
    """Yield items while the next one is made in another thread."""
    nothing: Any = object()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, nothing)
        while (item := coming.result()) is not nothing:
            coming = pool.submit(next, items, nothing)
            yield item
