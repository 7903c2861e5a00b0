"""Rows in and ids out: what every write to the database is made of."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from core.errors import StoreError
from core.store._connection import Cursor, every, one, passing

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

    rows = (pa.RecordBatch.from_pydict(dict(batch)) for batch in batches)
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
        raise StoreError(f"There is no dataset '{name}'; there are: {', '.join(names) or 'none'}.")
    fresh = next_id(cursor, "dataset")
    cursor.execute(
        "INSERT INTO dataset (id, name, created) VALUES (?, ?, ?)", [fresh, named(name, "dataset"), datetime.now()]
    )
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
