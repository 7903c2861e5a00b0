"""Tasks that other processes can import by name."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import FitError
from core.progress import Progress


def weighted(shared: np.ndarray, task: tuple[int, float]) -> float:
    row, factor = task
    return float(factor * shared[row] @ np.arange(shared.shape[1]))


def deadly(shared: Path, task: int) -> int:
    """End the process the first time that task 3 runs."""
    if task == 3 and not (shared / "died").exists():
        (shared / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return task * task


def always_deadly(shared: Any, task: int) -> int:
    if task == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def failing(shared: Any, task: int) -> int:
    if task == 2:
        raise FitError("Task 2 cannot be fitted. Choose another.")
    return task


def counted(shared: Path, task: int) -> int:
    """Leave a trace; all but the first wait until nobody wants them any more, however slow the machine is."""
    (shared / f"ran-{task}").touch()
    end = time.monotonic() + 60
    while task >= 20 and not (shared / "stopped").exists() and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3 if task >= 20 else 0.02)
    return task


def asleep(shared: Any, task: float) -> float:
    time.sleep(task)
    return task


def niceness(shared: Any, task: int) -> int:
    """Return how far the process gives way to others."""
    return os.nice(0)


def times_here(shared: int, task: int, progress: Progress) -> tuple[int, int]:
    """Return a product, and which process made it."""
    progress(0.0, "begun")
    return shared * task, os.getpid()
