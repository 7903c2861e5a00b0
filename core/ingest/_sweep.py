"""Columns set before the runs: each application, input and machine was measured at the same values."""

import numpy as np

from core.codec import IntArray
from core.ingest._columns import Column
from core.ingest._mapping import Mapping
from core.ingest._table import Table

MAX_LEVELS = 64


def swept(table: Table, mapping: Mapping, columns: list[Column]) -> tuple[str, ...]:
    """Return the columns that take the same two or more values in each group of trials, as settings do.

    A group is what the mapping calls one application, input and machine; nothing is swept if there
    are fewer than two groups.
    """
    named = [*mapping.application, *mapping.input, *([mapping.machine] if mapping.machine else [])]
    if not named:
        return ()
    groups = np.zeros(len(table), dtype=np.int64)
    for name in named:
        groups = _combined(groups, table.columns[table.find(name)].encoded()[0])
    n_groups = int(groups.max()) + 1
    if n_groups < 2 or 2 * n_groups > len(table):
        return ()
    return tuple(c.name for c in columns if _same_levels(table, c, groups, n_groups))


def _same_levels(table: Table, column: Column, groups: IntArray, n_groups: int) -> bool:
    if column.numbers.empty.any():
        return False
    n_levels = table.columns[column.place].n_distinct()
    if not 2 <= n_levels <= MAX_LEVELS or n_groups * n_levels > len(table):
        return False
    levels, _ = table.columns[column.place].encoded()
    return len(np.unique(groups * n_levels + levels)) == n_groups * n_levels


def _combined(first: IntArray, second: IntArray) -> IntArray:
    """Return one number per pair of numbers, from zero on."""
    pairs = first * (int(second.max()) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1], dtype=np.int64)
