"""Backups: consistent copies of the database, verified before they have their names, and put back on demand."""

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from core.errors import StoreError, count
from core.frozen import Frozen
from core.store._lock import Commits, OwnerLock, flush, quarantine

if TYPE_CHECKING:
    from core.store._connection import Connection

_PARTIAL = ".partial"
_TIME = "[0-9]{8}-[0-9]{6}-[0-9]{6}"
"""What `back_up` puts between a database's name and the suffix."""
_COUNTED = ("dataset", "trial", "measurement", "model")


class Backup(Frozen):
    """A backup that was opened and counted.

    Attributes
    ----------
    counts : rows by table, for some tables whose loss would be seen first
    """

    path: Path
    counts: dict[str, int]

    def __str__(self) -> str:
        counts = {name: self.counts[name] for name in ("dataset", "trial", "model")}
        found = ", ".join(count(n, name) for name, n in counts.items())
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
    for path in sorted(_own(folder, stem), reverse=True):
        if (found := inspect(path)) is not None:
            yield found


def remove_leftovers(folder: Path, stem: str) -> None:
    """Remove copies of a database that were cut short; its owner calls this when it opens it."""
    for path in _own(folder, stem, rf"{re.escape(_PARTIAL)}(\..+)?"):
        _remove(path)


def _own(folder: Path, stem: str, ending: str = "") -> list[Path]:
    """Return the files that are called as `back_up` calls copies of this database, and of no other in its folder."""
    named = re.compile(rf"{re.escape(stem)}-{_TIME}\.duckdb{ending}")
    return [path for path in folder.glob("*") if named.fullmatch(path.name)]


def _copy(connection: "Connection", partial: Path) -> dict[str, int]:
    """Copy all tables and count them; the copy is attached by its file's name, which the database cannot have."""
    file, copy = str(partial).replace("'", "''"), _quoted(partial.name)
    with connection.reading() as cursor:
        own = _quoted(cursor.execute("SELECT current_database()").fetchall()[0][0])
        cursor.execute(f"ATTACH '{file}' AS {copy}")
        try:
            cursor.execute("BEGIN TRANSACTION")
            cursor.execute(f"COPY FROM DATABASE {own} TO {copy}")
            expected = _counts(cursor, f"{own}.")
            cursor.execute("COMMIT")
            cursor.execute(f"CHECKPOINT {copy}")
        finally:
            cursor.execute(f"DETACH {copy}")
    return expected


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _counts(database: duckdb.DuckDBPyConnection, prefix: str) -> dict[str, int]:
    return {name: database.execute(f"SELECT count(*) FROM {prefix}{name}").fetchall()[0][0] for name in _COUNTED}


def _remove(path: Path) -> None:
    for own in (path, path.with_name(f"{path.name}.wal")):
        with suppress(OSError):
            own.unlink(missing_ok=True)


class Restored(Frozen):
    """What was put where.

    Attributes
    ----------
    backup : the copy that was taken
    kept : the folder that holds the files that were there before; None if there were none
    """

    backup: Backup
    kept: Path | None


def restore(database: Path, chosen: Path | None = None) -> Restored:
    """Put a backup into a database's place, the newest whole one if none is chosen.

    Raises
    ------
    StoreError
        If another process owns the database, no whole backup is there, or there is no room; the
        database is untouched then.
    """
    path = database.resolve()
    lock = OwnerLock(path)
    try:
        return _restored(path, _whole(path, chosen))
    except OSError as error:
        raise StoreError(f"{path} could not be restored: {error.strerror or error}. It is as it was.") from None
    finally:
        lock.release()


def _whole(path: Path, chosen: Path | None) -> Backup:
    folder = path.parent / "backups"
    found = inspect(chosen) if chosen else next(verified(folder, path.stem), None)
    if found is None:
        what = f"{chosen} is no whole backup" if chosen else f"There is no whole backup of {path.name} in {folder}"
        raise StoreError(f"{what}; the database is as it was. Name another file.")
    return found


def _restored(path: Path, backup: Backup) -> Restored:
    partial = path.with_name(f".{path.name}.restoring")
    try:
        shutil.copyfile(backup.path, partial)
        partial.chmod(0o600)
        if inspect(partial) != Backup(partial, backup.counts):
            raise StoreError(f"The copy of {backup.path} was not whole. Check the disk and try again.")
        kept = _set_aside(path)
        publish(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return Restored(backup, kept)


def _set_aside(path: Path) -> Path | None:
    """Keep the files that are there; links to them, so that the database itself is never gone."""
    files = [file for suffix in ("", ".wal", ".commits") if (file := path.with_name(path.name + suffix)).exists()]
    if not files:
        return None
    kept = quarantine(path)
    for file in files:
        shutil.copy2(file, kept / file.name)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
    Commits(path).forget()
    return kept
