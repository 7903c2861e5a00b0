"""Backups made by the database itself: whole and verified, or not there at all."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from core.errors import StoreError

if TYPE_CHECKING:
    from core.store._connection import Connection

_PARTIAL = ".partial"
_COUNTED = ("dataset", "trial", "measurement", "model")


@dataclass(frozen=True)
class Backup:
    """A backup that was opened and counted.

    Attributes
    ----------
    counts : rows by table, for some tables whose loss would be seen first
    """

    path: Path
    counts: dict[str, int]

    def __str__(self) -> str:
        counts = {name: self.counts[name] for name in ("dataset", "trial", "model")}
        found = ", ".join(f"{n:,} {name}{'' if n == 1 else 's'}" for name, n in counts.items())
        return f"{self.path} ({found})"


def back_up(connection: "Connection", folder: Path) -> Path:
    """Copy the database into a new file in a folder and return its path.

    The copy has another name until it was checkpointed, opened again, counted and flushed to disk.

    Raises
    ------
    StoreError
        If the folder is not the one that the database was opened with, or the copy is not whole.
    """
    connection.need_writable()
    target = folder.resolve() / f"{connection.path.stem}-{datetime.now():%Y%m%d-%H%M%S-%f}.duckdb"
    if target.parent != connection.backups:
        raise StoreError(f"Backups of this database go to {connection.backups}, not to {folder}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}{_PARTIAL}")
    try:
        expected = _copy(connection, partial)
        found = inspect(partial)
        if found is None or found.counts != expected:
            raise StoreError(f"The backup {target} was not whole and was removed. Check the disk and try again.")
        publish(partial, target)
    finally:
        _remove(partial)
    return target


def publish(partial: Path, target: Path) -> None:
    """Give a file that is whole its final name, so that it survives a loss of power under that name or not at all."""
    flush(partial)
    partial.rename(target)
    flush(target.parent)


def flush(path: Path) -> None:
    """Write a file's or folder's changes to disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def inspect(path: Path) -> Backup | None:
    """Open a copy and count it; None if it does not open or is not a database of Ridgeline."""
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            database.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchall()[0]
            return Backup(path, _counts(database, ""))
    except (duckdb.Error, IndexError, OSError):
        return None


def verified(folder: Path, stem: str) -> Iterator[Backup]:
    """Return the backups of a database that open and can be counted, the newest first."""
    for path in sorted(folder.glob(f"{stem}-*.duckdb"), reverse=True):
        if (found := inspect(path)) is not None:
            yield found


def remove_leftovers(folder: Path) -> None:
    """Remove copies that were cut short; the owner of the database calls this when it opens it."""
    for path in folder.glob(f"*{_PARTIAL}*"):
        _remove(path)


def _copy(connection: "Connection", partial: Path) -> dict[str, int]:
    quoted = str(partial).replace("'", "''")
    with connection.reading() as cursor:
        name = cursor.execute("SELECT current_database()").fetchall()[0][0]
        cursor.execute(f"ATTACH '{quoted}' AS backup")
        try:
            cursor.execute("BEGIN TRANSACTION")
            cursor.execute(f'COPY FROM DATABASE "{name}" TO backup')
            expected = _counts(cursor, f'"{name}".')
            cursor.execute("COMMIT")
            cursor.execute("CHECKPOINT backup")
        finally:
            cursor.execute("DETACH backup")
    return expected


def _counts(database: duckdb.DuckDBPyConnection, prefix: str) -> dict[str, int]:
    return {name: database.execute(f"SELECT count(*) FROM {prefix}{name}").fetchall()[0][0] for name in _COUNTED}


def _remove(path: Path) -> None:
    for own in (path, path.with_name(f"{path.name}.wal")):
        with suppress(OSError):
            own.unlink(missing_ok=True)
