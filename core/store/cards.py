"""What the store says of what it holds: small frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.trial import Metric, Skipped

Condition = tuple[str, str, str]
"""A filter: column, one of = != < <= > >=, value."""


@dataclass(frozen=True)
class Receipt:
    """What an import stored.

    Attributes
    ----------
    n_metrics : metrics of the file, machine and input metrics included
    already : "already imported on …" if the file was there before and nothing was stored, or None
    """

    dataset: str
    format: str
    n_trials: int
    n_metrics: int
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    already: str | None = None


@dataclass(frozen=True)
class SourceCard:
    """A file that was imported into a dataset, and its report."""

    name: str
    sha256: str
    format: str
    imported: datetime
    n_trials: int
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class DatasetCard:
    """A dataset at a glance."""

    name: str
    created: datetime
    n_trials: int
    n_excluded: int
    n_applications: int
    n_inputs: int
    n_machines: int
    n_metrics: int
    responses: tuple[Metric, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class MetricCard:
    """A metric of a dataset: how many trials know it, and its range over them."""

    metric: Metric
    n_values: int
    n_missing: int
    n_distinct: int
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ExclusionCard:
    """A trial that does not count, and why."""

    trial: str
    rule: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class ModelCard:
    """A saved model at a glance."""

    id: str
    name: str
    dataset: str
    recipe: str
    response: str
    created: datetime
    n_trials: int
    scores: Mapping[str, Any]
    options: Mapping[str, Any]


@dataclass(frozen=True)
class JobCard:
    """A long computation, running or ended."""

    id: str
    kind: str
    title: str
    options: Mapping[str, Any]
    state: str
    message: str
    started: datetime
    finished: datetime | None
