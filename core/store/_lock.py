"""The store's own lock: DuckDB's is lost as soon as anybody in the process reads the database file."""

import fcntl
import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from core.store._errors import DatabaseError, OwnedError


class OwnerLock:
    """Held for the life of the owning process; the file beside the database says who holds it.

    A database that can only be read has no owner here, but nobody else may be writing to it.
    """

    def __init__(self, database: Path, *, read_only: bool = False) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._file: IO[str] | None = None
        if read_only:
            self._look(database)
        else:
            self._file = self._take(database)

    def release(self) -> None:
        """Let another process own the database; the lock file stays, empty."""
        if self._file is not None and not self._file.closed:
            self._file.truncate(0)
            self._file.close()

    def _look(self, database: Path) -> None:
        """Raise OwnedError if another process owns the database."""
        with suppress(FileNotFoundError, PermissionError), open(self.path, encoding="utf-8") as file:
            _flock(file, fcntl.LOCK_SH, database)

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
        _flock(file, fcntl.LOCK_EX, database)
        file.seek(0)
        file.truncate(0)
        file.write(f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}")
        file.flush()
        return file


def _flock(file: IO[str], how: int, database: Path) -> None:
    """Lock a file at once, or close it and say who has it."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        holder = file.read(200).strip() or "another process"
        file.close()
        raise OwnedError(
            f"The database {database} is in use by {holder}. Close that, or use another database with --db."
        ) from None
