"""What the store says of what it holds: small frozen values."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from datetime import datetime
from operator import add
from pathlib import Path
from typing import Any

from core.frozen import Frozen
from core.trial import Import, Metric, Skipped

Condition = tuple[str, str, str]
"""A filter: column, one of = != < <= > >=, value."""

_OPERATOR = re.compile(r"\s*(!=|<=|>=|=|<|>)\s*(.*)", re.DOTALL)


def condition_of(text: str, columns: Iterable[str]) -> Condition | None:
    """Return the condition that a text stands for, of the longest column that it starts with; None if of none."""
    for column in sorted(set(columns), key=len, reverse=True):
        found = _OPERATOR.fullmatch(text[len(column) :]) if text.startswith(column) else None
        if found:
            return column, found[1], found[2].strip()
    return None


class Sample(Frozen):
    """How many trials of a folder take part where it has more, and which.

    Attributes
    ----------
    n : 0 for so many as take little memory
    seed : of the hash by which they are drawn
    """

    n: int = 0
    seed: int = 0


class Receipt(Frozen):
    """What an import stored.

    Attributes
    ----------
    n_metrics : metrics of the file, machine and input metrics included
    already : "already imported on …" if the file was there before and nothing was stored, or None
    n_known : trials that were not stored again, because they, or ones of their ids, were there
    """

    dataset: str
    format: str
    n_trials: int
    n_metrics: int
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    already: str | None = None
    n_known: int = 0


class Delivery(Frozen):
    """An import on its way to a dataset.

    Attributes
    ----------
    grows : whether its trials are added to a source of the same hash, as those of the inbox are
    """

    dataset: str
    imported: Import
    grows: bool = False


class SourceCard(Frozen):
    """A file that was imported into a dataset, and its report."""

    name: str
    sha256: str
    format: str
    imported: datetime
    n_trials: int
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]


class DatasetCard(Frozen):
    """A dataset at a glance.

    Attributes
    ----------
    n_excluded : trials that do not count, whatever number of rules say so
    n_metrics : hidden ones included
    revision : grows with every change to trials, metrics, or what counts
    folder : where its files are, if it is a folder that is only read, or ""
    """

    name: str
    created: datetime
    n_trials: int
    n_excluded: int
    n_applications: int
    n_inputs: int
    n_machines: int
    n_metrics: int
    responses: tuple[Metric, ...]
    revision: int = 0
    folder: str = ""


class MetricCard(Frozen):
    """A metric of a dataset: how many trials know it, and its range over them.

    Attributes
    ----------
    original : the unit as files wrote it, if values were converted, or ""
    hidden : which rules hide it from models and why, or ""
    rule : the rule that made its values, or "" if they were measured
    """

    metric: Metric
    n_values: int
    n_missing: int
    n_distinct: int
    low: float | None
    high: float | None
    original: str = ""
    hidden: str = ""
    rule: str = ""


class ExclusionCard(Frozen):
    """A trial that does not count, by which rule, and why."""

    trial: str
    rule: str
    reason: str
    at: datetime


class HiddenCard(Frozen):
    """A metric that is not offered to models, by which rule, and why."""

    metric: str
    rule: str
    reason: str
    at: datetime


class AuditCard(Frozen):
    """Something that was done to the trials of a dataset by hand or by rule.

    Attributes
    ----------
    action : curate, uncurate, exclude, include or machine
    lifted : ids of the trials that the rule excluded until then
    metrics : names of the metrics that were hidden, made or changed
    """

    at: datetime
    action: str
    rule: str
    reason: str
    n_trials: int
    n_metrics: int
    lifted: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


class Drained(Frozen):
    """What was taken out of an inbox.

    Attributes
    ----------
    n_trials : stored now
    n_known : found stored already, by their ids
    bad : files that were set aside, with the reasons
    """

    n_files: int = 0
    n_trials: int = 0
    n_known: int = 0
    bad: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: "Drained") -> "Drained":
        return Drained(*map(add, astuple(self), astuple(other)))


class InboxStatus(Frozen):
    """How many files wait, and which were set aside and why."""

    folder: Path
    n_waiting: int
    bad: tuple[tuple[str, str], ...]


class Fate(Frozen):
    """What became of a delivery: "waiting", "stored" or "refused"."""

    state: str
    receipts: tuple[Receipt, ...] = ()
    why: str = ""


class ModelCard(Frozen):
    """A saved model at a glance.

    Attributes
    ----------
    version : which of the models of its name, counted from 1
    note : what people say of it, or ""
    """

    id: str
    name: str
    dataset: str
    recipe: str
    response: str
    created: datetime
    n_trials: int
    scores: Mapping[str, Any]
    options: Mapping[str, Any]
    version: int = 1
    note: str = ""


class ExperimentCard(Frozen):
    """An experiment that was begun.

    Attributes
    ----------
    n_fits : how many fits it has
    document : its TOML
    """

    id: str
    dataset: str
    name: str
    made: datetime
    n_fits: int
    document: str
