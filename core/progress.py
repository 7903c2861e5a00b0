"""How slow functions say how far they are, without knowing who listens."""

from collections.abc import Callable, Collection, Iterator
from time import monotonic
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


_LEAST, _LEAST_OF_ALL = 0.02, 0.1
"""Shares of the whole by which time is told: of what follows the first that came, and of all that is done."""


class Pace:
    """How long the rest takes, by what was done since the first that came.

    What processes take to start, and what was known before, says nothing of it.
    """

    def __init__(self) -> None:
        self._told: list[tuple[float, float]] = []
        """When it was how far: at the beginning, when the first came, and last."""

    def tell(self, fraction: float) -> None:
        """Take how far it is."""
        if not self._told or fraction != self._told[-1][1]:
            self._told = [*self._told[:2], (monotonic(), fraction)]

    @property
    def left_s(self) -> float | None:
        """Seconds until the end if it goes on like that; None where that is past, or too little is known."""
        for i in reversed(range(len(self._told) - 1)):
            (began, first), (last, share) = self._told[i], self._told[-1]
            if share - first >= (_LEAST if i else _LEAST_OF_ALL):
                left = last + (last - began) * (1 - share) / (share - first) - monotonic()
                return left if left > 0 else None
        return None


def duration(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
