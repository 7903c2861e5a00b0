"""The store that a verb opens."""

from core.cli.base import Arguments
from core.store import Store
from core.workspace import database_path


def open_store(a: Arguments, memory: str = "") -> Store:
    """Open the database that the user named, or the default one."""
    return Store.open(database_path(a.db), memory)
