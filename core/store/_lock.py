"""What can be wrong with a database, and files beside it: its owner's lock, the count of commits, what is set aside."""

import os
import re
import shutil
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from core.errors import StoreError
from core.locked import lock


class OwnedError(StoreError):
    """Another process owns the database; what is to be stored can go through its inbox."""


class DatabaseError(StoreError):
    """The database itself could not: a full disk, damage, no permission. What was to be stored may be right."""


def lock_of(database: Path) -> Path:
    """Return the file beside a database that its owner holds."""
    return database.with_name(database.name + ".lock")


class OwnerLock:
    """Held for the life of the owning process; the file beside the database says who holds it.

    A database that can only be read has no owner here, but nobody else may be writing to it.
    """

    def __init__(self, database: Path, *, read_only: bool = False) -> None:
        self.path = lock_of(database)
        self._file: IO[str] | None = None
        if not read_only:
            self._file = self._take(database)
            return
        with suppress(FileNotFoundError, PermissionError), open(self.path, encoding="utf-8") as file:
            _lock(file, database, shared=True)

    def release(self) -> None:
        """Let another process own the database; the lock file stays, empty."""
        if self._file is not None and not self._file.closed:
            self._file.truncate(0)
            self._file.close()

    def _take(self, database: Path) -> IO[str]:
        if not database.parent.is_dir():
            nearest = next(folder for folder in database.parents if folder.is_dir())
            raise DatabaseError(
                f"There is no folder {database.parent} for the database {database.name}; the nearest that is there "
                f"is {nearest}. Make the folder, or use another --db."
            )
        try:
            file = open(self.path, "a+", encoding="utf-8")  # noqa: SIM115 - held until release
        except OSError as error:
            raise DatabaseError(
                f"The database {database} cannot be locked: {error.strerror}. Use another --db."
            ) from None
        _lock(file, database)
        file.seek(0)
        file.truncate(0)
        file.write(f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}")
        file.flush()
        return file


def _lock(file: IO[str], database: Path, *, shared: bool = False) -> None:
    """Lock a file at once, or close it and say who has it."""
    try:
        lock(file, shared=shared)
    except OSError:
        holder = _holder(file)
        file.close()
        raise OwnedError(
            f"The database {database} is in use by {holder}. Close that, or use another database with --db."
        ) from None


def _holder(file: IO[str]) -> str:
    """Return what the owner wrote of itself; one that has only just locked the file is given a moment to do so."""
    for _ in range(20):
        file.seek(0)
        if said := file.read(200).strip():
            return said
        time.sleep(0.01)
    return "another process"


_POSITION = re.compile(r"at byte position (\d+)")


def set_log_aside(database: Path, error: str) -> str:
    """Copy a database and its damaged log into quarantine, keep what of the log can be read, and say so.

    Parameters
    ----------
    error : what DuckDB said when it could not replay the log

    Raises
    ------
    OSError
        If there is no room for the copies; then nothing was changed.
    """
    log = database.with_name(database.name + ".wal")
    aside = quarantine(database)
    for file in (database, log):
        shutil.copy2(file, aside / file.name)
    found = _POSITION.search(error)
    if found:
        os.truncate(log, int(found[1]))
    else:
        log.unlink()
    Commits(database).forget()
    kept = "the changes before the damage were kept" if found else "the last changes are left out"
    return (
        f"The database {database} was not closed properly and its log is damaged: {kept}, and both files as they "
        f"were are in {aside}. Open the database again to go on."
    )


def quarantine(database: Path) -> Path:
    """Make the folder beside a database that keeps files as they were."""
    aside = database.parent / f"quarantine-{datetime.now():%Y%m%d-%H%M%S-%f}"
    aside.mkdir(mode=0o700)
    return aside


class Commits:
    """How many changes were stored, in a small file beside the database, so that a lost log is noticed."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".commits")

    def read(self) -> int:
        """Return the number; 0 if nobody wrote it down."""
        try:
            return int(self._path.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def write(self, n: int) -> None:
        """Write the number down; if that fails, only the check is weaker."""
        with suppress(OSError), open(os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600), "wb", buffering=0) as file:
            file.write(f"{n:020d}\n".encode())

    def forget(self) -> None:
        """Begin anew."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def flush(path: Path) -> None:
    """Write a file's or folder's changes to disk; Windows opens no folders."""
    if os.name == "nt" and path.is_dir():
        return
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
