"""Write values and labels of trials, inputs and machines; what contradicts the database is refused."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.codec import FloatArray, IntArray
from core.errors import StoreError
from core.mapped import release
from core.progress import Progress, silent
from core.store._connection import Cursor, every
from core.store._rows import BATCH, among, insert_from
from core.texts import arrow
from core.trial import Facts


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
            own = values[rows, some].T
            there = ~np.isnan(own)
            yield {
                "metric": np.repeat(metrics[some], there.sum(axis=1)),
                "owner": np.broadcast_to(owners[rows], own.shape)[there],
                "value": own[there],
            }
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
    rows = every(cursor, f"SELECT metric, {owner}, value FROM {owner}_metric WHERE {wanted}")
    return {(int(m), int(o)): float(v) for m, o, v in rows}


def _write_fact_labels(cursor: Cursor, owner: str, facts: Facts, owners: Sequence[int]) -> None:
    rows = every(cursor, f"SELECT DISTINCT {owner}, name FROM {owner}_label")
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
