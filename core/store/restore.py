"""A backup put into the database's place; what was there is kept."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from core.errors import StoreError
from core.store._lock import OwnerLock
from core.store._recovery import Commits, quarantine
from core.store.backup import Backup, inspect, publish, verified


@dataclass(frozen=True)
class Restored:
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
