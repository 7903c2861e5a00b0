"""Rows of the database: ids, insertion in batches, values and labels of trials, inputs and machines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrow import column
from core.codec import FloatArray, IntArray
from core.errors import StoreError
from core.mapped import release
from core.progress import Progress, silent
from core.registry import nearest
from core.store._connection import Cursor, every, one, passing
from core.texts import arrow
from core.trial import Facts

BATCH = 122_880
"""Rows that go to the database together: those of its row groups."""
LONGEST_NAME, LONGEST_NOTE = 200, 4_000
"""Characters that a name and a note have at most, so that no page is filled by one."""


def insert(cursor: Cursor, table: str, columns: Mapping[str, Any], **same: Any) -> None:
    """Insert columns of equal length in one statement, and beside them what is the same in each row.

    No rows are no statement.
    """
    if len(next(iter(columns.values()))):
        sql = (
            f"INSERT INTO {table} ({', '.join([*same, *columns])}) "
            f"SELECT {', '.join(['?'] * len(same) + list(columns))} FROM rows_to_insert"
        )
        insert_from(cursor, sql, [columns], list(same.values()))


def insert_from(cursor: Cursor, sql: str, batches: Iterable[Mapping[str, Any]], values: Sequence[Any] = ()) -> None:
    """Run one INSERT that selects from `rows_to_insert`, which comes in batches: columns of equal length by name.

    However many rows there are, a few batches of them are in memory.
    """
    import pyarrow as pa

    rows = (pa.RecordBatch.from_pydict({name: column(v) for name, v in batch.items()}) for batch in batches)
    first = next(rows, None)
    if first is not None:
        with passing(cursor, "rows_to_insert", chain((first,), rows), first.schema):
            cursor.execute(sql, list(values))


def next_id(cursor: Cursor, table: str, column: str = "id") -> int:
    """Return the smallest number above all that a table holds."""
    row = one(cursor, f"SELECT coalesce(max({column}), 0) + 1 FROM {table}")
    return int(row[0]) if row else 1


def dataset_id(cursor: Cursor, name: str, *, create: bool = False) -> int:
    """Return a dataset's id, making it if asked.

    Raises
    ------
    StoreError
        If there is none of that name, or the name is empty.
    """
    if not name.strip():
        raise StoreError("A dataset needs a name.")
    row = one(cursor, "SELECT id FROM dataset WHERE name = ?", [name])
    if row is not None:
        return int(row[0])
    if not create:
        names = [str(r[0]) for r in every(cursor, "SELECT name FROM dataset ORDER BY name")]
        known = ", ".join(names) or "none"
        raise StoreError(f"There is no dataset '{name}'; there are: {known}.{nearest(name, names)}")
    fresh = next_id(cursor, "dataset")
    made = [fresh, named(name, "dataset"), datetime.now()]
    cursor.execute("INSERT INTO dataset (id, name, created) VALUES (?, ?, ?)", made)
    return fresh


def named(text: str, what: str) -> str:
    """Return a name that is to be kept, without blanks around it.

    Raises
    ------
    StoreError
        If it is empty or longer than `LONGEST_NAME`.
    """
    name = text.strip()
    if not name:
        raise StoreError(f"A {what} needs a name.")
    if len(name) > LONGEST_NAME:
        shown = f"'{name[:40]}…' has {len(name):,}"
        raise StoreError(f"The name of a {what} has at most {LONGEST_NAME} characters; {shown}.")
    return name


def noted(text: str) -> str:
    """Return a note that is to be kept.

    Raises
    ------
    StoreError
        If it is longer than `LONGEST_NOTE`.
    """
    note = text.strip()
    if len(note) > LONGEST_NOTE:
        raise StoreError(f"A note has at most {LONGEST_NOTE:,} characters; this one has {len(note):,}.")
    return note


def touch(cursor: Cursor, home: int) -> None:
    """Note that something of a dataset changed, so that nobody goes on with what they remember of it."""
    cursor.execute("UPDATE dataset SET revision = revision + 1 WHERE id = ?", [home])


def trial_numbers(cursor: Cursor, home: int, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of trials by their ids.

    Raises
    ------
    StoreError
        If one of them is not in the dataset.
    """
    wanted = list(dict.fromkeys(ids))
    rows = cursor.execute(
        "SELECT w.text, t.number FROM (SELECT unnest(?::VARCHAR[]) AS text) w "
        "JOIN trial t ON t.id = TRY_CAST(w.text AS UUID) WHERE t.dataset = ?",
        [wanted, home],
    ).fetchall()
    found = {str(text): int(number) for text, number in rows}
    if len(found) != len(wanted):
        raise StoreError(f"{len(wanted) - len(found)} of the {len(wanted)} trials are not in the dataset.")
    return {text: found[text] for text in wanted}


