"""What is done when the last changes cannot be read, or are missing: kept, put right, and said once."""

import os
import re
import shutil
from contextlib import suppress
from datetime import datetime
from pathlib import Path

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
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(file, f"{n:020d}\n".encode(), 0)
            finally:
                os.close(file)

    def forget(self) -> None:
        """Begin anew."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
