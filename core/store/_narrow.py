"""Filters as SQL, so that a part of a dataset costs a part; counts by the database, of too many trials for memory."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from core.errors import StoreError
from core.frozen import Frozen
from core.store._connection import Cursor, every, one
from core.store.cards import Condition
from core.trial import ROLES

MOST = 3_000_000
"""Trials that are held in memory at once."""

_SIGNS = ("=", "<", "<=", ">", ">=")


class Narrowed(Frozen):
    """The trials of a dataset that may fulfil a filter; others surely do not.

    Attributes
    ----------
    rows : SQL from FROM on, of the trials (t)
    values : for its question marks
    narrow : whether some are left out
    """

    rows: str
    values: tuple[Any, ...]
    narrow: bool


def narrowed(cursor: Cursor, home: int, where: Sequence[Condition]) -> Narrowed:
    """Return the trials that may fulfil all conditions.

    Raises
    ------
    StoreError
        If they are too many to be held in memory.
    """
    found = list(_conditions(cursor, home, where)) if where else []
    sql = " AND ".join(["t.dataset = ?", *(text for text, _ in found)])
    values = (home, *(value for _, more in found for value in more))
    rows = f"FROM trial t WHERE {sql}"
    if is_beyond_memory(cursor, home):
        _refuse_too_many(cursor, home, rows, values)
    return Narrowed(rows, values, bool(found))


def label_names(cursor: Cursor, home: int) -> set[str]:
    """Return the names of all labels of a dataset's trials, inputs and machines."""
    return {str(name) for (name,) in _labels(cursor, home, "name")}


def _labels(cursor: Cursor, home: int, columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the different rows of the labels of a dataset's machines, inputs and trials."""
    for owner, own in (("machine", "machine"), ("input", "input"), ("trial", "number")):
        there = f"SELECT {own} FROM trial WHERE dataset = ?"
        yield from every(cursor, f"SELECT DISTINCT {columns} FROM {owner}_label WHERE {owner} IN ({there})", [home])


def _conditions(cursor: Cursor, home: int, where: Sequence[Condition]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield SQL for the conditions that can be told in it; the exact comparison comes later."""
    labels = label_names(cursor, home)
    rows = every(cursor, "SELECT name, id FROM metric WHERE dataset = ?", [home])
    metrics = {str(name): int(id) for name, id in rows}
    for column, sign, value in where:
        if column in ROLES:
            if sign in ("=", "!="):
                yield f"t.{column} IN (SELECT id FROM {column} WHERE name {sign} ?)", (value,)
        elif column in labels:
            if sign == "=" and value:
                yield _anywhere("_label", "name = ? AND value = ?"), (column, value) * 3
        elif column in metrics and sign in _SIGNS and not math.isnan(number_of(value)):
            yield _anywhere("_metric", f"metric = ? AND value {sign} ?"), (metrics[column], float(value)) * 3


def _anywhere(kind: str, condition: str) -> str:
    """Return SQL for a condition on what is known of a trial itself, its input, or its machine."""
    own = "measurement" if kind == "_metric" else f"trial{kind}"
    return (
        f"(t.number IN (SELECT trial FROM {own} WHERE {condition}) "
        f"OR t.input IN (SELECT input FROM input{kind} WHERE {condition}) "
        f"OR t.machine IN (SELECT machine FROM machine{kind} WHERE {condition}))"
    )


def number_of(text: str) -> float:
    """Return a text's number; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _refuse_too_many(cursor: Cursor, home: int, rows: str, values: Sequence[Any]) -> None:
    found = one(cursor, f"SELECT count(*) {rows}", values)
    if found and int(found[0]) > MOST:
        (name,) = one(cursor, "SELECT name FROM dataset WHERE id = ?", [home]) or ("",)
        raise StoreError(
            f"That takes {int(found[0]):,} trials of dataset '{name}'; at most {MOST:,} are held in memory at once. "
            "Filter them, such as by machine."
        )


Range = tuple[int, int, float | None, float | None]
"""How many trials know a metric, how many different values there are, the lowest and the highest."""


def is_beyond_memory(cursor: Cursor, home: int) -> bool:
    """Whether a dataset has more trials than are held in memory at once."""
    return n_trials(cursor, home) > MOST


def n_trials(cursor: Cursor, home: int) -> int:
    """Return how many trials a dataset has."""
    row = one(cursor, "SELECT count(*) FROM trial WHERE dataset = ?", [home])
    return int(row[0]) if row else 0


def count_values(cursor: Cursor, home: int, metric: int) -> Range:
    """Return the range of a metric over the trials of a dataset, wherever it is known from."""
    there = "SELECT 1 FROM {}_metric WHERE metric = ? LIMIT 1"
    facts = [owner for owner in ("input", "machine") if one(cursor, there.format(owner), [metric])]
    given = [metric] * (1 + len(facts)) + ([home] if facts else [])
    row = one(cursor, f"SELECT count(v), count(DISTINCT v), min(v), max(v) FROM ({_values(facts)})", given)
    n, n_distinct, low, high = row or (0, 0, None, None)
    return int(n), int(n_distinct), low, high


def _values(facts: list[str]) -> str:
    """Return SQL for the value of a metric in each trial: its own, or its input's, or its machine's."""
    if not facts:
        return "SELECT value AS v FROM measurement WHERE metric = ?"
    values = ", ".join(["o.value", *(f"{owner}_metric.value" for owner in facts)])
    joins = " ".join(
        f"LEFT JOIN (SELECT * FROM {owner}_metric WHERE metric = ?) {owner}_metric "
        f"ON {owner}_metric.{owner} = t.{owner}"
        for owner in facts
    )
    own = "LEFT JOIN (SELECT * FROM measurement WHERE metric = ?) o ON o.trial = t.number"
    return f"SELECT coalesce({values}) AS v FROM trial t {own} {joins} WHERE t.dataset = ?"


def different_texts(cursor: Cursor, home: int) -> dict[str, tuple[str, ...]]:
    """Return the different values of each role and label of a dataset."""
    found: dict[str, set[str]] = {}
    for role in ROLES:
        there = f"SELECT {role} FROM trial WHERE dataset = ?"
        found[role] = {str(name) for (name,) in every(cursor, f"SELECT name FROM {role} WHERE id IN ({there})", [home])}
    for name, value in _labels(cursor, home, "name, value"):
        key = str(name) if name not in ROLES else f"{name} (label)"
        found.setdefault(key, set()).add(str(value))
    return {name: tuple(sorted(texts)) for name, texts in found.items()}
