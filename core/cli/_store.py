"""The database that a verb works on."""

from pathlib import Path

from core.cli.base import Arguments
from core.store import Store
from core.workspace import default_database


def open_store(a: Arguments, memory: str = "") -> Store:
    """Open the database that the user named, or the default one."""
    return Store.open(database_of(a), memory)


def database_of(a: Arguments) -> Path:
    """Return the database that the user named, or the default one."""
    return Path(a.db) if a.db else default_database()
