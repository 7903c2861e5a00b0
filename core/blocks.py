"""Tables that are larger than the cache: blocks of rows that stay in it, and the range of every column."""

from core.codec import FloatArray

BLOCK = 1 << 18
"""Numbers of a block."""


def row_blocks(n: int, width: int, least: int = 64) -> list[slice]:
    """Return n rows of so many numbers in blocks of at least so many, in order; one block where they are few."""
    rows = max(least, BLOCK // max(width, 1))
    return [slice(start, min(start + rows, n)) for start in range(0, n, rows)]


def extremes(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the smallest and the largest value per column of X, shape (n, p), n at least 1; NaN where there is one."""
    return X.min(axis=0), X.max(axis=0)
