"""What all places that run tasks share: what a task is, and what is said of how far they are."""

from collections.abc import Callable
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

Work = Callable[[S, T], R]

LOST = 3
"""How often workers may die before the tasks that they had are given up."""

INSIDE = "RIDGELINE_WORKER"
"""Set where a process is one of several that run tasks: it starts none of its own unless asked."""


def told(n_done: int, n_tasks: int, where: str = "") -> str:
    """Return how far the tasks are, in words."""
    return f"{n_done:,} of {n_tasks:,} done{where}"


def died(n_left: int) -> str:
    """Return what to say where processes died again and again."""
    return (
        f"Processes that ran tasks were ended {LOST + 1} times, most likely for want of memory; {n_left:,} tasks "
        "are not done. Start it again with fewer workers, and it goes on from there."
    )
