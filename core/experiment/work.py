"""Tasks that other processes do: what each needs, who gets the results, and how far they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.errors import ExecutionError
from core.progress import Progress

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

LOST = 3
"""How often workers may die before the tasks that they had are given up."""


@dataclass(frozen=True)
class Work(Generic[S, T, R]):
    """Tasks of one function.

    Attributes
    ----------
    function : of the top level of a module, because other processes import it by its name
    tasks : small values
    shared : what all tasks need, such as a frame; sent once to each process, never written to
    on_result : called in this thread with the task's number and its result
    progress : called between results; where it raises Cancelled, the rest is given up
    """

    function: Callable[[S, T], R]
    tasks: Sequence[T]
    shared: S
    on_result: Callable[[int, R], None]
    progress: Progress

    def tell(self, n_left: int, where: str = "") -> None:
        """Say how far the tasks are."""
        n, done = len(self.tasks), len(self.tasks) - n_left
        self.progress(done / max(n, 1) if n else 1.0, f"{done:,} of {n:,} done{where}")


def died(n_left: int) -> ExecutionError:
    """Return what to raise where processes died again and again."""
    return ExecutionError(
        f"Processes that ran tasks were ended {LOST + 1} times, most likely for want of memory; {n_left:,} tasks "
        "are not done. Start it again with fewer workers, and it goes on from there."
    )
