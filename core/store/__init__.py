"""The DuckDB file: one owning process, all or nothing, values as long tables.

It offers `Store`, and the values that it says (`cards`). It alone speaks SQL; it knows no statistics, and keeps no
change of which not all is stored.
"""

from typing import TYPE_CHECKING, Any

from core.store._gaps import GAPS as GAPS
from core.store._gaps import had_gaps as had_gaps
from core.store._lock import DatabaseError as DatabaseError
from core.store._lock import OwnedError as OwnedError
from core.store.cards import AuditCard as AuditCard
from core.store.cards import Condition as Condition
from core.store.cards import DatasetCard as DatasetCard
from core.store.cards import Delivery as Delivery
from core.store.cards import Drained as Drained
from core.store.cards import ExperimentCard as ExperimentCard
from core.store.cards import Fate as Fate
from core.store.cards import HiddenCard as HiddenCard
from core.store.cards import InboxStatus as InboxStatus
from core.store.cards import MetricCard as MetricCard
from core.store.cards import ModelCard as ModelCard
from core.store.cards import Receipt as Receipt
from core.store.cards import Sample as Sample
from core.store.cards import SourceCard as SourceCard

if TYPE_CHECKING:
    from core.store.store import Store as Store


def __getattr__(name: str) -> Any:
    """Import the database only for who opens it: a script that delivers to the inbox needs none."""
    if name == "Store":
        from core.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
