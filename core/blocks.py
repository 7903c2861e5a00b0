"""Tables that are larger than the cache: blocks of rows that stay in it, and the range of every column."""

import numpy as np

from core.codec import FloatArray

BLOCK = 1 << 18
"""Numbers of a block."""
_TOGETHER = 16


def row_blocks(n: int, width: int, least: int = 64) -> list[slice]:
    """Return n rows of so many numbers in blocks of at least so many, in order; one block where they are few."""
    rows = max(least, BLOCK // max(width, 1))
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def extremes(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest value per column of X, shape (n, p), n at least 1; NaN where there is one."""
    n, p = X.shape
    whole = n - n % _TOGETHER
    if not whole:
        return X.min(axis=0), X.max(axis=0)
    long, rest = X[:whole].reshape(-1, _TOGETHER * p), X[whole:]
    low, high = (np.vstack([side.reshape(_TOGETHER, p), rest]) for side in (long.min(axis=0), long.max(axis=0)))
    return low.min(axis=0), high.max(axis=0)
