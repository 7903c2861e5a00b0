"""Arrays that are on a file: whether one is, and letting go of the memory that holds what was read of it."""

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt


def is_mapped(array: npt.NDArray[Any]) -> bool:
    """Whether an array is on a file."""
    return map_of(array) is not None


def release(array: npt.NDArray[Any]) -> None:
    """Let the memory go that holds what was read of an array on a file; an array in memory stays as it is."""
    mapped = map_of(array)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def map_of(array: npt.NDArray[Any]) -> mmap.mmap | None:
    """Return the map of the file that an array is on; None if it is in memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    owner = base.obj if isinstance(base, memoryview) else base
    return owner if isinstance(owner, mmap.mmap) else None
