"""The one connection to the DuckDB file: locked down, one writer at a time, errors in the user's words."""

import os
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from core.errors import StoreError
from core.store._lock import Commits, DatabaseError, OwnerLock, lock_of, set_log_aside
from core.store.backup import remove_leftovers, verified

T = TypeVar("T")
Cursor = duckdb.DuckDBPyConnection

_TRIES = 5
_MEMORY = "4GB"


class Connection:
    """Opens the file, hands out cursors, and runs writes one after another in transactions."""

    def __init__(self, path: Path, backups: Path, memory: str = "") -> None:
        self.path = path.resolve()
        self.backups = backups.resolve()
        self._memory = memory or _MEMORY
        self.read_only = self.path.exists() and not may_write(self.path)
        with suppress(OSError):  # which is told where it is opened
            if not lock_of(self.path).exists():  # nobody has it open, whose lock would be lost by reading it
                _refuse_other_file(self.path)
        self._lock = OwnerLock(self.path, read_only=self.read_only)
        self._writing = threading.RLock()
        self._commits, self._n_commits = Commits(self.path), -1
        self._invalid = False
        self._read: tuple[int, dict[Hashable, Any]] = (-1, {})
        if not self.read_only:
            remove_leftovers(self.backups, self.path.stem)
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

    def count_commits(self) -> None:
        """Count changes from now on, here and beside the database.

        Raises
        ------
        DatabaseError
            Once, if changes that were stored are not there any more.
        """
        if self.read_only:
            return
        found, told = self._read_commits(), self._commits.read()
        if found < 0:
            self.change("INSERT INTO meta VALUES ('commits', '0')")
        self._n_commits = max(found, 0)
        self._commits.write(self._n_commits)
        if told > self._n_commits:
            raise DatabaseError(
                f"The last {told - self._n_commits} changes to the database {self.path} are missing: its log "
                f"{self.path.name}.wal is gone or was cut, or an older copy was put in its place. "
                f"Backups are in {self.backups}. Open the database again to go on without them."
            )

    @contextmanager
    def reading(self) -> Iterator[Cursor]:
        """Give a cursor of its own, as DuckDB connections must not be shared by threads.

        DuckDB answers nothing more after a write that could not reach the disk; the file is opened again then.
        """
        if self._invalid:
            with self._writing:
                self._reopen()
        try:
            cursor = self._database.cursor()
        except duckdb.Error as error:
            raise self._failure(error) from None
        try:
            yield cursor
        except duckdb.Error as error:
            self._invalid |= isinstance(error, duckdb.FatalException)
            raise self._failure(error, reading=True) from error
        finally:
            cursor.close()

    def every(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self.reading() as cursor:
            return every(cursor, sql, values)

    def unchanged(self, key: Hashable, read: Callable[[], T]) -> T:
        """Return what `read` makes of the database, made once until something is written.

        Nobody but this process writes while it owns the file, so the number of its commits tells.
        """
        now = self._n_commits
        if now < 0 and not self.read_only:
            return read()
        seen = self._read
        if seen[0] != now:
            seen = self._read = (now, {})
        if key not in seen[1]:
            seen[1][key] = read()
        value: T = seen[1][key]
        return value

    def change(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Run one statement in a transaction of its own."""
        self.write(lambda cursor: cursor.execute(sql, list(values)))

    def write(self, work: Callable[[Cursor], T]) -> T:
        """Run `work` in one transaction: all of it is stored, or nothing.

        `work` may run again after a conflict or a failed checkpoint, so it must look at what is
        there before it inserts.

        Raises
        ------
        StoreError
            If it cannot be stored; what was there is untouched.
        """
        self.need_writable()
        with self._writing:
            for attempt in range(_TRIES):
                try:
                    return self._transaction(work)
                except duckdb.TransactionException as error:
                    if attempt == _TRIES - 1 or "No space left" in str(error):
                        self._invalid = True
                        raise self._failure(error) from None
                except duckdb.FatalException as error:
                    self._invalid = True
                    if attempt == _TRIES - 1:
                        raise self._failure(error) from None
                    self._reopen()
                except duckdb.Error as error:
                    raise self._failure(error) from error
        raise DatabaseError(f"The database {self.path} could not be written.")

    def need_writable(self) -> None:
        """Raise DatabaseError if the database is where this process may not write."""
        if self.read_only:
            raise DatabaseError(
                f"The database {self.path} can only be read here: nothing is stored. "
                "Copy it to a place where you may write, and use that with --db."
            )

    def _transaction(self, work: Callable[[Cursor], T]) -> T:
        cursor = self._database.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION")
            try:
                result = work(cursor)
                if self._n_commits >= 0:
                    cursor.execute("UPDATE meta SET value = ? WHERE key = 'commits'", [str(self._n_commits + 1)])
                cursor.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):  # DuckDB may have rolled back already
                    cursor.execute("ROLLBACK")
                raise
            if self._n_commits >= 0:
                self._n_commits += 1
                self._commits.write(self._n_commits)
            return result
        finally:
            cursor.close()

    def _reopen(self) -> None:
        if not self._invalid:  # another thread was quicker
            return
        self._database.close()
        self._database = self._connect()
        self._invalid = False
        if self._n_commits >= 0:
            self._n_commits = self._read_commits()

    def _read_commits(self) -> int:
        """Return how many changes the database says it has seen, -1 if it never counted."""
        rows = self.every("SELECT value FROM meta WHERE key = 'commits'")
        return int(rows[0][0]) if rows else -1

    def _connect(self) -> duckdb.DuckDBPyConnection:
        before = os.umask(0o077)
        try:
            _refuse_other_file(self.path)
            config = _config(self._memory, in_place=not self.read_only)
            database = duckdb.connect(str(self.path), self.read_only, config)
            self._lock_down(database)
            return database
        except duckdb.Error as error:
            raise self._recovered(error) from None
        except OSError as error:
            raise DatabaseError(f"The database {self.path} cannot be opened: {error.strerror}.") from None
        finally:
            os.umask(before)

    def _recovered(self, error: duckdb.Error) -> StoreError:
        """Return what to say of a file that did not open; a damaged log was set aside then."""
        if "replaying WAL" in str(error) and "No space left" not in str(error):
            with suppress(OSError):  # no room for copies: all stays as it was
                return DatabaseError(set_log_aside(self.path, str(error)))
        return self._failure(error)

    def _lock_down(self, database: duckdb.DuckDBPyConnection) -> None:
        """Leave SQL no file but those of backups, and no way to change that."""
        folder = str(self.backups).replace("'", "''")
        database.execute(f"SET allowed_directories = ['{folder}/']")
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")

    def _failure(self, error: duckdb.Error, *, reading: bool = False) -> StoreError:
        """Return the error in the user's words."""
        text = str(error)
        if reading and "No space left" in text:
            return DatabaseError(
                f"The disk of {self.path} is full, and this needs room for intermediate results. "
                "Free some space and try again; nothing that was stored is lost."
            )
        if any(sign in text for sign in _DAMAGE):
            return DatabaseError(f"The database {self.path} is damaged and was left as it is. {self._remedy()}")
        for raw, said in _SENTENCES:
            if raw in text:
                return DatabaseError(said.format(path=self.path))
        if "Out of Memory" in text:
            return StoreError(
                "That is too much for the memory limit. Filter the trials, or set RIDGELINE_MEMORY higher."
            )
        return StoreError(f"The database {self.path} could not do that: {text.splitlines()[0]}.")

    def _remedy(self) -> str:
        """Return what helps against damage: the newest backup that was opened and counted."""
        newest = next(verified(self.backups, self.path.stem), None)
        if newest is None:
            return f"There is no whole backup of it in {self.backups}."
        return f"The newest whole backup is {newest}; `ridgeline restore` puts it there and keeps the damaged file."


class Part:
    """What asks and changes some tables, handed the connection to them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


def every(cursor: Cursor, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Return all rows of a query."""
    return cursor.execute(sql, list(values)).fetchall()


def one(cursor: Cursor, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """Return the first row of a query, or None, with the result read to its end."""
    return next(iter(every(cursor, sql, values)), None)


@contextmanager
def passing(cursor: Cursor, name: str, batches: Iterator[Any], schema: Any) -> Iterator[None]:
    """Let a query read Arrow record batches under a name while they are made; what ends their making is raised."""
    import pyarrow as pa

    wrong: list[BaseException] = []

    def made() -> Iterator[Any]:
        try:
            yield from batches
        except BaseException as error:
            wrong.append(error)
            raise

    cursor.register(name, pa.RecordBatchReader.from_batches(schema, made()))
    try:
        yield
    except Exception:
        if wrong:
            raise wrong[0] from None  # in its own words, not the database's
        raise
    finally:
        with suppress(duckdb.TransactionException):  # of what failed, which says why
            cursor.unregister(name)


def may_write(path: Path) -> bool:
    """Return whether this process may change a file and make others beside it, as a database needs."""
    return all(os.access(place, os.W_OK, effective_ids=True) for place in (path, path.parent))


def _refuse_other_file(path: Path) -> None:
    """Raise DatabaseError if a file is none: of a CSV DuckDB makes one in memory, where all would be lost."""
    if path.is_dir():
        raise DatabaseError(f"The database {path} is a folder. Name a file in it: --db {path / 'NAME.duckdb'}.")
    if path.exists():
        with path.open("rb") as file:
            if file.read(12)[8:] != b"DUCK":
                raise DatabaseError(f"The file {path} is not a database of Ridgeline. Use another --db.")


def _config(memory: str, *, in_place: bool) -> dict[str, str | bool | int | float | list[str]]:
    """Return DuckDB's settings; what does not fit into memory goes beside the database, or where all may write."""
    elsewhere = {} if in_place else {"temp_directory": tempfile.gettempdir()}
    return {
        **elsewhere,
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "storage_compatibility_version": "v1.4.0",
        "memory_limit": os.environ.get("RIDGELINE_MEMORY", memory),
        "max_temp_directory_size": "16GB",
    }


_DAMAGE = ("Corrupt", "computed checksum")
_SENTENCES = (
    ("Could not set lock", "The database {path} is in use by another process. Close that, or use another --db."),
    ("No space left", "Nothing was stored: the disk of {path} is full. Free some space and try again."),
    ("File too large", "Nothing was stored: {path} may not grow. Raise the limit on files' sizes and try again."),
    ("with version number", "The database {path} was made by a newer version of Ridgeline. Install that version."),
    ("Permission denied", "The database {path} cannot be written: permission denied. Use another --db."),
    ("Read-only file system", "The database {path} is on a read-only file system. Use another --db."),
    ("Conflict", "Somebody else changed this at the same time. Try again."),
)