def among(column: str, numbers: Sequence[int]) -> str:
    """Return the SQL condition that a column holds one of these numbers, which lets blocks be skipped."""
    return f"{column} IN ({', '.join(str(int(n)) for n in numbers)})" if len(numbers) else "false"


def write_values(
    cursor: Cursor,
    table: str,
    owner: str,
    metrics: Sequence[int],
    owners: Sequence[int] | IntArray,
    values: FloatArray,
    progress: Progress = silent,
) -> None:
    """Write what is not NaN of `values`, array of shape (n_owners, n_metrics), in the order of metrics."""
    sql = f"INSERT INTO {table} (metric, {owner}, value) SELECT metric, owner, value FROM rows_to_insert"
    insert_from(cursor, sql, _known(np.array(metrics, np.int32), np.asarray(owners, np.int32), values, progress))


def _known(
    metrics: NDArray[np.int32], owners: NDArray[np.int32], values: FloatArray, progress: Progress
) -> Iterator[dict[str, Any]]:
    """Yield the values that are known with their metrics and owners, a little of them in memory at a time."""
    order = np.argsort(metrics, kind="stable")
    step = max(1, BATCH // max(1, len(owners)))
    for at in range(0, len(order), step):
        progress(at / len(order), f"storing values: metric {at + 1} of {len(order)}")
        some = order[at : at + step]
        for start in range(0, len(owners), BATCH):
            rows = slice(start, start + BATCH)
            own = values.T[some, rows]
            metric, owner = np.repeat(metrics[some], own.shape[1]), np.tile(owners[rows], len(some))
            value = own.ravel()
            there = ~np.isnan(value)
            if not there.all():
                metric, owner, value = metric[there], owner[there], value[there]
            yield {"metric": metric, "owner": owner, "value": value}
        release(values)


def write_labels(
    cursor: Cursor, owner: str, labels: Mapping[str, Sequence[str]], owners: Sequence[int] | IntArray
) -> None:
    """Write the labels that are not empty."""
    numbers = np.asarray(owners, np.int32)
    sql = f"INSERT INTO {owner}_label ({owner}, name, value) SELECT owner, ?, text FROM rows_to_insert WHERE text <> ''"
    for name, texts in labels.items():
        starts = range(0, len(numbers), BATCH)
        batches = ({"owner": numbers[a : a + BATCH], "text": arrow(texts, a, a + BATCH)} for a in starts)
        insert_from(cursor, sql, batches, [name])


def write_facts(
    cursor: Cursor, owner: str, facts: Facts, metrics: Sequence[int], owners: Sequence[int], dataset: str
) -> int:
    """Write facts that are new and return how many.

    Raises
    ------
    StoreError
        If one contradicts what is there.
    """
    values = facts.values.copy()
    rows = every(cursor, f"SELECT metric, {owner}, value FROM {owner}_metric WHERE {among('metric', metrics)}")
    known = {(int(metric), int(who)): float(value) for metric, who, value in rows}
    for j, metric in enumerate(metrics):
        for i, who in enumerate(owners):
            if np.isnan(values[i, j]):
                continue
            before = known.get((metric, who))
            if before is None:
                known[metric, who] = float(values[i, j])  # its key may be there again
                continue
            if before != values[i, j]:
                raise StoreError(_contradiction(owner, facts, i, j, before, dataset))
            values[i, j] = np.nan
    write_values(cursor, f"{owner}_metric", owner, metrics, owners, values)
    _write_fact_labels(cursor, owner, facts, owners)
    return int((~np.isnan(values)).sum())


def _write_fact_labels(cursor: Cursor, owner: str, facts: Facts, owners: Sequence[int]) -> None:
    known = {(int(o), str(n)) for o, n in every(cursor, f"SELECT DISTINCT {owner}, name FROM {owner}_label")}
    for name, texts in facts.labels.items():
        fresh: dict[int, str] = {}
        for o, text in zip(owners, texts, strict=True):
            if text and (o, name) not in known:
                fresh.setdefault(o, text)
        write_labels(cursor, owner, {name: list(fresh.values())}, list(fresh))


def _contradiction(owner: str, facts: Facts, i: int, j: int, before: float, dataset: str) -> str:
    who = " / ".join(k for k in facts.keys[i] if k)
    return (
        f"Metric '{facts.metrics[j].name}' of {owner} '{who}' is {facts.values[i, j]:.17g} here and {before:.17g} "
        f"in dataset '{dataset}'. Import into another dataset, or correct one of the two; nothing was stored."
    )
