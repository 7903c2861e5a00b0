"""Parameters that are texts: no axes, but what tells the settings of a kernel apart."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.codec import FloatArray, IntArray

KERNEL = "whole kernel"
"""The label that says which kernels are one, where text parameters tell them apart: they are held out together."""


def text_parameters(
    kernels: Sequence[str], points: FloatArray, configuration: IntArray, labels: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the labels that differ between trials of a kernel at a point that are no repeats of one another.

    Parameters
    ----------
    kernels, points, configuration, labels : of each trial; equal numbers of `configuration` mark repeats
    """
    cell = _numbers(list(zip(kernels, map(tuple, points.tolist()), strict=True)))
    mixed = _differs(cell, configuration)
    if not mixed.any():
        return ()
    codes = {name: _numbers(list(texts)) for name, texts in labels.items()}
    return tuple(
        name for name, code in codes.items() if _differs(cell, code).any() and not _differs(configuration, code).any()
    )


def _numbers(keys: Sequence[object]) -> IntArray:
    """Number equal keys alike, as they come."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64)


def _differs(group: IntArray, code: IntArray) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    """Return, per group, whether its codes are not all the same."""
    n = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    np.minimum.at(low, group, code)
    np.maximum.at(high, group, code)
    return low < high
