"""The DuckDB file: one owning process, all or nothing, values as long tables."""

from typing import TYPE_CHECKING, Any

from core.store._gaps import GAPS, had_gaps
from core.store._lock import DatabaseError, OwnedError
from core.store.cards import (
    AuditCard,
    Condition,
    DatasetCard,
    Delivery,
    Drained,
    ExclusionCard,
    ExperimentCard,
    Fate,
    HiddenCard,
    InboxStatus,
    JobCard,
    MetricCard,
    ModelCard,
    Receipt,
    Sample,
    SourceCard,
)

if TYPE_CHECKING:
    from core.store.store import Store

__all__ = [
    "GAPS",
    "AuditCard",
    "Condition",
    "DatabaseError",
    "DatasetCard",
    "Delivery",
    "Drained",
    "ExclusionCard",
    "ExperimentCard",
    "Fate",
    "HiddenCard",
    "InboxStatus",
    "JobCard",
    "MetricCard",
    "ModelCard",
    "OwnedError",
    "Receipt",
    "Sample",
    "SourceCard",
    "Store",
    "had_gaps",
]


def __getattr__(name: str) -> Any:
    """Import the database only for who opens it: a script that delivers to the inbox needs none."""
    if name == "Store":
        from core.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
