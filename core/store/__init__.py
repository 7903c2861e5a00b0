"""The DuckDB file: one owning process, all or nothing, values as long tables."""

from core.store.cards import (
    Condition,
    DatasetCard,
    ExclusionCard,
    JobCard,
    MetricCard,
    ModelCard,
    Receipt,
    SourceCard,
)
from core.store.store import Store

__all__ = [
    "Condition",
    "DatasetCard",
    "ExclusionCard",
    "JobCard",
    "MetricCard",
    "ModelCard",
    "Receipt",
    "SourceCard",
    "Store",
]
