"""The one connection to the DuckDB file: locked down, one writer at a time, errors in the user's words."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from core.errors import StoreError
from core.store._lock import OwnerLock

T = TypeVar("T")
Cursor = duckdb.DuckDBPyConnection

_TRIES = 5


class Connection:
    """Opens the file, hands out cursors, and runs writes one after another in transactions."""

    def __init__(self, path: Path, backups: Path) -> None:
        self.path = path.resolve()
        self.backups = backups.resolve()
        self._lock = OwnerLock(self.path)
        self._writing = threading.RLock()
        try:
            self._database = self._connect()
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Close the database and let go of it; a second call does nothing."""
        with self._writing:
            self._database.close()
            self._lock.release()

    @contextmanager
    def reading(self) -> Iterator[Cursor]:
        """Give a cursor of its own, as DuckDB connections must not be shared by threads."""
        try:
            cursor = self._database.cursor()
        except duckdb.Error as error:
            raise StoreError(self._sentence(error)) from None
        try:
            yield cursor
        except duckdb.Error as error:
            raise StoreError(self._sentence(error)) from error
        finally:
            cursor.close()

    def write(self, work: Callable[[Cursor], T]) -> T:
        """Run `work` in one transaction: all of it is stored, or nothing.

        `work` may run again after a conflict or a failed checkpoint, so it must look at what is
        there before it inserts.

        Raises
        ------
        StoreError
            If it cannot be stored; what was there is untouched.
        """
        with self._writing:
            for attempt in range(_TRIES):
                try:
                    return self._transaction(work)
                except duckdb.TransactionException as error:
                    if attempt == _TRIES - 1 or "No space left" in str(error):
                        raise StoreError(self._sentence(error)) from None
                except duckdb.FatalException as error:
                    if attempt == _TRIES - 1:
                        raise StoreError(self._sentence(error)) from None
                    self._reopen()
                except duckdb.Error as error:
                    raise StoreError(self._sentence(error)) from error
        raise StoreError(f"The database {self.path} could not be written.")

    def _transaction(self, work: Callable[[Cursor], T]) -> T:
        cursor = self._database.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION")
            try:
                result = work(cursor)
                cursor.execute("COMMIT")
            except BaseException:
                _rollback(cursor)
                raise
            return result
        finally:
            cursor.close()

    def _reopen(self) -> None:
        self._database.close()
        self._database = self._connect()

    def _connect(self) -> duckdb.DuckDBPyConnection:
        before = os.umask(0o077)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            database = duckdb.connect(str(self.path), config=_config())
            self._lock_down(database)
            return database
        except duckdb.Error as error:
            raise StoreError(self._sentence(error)) from None
        except OSError as error:
            raise StoreError(f"The database {self.path} cannot be opened: {error.strerror}.") from None
        finally:
            os.umask(before)

    def _lock_down(self, database: duckdb.DuckDBPyConnection) -> None:
        """Leave SQL no file but those of backups, and no way to change that."""
        folder = str(self.backups).replace("'", "''")
        database.execute(f"SET allowed_directories = ['{folder}/']")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")

    def _sentence(self, error: duckdb.Error) -> str:
        text = str(error)
        for raw, said in _SENTENCES:
            if raw in text:
                return said.format(path=self.path, backups=self.backups)
        return f"The database {self.path} could not do that: {text.splitlines()[0]}."


def one(cursor: Cursor, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """Return the first row of a query, or None, with the result read to its end."""
    rows = cursor.execute(sql, list(values)).fetchall()
    return rows[0] if rows else None


def _config() -> dict[str, str | bool | int | float | list[str]]:
    return {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "storage_compatibility_version": "v1.4.0",
        "memory_limit": os.environ.get("RIDGELINE_MEMORY", "4GB"),
        "max_temp_directory_size": "16GB",
    }


_SENTENCES = (
    (
        "Could not set lock",
        "The database {path} is in use by another process. Close that, or use another --db.",
    ),
    ("No space left", "Nothing was stored: the disk of {path} is full. Free some space and try again."),
    ("not a valid DuckDB database file", "The file {path} is not a database of Ridgeline. Use another --db."),
    (
        "with version number",
        "The database {path} was made by a newer version of Ridgeline. Install that version.",
    ),
    (
        "Corrupt",
        "The database {path} is damaged and was left as it is. "
        "Move it aside and copy the newest file of {backups} into its place.",
    ),
    (
        "computed checksum",
        "The database {path} is damaged. Copy the newest file of {backups} into its place.",
    ),
    (
        "Out of Memory",
        "That is too much for the memory limit. Filter the trials, or set RIDGELINE_MEMORY higher.",
    ),
    ("Permission denied", "The database {path} cannot be written: permission denied. Use another --db."),
    ("Read-only file system", "The database {path} is on a read-only file system. Use another --db."),
    ("Conflict", "Somebody else changed this at the same time. Try again."),
)


def _rollback(cursor: Cursor) -> None:
    with suppress(duckdb.Error):  # DuckDB may have rolled back already
        cursor.execute("ROLLBACK")
