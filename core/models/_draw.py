"""Rows in an order of their own and a sample of them, so that neither depends on the order in which trials came."""

import numpy as np

from core.codec import FloatArray, IntArray


def in_order(X: FloatArray, y: FloatArray) -> IntArray:
    """Return the rows' numbers, sorted by the columns of X one after another, then by y."""
    return np.lexsort((y, *X.T[::-1])).astype(np.int64)


def drawn(n: int, most: int, seed: int) -> IntArray:
    """Return at most `most` of n rows' numbers, ascending, drawn at random."""
    if n <= most:
        return np.arange(n, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False)).astype(np.int64)


def repeat_variance(X: FloatArray, y: FloatArray) -> float:
    """Return the variance of y among rows that are equal in X, rows in order; 0 if none are."""
    same = (X[1:] == X[:-1]).all(axis=1)
    group = np.r_[0, np.cumsum(~same)]
    counts = np.bincount(group)
    means = np.bincount(group, y) / counts
    return float(((y - means[group]) ** 2).sum() / same.sum()) if same.any() else 0.0
