"""Texts that were known before a run, as predictors: one metric `name=value` per value, 1 where it holds and else 0."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import StoreError
from core.registry import unknown
from core.store._read import Table
from core.texts import CodedTexts
from core.trial import ROLES, Kind, Metric

MANY = 32
"""A text of more values is not offered."""
MOST_NAMES = 256
"""Applications, inputs or machines up to which their names are predicted from, where no metric tells them apart."""


class Indicator(Frozen):
    """A metric that is 1 where a label has a value."""

    label: str
    value: str
    kind: Kind

    @property
    def metric(self) -> Metric:
        """The indicator as a metric."""
        return Metric(f"{self.label.removesuffix(' (label)')}={self.value}", self.kind)


def indicators(table: Table, known: Iterable[str] = ()) -> dict[str, Indicator]:
    """Return the indicators of a dataset by their metric's name, but those of a name that is known.

    Only labels that were known before the run, that every trial has, and that have 2 to 32 values: what was set, what
    names the input, and what is the same on each machine if its values come with two machines each on average.
    """
    found: dict[str, Indicator] = {}
    for label, texts in table.texts.items():
        if label not in ROLES and len(texts) and (kind := _kind(label, texts, table)):
            found |= _each(label, texts, kind, MANY)
    taken = set(known)
    return {name: own for name, own in found.items() if name not in taken}


def factors(table: Table) -> dict[str, Indicator]:
    """Return the indicators of applications, inputs and machines by their metric's name, where they have 2 to 256."""
    kinds = {"application": Kind.DETERMINISTIC, "input": Kind.DETERMINISTIC, "machine": Kind.MACHINE}
    found: dict[str, Indicator] = {}
    for role in ROLES:
        found |= _each(role, table.texts[role], kinds[role], MOST_NAMES)
    return found


def _each(label: str, texts: CodedTexts, kind: Kind, most: int) -> dict[str, Indicator]:
    """Return an indicator of each value by its metric's name; none where there is one value, too many or a blank."""
    values = sorted(texts.texts)
    able = 2 <= len(values) <= most and "" not in values
    return {one.metric.name: one for one in (Indicator(label, value, kind) for value in values)} if able else {}


def spelled_out(names: Sequence[str], known: Mapping[str, Indicator]) -> list[str]:
    """Return names with each text replaced by its indicators."""
    found: list[str] = []
    for name in names:
        found += [indicator for indicator, of in known.items() if of.label == name] or [name]
    return list(dict.fromkeys(found))


def indicator_values(table: Table, chosen: Sequence[Indicator]) -> FloatArray:
    """Return 1 where a label has the value and 0 elsewhere, array of shape (n_trials, n_chosen)."""
    values = np.zeros((len(table), len(chosen)))
    for j, own in enumerate(chosen):
        texts = table.texts[own.label]
        values[:, j] = (np.array(texts.texts) == own.value)[texts.codes]
    return values


def chosen_metrics(
    names: Sequence[str], known: Mapping[str, tuple[int, Metric]], texts: Mapping[str, Indicator], dataset: str
) -> list[Metric]:
    """Return the metrics that a user names, a text as its indicators.

    Raises
    ------
    StoreError
        If a name is neither a metric nor an indicator.
    """
    offered = {name: metric for name, (_, metric) in known.items()} | {name: own.metric for name, own in texts.items()}
    found = spelled_out(names, texts)
    for name in found:
        if name not in offered:
            raise StoreError(unknown("metric", name, offered, f" in dataset '{dataset}'"))
    return [offered[name] for name in found]


def settings_of(table: Table) -> tuple[str, ...]:
    """Return the labels that were set before a run."""
    return tuple(name for name, texts in table.texts.items() if name not in ROLES and _is_set(name, texts, table))


def _is_set(label: str, texts: CodedTexts, table: Table) -> bool:
    return len(table) > 0 and bool(table.setting[0]) and _says(table.setting, texts, "; ", f"{label}=")


def _kind(label: str, texts: CodedTexts, table: Table) -> Kind | None:
    """Return what a label belongs to that was known before the run; None if nothing shows that."""
    if _is_set(label, texts, table):
        return Kind.PARAMETER
    if _says(table.texts["input"], texts, " / ", ""):
        return Kind.DETERMINISTIC
    if 4 <= len(np.unique(table.machine)):
        pairs = set(zip(table.machine.tolist(), texts, strict=True))
        n = len({machine for machine, _ in pairs})
        return Kind.MACHINE if len(pairs) == n and 2 * len(texts.texts) <= n else None
    return None


def _says(names: CodedTexts, texts: CodedTexts, mark: str, before: str) -> bool:
    """Whether the parts of each trial's name say the label's value."""
    if f"{before}{texts[0]}" not in names[0]:
        return False
    pairs = np.unique(texts.codes.astype(np.int64) * len(names.texts) + names.codes).tolist()
    told = ((texts.texts[pair // len(names.texts)], names.texts[pair % len(names.texts)]) for pair in pairs)
    return all(f"{mark}{before}{text}{mark}" in f"{mark}{name}{mark}" for text, name in told)
