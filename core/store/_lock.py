"""The store's own lock: DuckDB's is lost as soon as anybody in the process reads the database file."""

import fcntl
import os
from datetime import datetime
from pathlib import Path
from typing import IO

from core.store._errors import DatabaseError, OwnedError


class OwnerLock:
    """Held for the life of the owning process; the file beside the database says who holds it."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_name(database.name + ".lock")
        self._file = self._take(database)

    def release(self) -> None:
        """Let another process own the database; the lock file stays, empty."""
        if not self._file.closed:
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
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read(200).strip() or "another process"
            file.close()
            raise OwnedError(
                f"The database {database} is in use by {holder}. Close that, or use another database with --db."
            ) from None
        file.seek(0)
        file.truncate(0)
        file.write(f"process {os.getpid()} since {datetime.now():%Y-%m-%d %H:%M:%S}")
        file.flush()
        return file
