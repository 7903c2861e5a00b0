"""All trials of a dataset as curation sees them, in the order they were measured."""

from collections.abc import Sequence

import numpy as np

from core.codec import IntArray
from core.errors import StoreError
from core.store._connection import Cursor
from core.store._read import Table, read_metrics, read_table, read_values, select, take
from core.store._rules import excluded
from core.store._trial_rows import repeats
from core.store.cards import Condition
from core.trial import ROLES, Measured


def read_measured(cursor: Cursor, home: int, where: Sequence[Condition] = ()) -> Measured:
    """Return the trials of a dataset that fulfil a filter, in the order of their numbers, with every metric."""
    table = _filtered(cursor, home, where)
    known = read_metrics(cursor, home)
    configuration = _configurations(table)
    return Measured(
        ids=table.ids,
        application=table.texts["application"],
        input=table.texts["input"],
        machine=table.texts["machine"],
        configuration=configuration,
        run=repeats(configuration).astype(np.int64),
        metrics=tuple(m for _, m in known.values()),
        values=read_values(cursor, table, [id for id, _ in known.values()]),
        labels={name: texts for name, texts in table.texts.items() if name not in ROLES},
        excluded={rule: frozenset(ids) for rule, ids in excluded(cursor, home).items()},
    )


def _filtered(cursor: Cursor, home: int, where: Sequence[Condition]) -> Table:
    table = read_table(cursor, home, where)
    if not where:
        return table
    keep = np.flatnonzero(select(cursor, home, table, where))
    if not len(keep):
        raise StoreError(f"No trial fulfils {' and '.join(''.join(c) for c in where)}. Change the filter.")
    return take(table, keep)


def _configurations(table: Table) -> IntArray:
    """Number configurations as they come; where a trial names nothing, it is one of its own."""
    numbers: dict[tuple[object, ...], int] = {}
    roles = zip(*(table.texts[role] for role in ROLES), strict=True)
    found = []
    for i, key in enumerate(zip(roles, table.setting, strict=True)):
        named = key if any(key[0]) or key[1] else (i,)
        found.append(numbers.setdefault(named, len(numbers)))
    return np.array(found, dtype=np.int64)
