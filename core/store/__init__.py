"""The DuckDB file: one owning process, all or nothing, values as long tables.

It offers `Store`, whose parts each own some tables; `cards` are the values that these say. It alone speaks SQL; it
knows no statistics, and keeps no change of which not all is stored.
"""

from typing import TYPE_CHECKING, Any

from core.store._gaps import GAPS as GAPS
from core.store._lock import DatabaseError as DatabaseError
from core.store._lock import OwnedError as OwnedError

if TYPE_CHECKING:
    from core.store.store import Store as Store


def __getattr__(name: str) -> Any:
    """Import the database only for who opens it: a script that delivers to the inbox needs none."""
    if name == "Store":
        from core.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
