"""How slow functions say how far they are, without knowing who listens."""

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[float, str], None]
"""Called with the fraction done (0 to 1) and a message; it may raise `Cancelled`."""


def silent(fraction: float, message: str) -> None:
    """Ignore progress: the default of every slow function."""


def part(progress: Progress, start: float, stop: float) -> Progress:
    """Return a progress for a sub-task that fills `start` to `stop` of the whole."""
    return lambda fraction, message: progress(start + (stop - start) * fraction, message)


def in_turn(progress: Progress, things: Collection[T]) -> Iterator[tuple[Progress, T]]:
    """Yield things one after another, each with a progress for its share of the whole, which is as large for all."""
    for i, thing in enumerate(things):
        yield part(progress, i / len(things), (i + 1) / len(things)), thing
