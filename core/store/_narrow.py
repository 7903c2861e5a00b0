"""Filters as SQL: what surely does not fulfil them is not read, so that a part of a dataset costs a part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import StoreError
from core.store._connection import Cursor, every, one
from core.store.cards import Condition

MOST = 3_000_000
"""Trials that are held in memory at once."""

_ROLES = {"application": "a.name", "input": "i.name", "machine": "m.name"}
_SIGNS = ("=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Narrowed:
    """The trials of a dataset that may fulfil a filter; others surely do not.

    Attributes
    ----------
    rows : SQL from FROM on, of the trials (t) with their application (a), input (i) and machine (m)
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
    rows = (
        "FROM trial t JOIN application a ON a.id = t.application JOIN input i ON i.id = t.input "
        f"JOIN machine m ON m.id = t.machine WHERE {sql}"
    )
    _refuse_too_many(cursor, home, rows, values)
    return Narrowed(rows, values, bool(found))


def label_names(cursor: Cursor, home: int) -> set[str]:
    """Return the names of all labels of a dataset's trials, inputs and machines."""
    names: set[str] = set()
    for owner, own in (("trial", "number"), ("input", "input"), ("machine", "machine")):
        rows = cursor.execute(
            f"SELECT DISTINCT name FROM {owner}_label WHERE {owner} IN (SELECT {own} FROM trial WHERE dataset = ?)",
            [home],
        ).fetchall()
        names |= {str(name) for (name,) in rows}
    return names


def _conditions(cursor: Cursor, home: int, where: Sequence[Condition]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield SQL for the conditions that can be told in it; the exact comparison comes later."""
    labels = label_names(cursor, home)
    rows = every(cursor, "SELECT name, id FROM metric WHERE dataset = ?", [home])
    metrics = {str(name): int(id) for name, id in rows}
    for column, sign, value in where:
        if column in _ROLES:
            if sign in ("=", "!="):
                yield f"{_ROLES[column]} {'=' if sign == '=' else '<>'} ?", (value,)
        elif column in labels:
            if sign == "=" and value:
                yield _anywhere("_label", "name = ? AND value = ?"), (column, value) * 3
        elif column in metrics and sign in _SIGNS and _is_number(value):
            yield _anywhere("_metric", f"metric = ? AND value {sign} ?"), (metrics[column], float(value)) * 3


def _anywhere(kind: str, condition: str) -> str:
    """Return SQL for a condition on what is known of a trial itself, its input, or its machine."""
    own = "measurement" if kind == "_metric" else f"trial{kind}"
    return (
        f"(t.number IN (SELECT trial FROM {own} WHERE {condition}) "
        f"OR t.input IN (SELECT input FROM input{kind} WHERE {condition}) "
        f"OR t.machine IN (SELECT machine FROM machine{kind} WHERE {condition}))"
    )


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _refuse_too_many(cursor: Cursor, home: int, rows: str, values: Sequence[Any]) -> None:
    found = one(cursor, f"SELECT count(*) {rows}", values)
    if found and int(found[0]) > MOST:
        (name,) = one(cursor, "SELECT name FROM dataset WHERE id = ?", [home]) or ("",)
        raise StoreError(
            f"That takes {int(found[0]):,} trials of dataset '{name}'; at most {MOST:,} are held in memory at once. "
            "Filter them, such as by machine."
        )
