"""Write values and labels of trials, inputs and machines; what contradicts the database is refused."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import StoreError
from core.mapped import release
from core.progress import Progress, silent
from core.store._connection import Cursor
from core.store._rows import BATCH, among, insert, insert_from
from core.trial import Facts

_TALL = 200_000
"""So many trials are written one metric after the other, straight from where their values are."""
_CELLS = 4_000_000
"""Values that are written in one statement, so that large imports need little memory beside themselves."""


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
    ids = np.array(metrics, dtype=np.int64)
    numbers = np.asarray(owners, dtype=np.int64)
    order = np.argsort(ids, kind="stable")
    if len(numbers) > _TALL:
        for done, j in enumerate(order.tolist()):
            progress(done / len(order), f"storing values: metric {done + 1} of {len(order)}")
            _write_column(cursor, table, owner, metrics[j], numbers, values[:, j])
        return
    step = max(1, _CELLS // max(1, len(numbers)))
    for start in range(0, len(order), step):
        some = order[start : start + step]
        by_metric = values[:, some].T
        column, row = np.nonzero(~np.isnan(by_metric))
        written = {"metric": ids[some][column], owner: numbers[row], "value": by_metric[column, row]}
        insert(cursor, table, written)


def write_labels(
    cursor: Cursor, owner: str, labels: Mapping[str, Sequence[str]], owners: Sequence[int] | IntArray
) -> None:
    """Write the labels that are not empty."""
    for name, texts in labels.items():
        if len(texts) > _TALL:
            _write_label(cursor, owner, name, texts, np.asarray(owners, dtype=np.int64))
            continue
        rows = [(int(o), t) for o, t in zip(owners, texts, strict=True) if t]
        written = {owner: [o for o, _ in rows], "name": [name] * len(rows), "value": [t for _, t in rows]}
        insert(cursor, f"{owner}_label", written)


def _write_column(cursor: Cursor, table: str, owner: str, metric: int, numbers: IntArray, values: FloatArray) -> None:
    """Write one metric of many owners, a little of it in memory at a time."""
    batches = (_known(numbers[start : start + BATCH], values[start : start + BATCH])
               for start in range(0, len(numbers), BATCH))  # fmt: skip
    sql = f"INSERT INTO {table} (metric, {owner}, value) SELECT ?, owner, value FROM rows_to_insert"
    insert_from(cursor, sql, batches, [metric])
    release(values)


def _known(numbers: IntArray, values: FloatArray) -> dict[str, Any]:
    """Return the owners that have a value, and these."""
    there = ~np.isnan(values)
    if there.all():
        return {"owner": numbers.astype(np.int32), "value": np.ascontiguousarray(values)}
    return {"owner": numbers[there].astype(np.int32), "value": values[there]}


def _write_label(cursor: Cursor, owner: str, name: str, texts: Sequence[str], numbers: IntArray) -> None:
    some = (slice(start, start + BATCH) for start in range(0, len(numbers), BATCH))
    batches = ({"owner": numbers[rows].astype(np.int32), "text": list(texts[rows])} for rows in some)
    rows_there = "SELECT owner, ?, text FROM rows_to_insert WHERE text <> ''"
    insert_from(cursor, f"INSERT INTO {owner}_label ({owner}, name, value) {rows_there}", batches, [name])


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
    known = _facts_there(cursor, owner, metrics)
    for j, metric in enumerate(metrics):
        for i, who in enumerate(owners):
            before = known.get((metric, who))
            if before is None or np.isnan(values[i, j]):
                continue
            if before != values[i, j]:
                raise StoreError(_contradiction(owner, facts, i, j, before, dataset))
            values[i, j] = np.nan
    write_values(cursor, f"{owner}_metric", owner, metrics, owners, values)
    _write_fact_labels(cursor, owner, facts, owners)
    return int((~np.isnan(values)).sum())


def _facts_there(cursor: Cursor, owner: str, metrics: Sequence[int]) -> dict[tuple[int, int], float]:
    wanted = among("metric", metrics)
    rows = cursor.execute(f"SELECT metric, {owner}, value FROM {owner}_metric WHERE {wanted}").fetchall()
    return {(int(m), int(o)): float(v) for m, o, v in rows}


def _write_fact_labels(cursor: Cursor, owner: str, facts: Facts, owners: Sequence[int]) -> None:
    rows = cursor.execute(f"SELECT DISTINCT {owner}, name FROM {owner}_label").fetchall()
    known = {(int(o), str(n)) for o, n in rows}
    for name, texts in facts.labels.items():
        fresh = [(o, t) for o, t in zip(owners, texts, strict=True) if (o, name) not in known]
        write_labels(cursor, owner, {name: [t for _, t in fresh]}, [o for o, _ in fresh])


def _contradiction(owner: str, facts: Facts, i: int, j: int, before: float, dataset: str) -> str:
    who = " / ".join(k for k in facts.keys[i] if k)
    return (
        f"Metric '{facts.metrics[j].name}' of {owner} '{who}' is {facts.values[i, j]:.17g} here and {before:.17g} "
        f"in dataset '{dataset}'. Import into another dataset, or correct one of the two; nothing was stored."
    )
