"""The store that a verb opens."""

import sys

from core.cli.base import Arguments
from core.store import Store
from core.workspace import database_path


def open_store(a: Arguments, memory: str = "") -> Store:
    """Open the database that the user named, or the default one; what can only be read is marked so."""
    store = Store.open(database_path(a.db), memory)
    if store.read_only:
        print(f"ridgeline: the database {store.path} can only be read here", file=sys.stderr)
    return store
