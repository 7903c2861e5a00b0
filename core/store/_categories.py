"""Texts known before a run, as predictors `name=value`; and which trials and metrics stay where values miss."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import StoreError
from core.store._read import Table
from core.trial import ROLES, Kind, Metric

MANY = 32
"""A text of more values is not offered."""
MOST_NAMES = 256
"""Applications, inputs or machines up to which their names are predicted from, where no metric tells them apart."""


@dataclass(frozen=True)
class Indicator:
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
    taken = set(known)
    for label, texts in table.texts.items():
        kind = _kind(label, texts, table) if label not in ROLES and len(texts) else None
        values = sorted(set(texts)) if kind else []
        if kind and 2 <= len(values) <= MANY and "" not in values:
            own = [Indicator(label, value, kind) for value in values]
            found |= {one.metric.name: one for one in own}
    return {name: own for name, own in found.items() if name not in taken}


def factors(table: Table) -> dict[str, Indicator]:
    """Return the indicators of applications, inputs and machines by their metric's name, where they have 2 to 256."""
    kinds = {"application": Kind.DETERMINISTIC, "input": Kind.DETERMINISTIC, "machine": Kind.MACHINE}
    found: dict[str, Indicator] = {}
    for role in ROLES:
        names = sorted(set(table.texts[role]))
        if 2 <= len(names) <= MOST_NAMES and "" not in names:
            found |= {one.metric.name: one for one in (Indicator(role, name, kinds[role]) for name in names)}
    return found


def spelled_out(names: Sequence[str], known: Mapping[str, Indicator]) -> list[str]:
    """Return names with each text replaced by its indicators."""
    found: list[str] = []
    for name in names:
        own = [indicator for indicator, of in known.items() if of.label == name]
        found += own or [name]
    return list(dict.fromkeys(found))


def indicator_values(table: Table, chosen: Sequence[Indicator]) -> FloatArray:
    """Return 1 where a label has the value and 0 elsewhere, array of shape (n_trials, n_chosen)."""
    values = np.zeros((len(table), len(chosen)))
    for j, own in enumerate(chosen):
        values[:, j] = np.array(table.texts[own.label], dtype=object) == own.value
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
            raise StoreError(f"There is no metric '{name}' in dataset '{dataset}'; there are: {', '.join(offered)}.")
    return [offered[name] for name in found]


def _kind(label: str, texts: Sequence[str], table: Table) -> Kind | None:
    """Return what a label belongs to that was known before the run; None if nothing shows that."""
    if table.setting[0] and _says(table.setting, texts, "; ", f"{label}="):
        return Kind.PARAMETER
    if _says(table.texts["input"], texts, " / ", ""):
        return Kind.DETERMINISTIC
    if 4 <= len(np.unique(table.machine)):
        pairs = set(zip(table.machine.tolist(), texts, strict=True))
        n = len({machine for machine, _ in pairs})
        return Kind.MACHINE if len(pairs) == n and 2 * len(set(texts)) <= n else None
    return None


def _says(names: Sequence[str], texts: Sequence[str], mark: str, before: str) -> bool:
    """Whether the parts of each trial's name say the label's value."""
    if f"{before}{texts[0]}" not in names[0]:
        return False
    pairs = set(zip(texts, names, strict=True))
    return all(f"{mark}{before}{text}{mark}" in f"{mark}{name}{mark}" for text, name in pairs)


GAPS = ("most", "metrics", "trials")
"""What is left out where a metric of the default choice misses values: what keeps most, the metric, or the trials."""

TRIALS_MISS, METRICS_MISS = "trials miss a metric", "metrics left out because they miss values"
"""What notes of a frame say where the default choice had gaps."""
_MOST_TRIALS = 0.1
"""Of the trials, how many are left out at most so that metrics stay."""
_LISTED = 12


def kept(X: FloatArray, gaps: str, apart: Sequence[Sequence[str]]) -> tuple[IntArray, IntArray]:
    """Return the rows and columns without a gap.

    By `most` the columns with most gaps go, as many as keeps most values: rows times columns is largest, no
    more than a tenth of the rows goes, and no application or machine is lost. By `trials` only those without
    any value go.

    Parameters
    ----------
    X : array of shape (n_trials, n_metrics)
    apart : texts per trial, none of which may vanish
    """
    n, missing = len(X), np.array([int(np.isnan(column).sum()) for column in X.T], dtype=np.int64)
    order = np.argsort(-missing, kind="stable")[: int((missing > 0).sum())]
    if gaps == "metrics":
        return np.arange(n), np.flatnonzero(missing == 0)
    if gaps == "trials":
        stay = np.flatnonzero(missing < n)
        return np.flatnonzero(~np.isnan(X[:, stay]).any(axis=1)), stay
    sizes = [((n - lost) * (X.shape[1] - k), k) for k, lost in _lost(X, order) if lost <= _MOST_TRIALS * n]
    for _, k in sorted(sizes, key=lambda size: (-size[0], -size[1])):
        rows = np.flatnonzero(~np.isnan(X[:, order[k:]]).any(axis=1))
        if all(len({texts[i] for i in rows.tolist()}) == len(set(texts)) for texts in apart):
            return rows, np.setdiff1d(np.arange(X.shape[1]), order[:k])
    return np.arange(n), np.flatnonzero(missing == 0)


def had_gaps(notes: Sequence[str]) -> bool:
    """Whether notes of a frame say that metrics of the default choice missed values."""
    return any(said in note for note in notes for said in (TRIALS_MISS, METRICS_MISS))


def named(names: Sequence[str]) -> str:
    """Return names for a note, the first few of many."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _lost(X: FloatArray, order: IntArray) -> Iterator[tuple[int, int]]:
    """Yield (columns left out, rows lost): without the first k columns of an order, how many rows have a gap."""
    incomplete = np.zeros(len(X), dtype=np.bool_)
    yield len(order), 0
    for k in range(len(order) - 1, -1, -1):
        incomplete |= np.isnan(X[:, order[k]])
        yield k, int(incomplete.sum())
