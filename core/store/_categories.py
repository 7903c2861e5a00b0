"""Texts as predictors: one metric `name=value` per value, 1 where it holds and else 0."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import StoreError
from core.store._read import Table
from core.trial import ROLES, Kind, Metric

MANY = 32
MOST_NAMES = 256
"""A text parameter of more values is not offered."""


def indicators(table: Table) -> dict[str, tuple[str, str]]:
    """Return the indicator metrics of a dataset: by `name=value`, the label and its value.

    Only labels that were set before the run, that every trial has, and that have 2 to 32 values.
    """
    found: dict[str, tuple[str, str]] = {}
    for label, texts in table.texts.items():
        if label not in ROLES and _is_parameter(label, texts, table.setting):
            values = sorted(set(texts))
            if 2 <= len(values) <= MANY and "" not in values:
                found |= {f"{label}={value}": (label, value) for value in values}
    return found


def factors(table: Table) -> dict[str, tuple[str, str]]:
    """Return the indicator metrics of applications, inputs and machines, where they have 2 to 32 names."""
    found: dict[str, tuple[str, str]] = {}
    for role in ROLES:
        names = sorted(set(table.texts[role]))
        if 2 <= len(names) <= MOST_NAMES and "" not in names:
            found |= {f"{role}={name}": (role, name) for name in names}
    return found


def spelled_out(names: Sequence[str], known: dict[str, tuple[str, str]]) -> list[str]:
    """Return names with each text parameter replaced by its indicators."""
    found: list[str] = []
    for name in names:
        own = [indicator for indicator, (label, _) in known.items() if label == name]
        found += own or [name]
    return list(dict.fromkeys(found))


def indicator_values(table: Table, chosen: Sequence[tuple[str, str]]) -> FloatArray:
    """Return 1 where a label has the value and 0 elsewhere, array of shape (n_trials, n_chosen)."""
    values = np.zeros((len(table), len(chosen)))
    for j, (label, value) in enumerate(chosen):
        values[:, j] = np.array(table.texts[label], dtype=object) == value
    return values


def indicator(name: str) -> Metric:
    """Return an indicator as a metric: a machine's or workload's where it tells these, else a parameter's."""
    role = name.partition("=")[0]
    kinds = {"application": Kind.DETERMINISTIC, "input": Kind.DETERMINISTIC, "machine": Kind.MACHINE}
    return Metric(name, kinds.get(role, Kind.PARAMETER))


def refuse_unknown(name: str, known: Sequence[str], dataset: str) -> None:
    """Raise StoreError if a name is neither a metric nor an indicator."""
    if name not in known:
        raise StoreError(f"There is no metric '{name}' in dataset '{dataset}'; there are: {', '.join(known)}.")


def _is_parameter(label: str, texts: Sequence[str], settings: Sequence[str]) -> bool:
    """Whether the settings, which tell configurations apart, say this label's value in every trial."""
    if not settings or f"{label}={texts[0]}" not in settings[0]:
        return False
    pairs = set(zip(texts, settings, strict=True))
    return all(f"; {label}={text}; " in f"; {setting}; " for text, setting in pairs)
