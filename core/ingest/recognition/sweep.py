"""Columns set before the runs: each application, input and machine was measured at the same values."""

import numpy as np

from core.codec import IntArray
from core.ingest._mapping import Mapping
from core.ingest.table.columns import Column
from core.ingest.table.table import Table
from core.texts import combined

MAX_LEVELS = 64


def swept(table: Table, mapping: Mapping, columns: list[Column]) -> tuple[str, ...]:
    """Return the columns that take the same two or more values in each group of trials, as settings do.

    A group is what the mapping calls one application, input and machine; nothing is swept if there
    are fewer than two groups.
    """
    columns = [c for c in columns if _has_levels(table, c)]
    named = [*mapping.application, *mapping.input, *([mapping.machine] if mapping.machine else [])]
    if not named or not columns:
        return ()
    groups = np.zeros(len(table), dtype=np.int64)
    for name in named:
        groups = combined(groups, table.columns[table.find(name)].encoded()[0])
    n_groups = int(groups.max()) + 1
    if n_groups < 2 or 2 * n_groups > len(table):
        return ()
    return tuple(c.name for c in columns if _same_levels(table, c, groups, n_groups))


def _same_levels(table: Table, column: Column, groups: IntArray, n_groups: int) -> bool:
    levels, texts = table.columns[column.place].encoded()
    n_pairs = n_groups * len(texts)
    return n_pairs <= len(table) and bool(np.bincount(groups * len(texts) + levels, minlength=n_pairs).all())


def _has_levels(table: Table, column: Column) -> bool:
    """Whether a column is complete and has few values, as a setting has."""
    if column.numbers.empty.any():
        return False
    return 2 <= table.columns[column.place].n_distinct(MAX_LEVELS + 1) <= MAX_LEVELS
