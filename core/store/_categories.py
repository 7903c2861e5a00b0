"""Texts as predictors: one metric `name=value` per value, 1 where it holds and else 0."""

from collections.abc import Mapping, Sequence

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


def named_metrics(
    names: Sequence[str], known: Mapping[str, tuple[int, Metric]], texts: Mapping[str, tuple[str, str]], dataset: str
) -> list[Metric]:
    """Return metrics that were chosen by name, each text parameter as its indicators.

    Raises
    ------
    StoreError
        If a name is neither a metric nor an indicator.
    """
    found: list[str] = []
    for name in names:
        found += [own for own, (label, _) in texts.items() if label == name] or [name]
    for name in found:
        if name not in known and name not in texts:
            there = ", ".join([*known, *texts])
            raise StoreError(f"There is no metric '{name}' in dataset '{dataset}'; there are: {there}.")
    return [known[name][1] if name in known else indicator(name) for name in dict.fromkeys(found)]


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


def _is_parameter(label: str, texts: Sequence[str], settings: Sequence[str]) -> bool:
    """Whether the settings, which tell configurations apart, say this label's value in every trial."""
    if not settings or f"{label}={texts[0]}" not in settings[0]:
        return False
    pairs = set(zip(texts, settings, strict=True))
    return all(f"; {label}={text}; " in f"; {setting}; " for text, setting in pairs)
