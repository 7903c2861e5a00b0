"""An import and where its file was; what several of them say of machines and inputs, and in which units."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.codec import FloatArray
from core.ingest.names import shown
from core.trial import Facts, Import, Metric


@dataclass(frozen=True)
class Located:
    """An import and where its file was: the path inside the folder that was given, or its bare name.

    Attributes
    ----------
    describes : of a file that describes machines, the formats whose runs these are; empty for any
    """

    path: str
    family: str
    imported: Import
    describes: tuple[str, ...] = ()


def united(parts: Iterable[Facts | None], notes: list[str]) -> Facts | None:
    """Return the facts of all files; where two contradict each other the first counts, and that is noted."""
    known = [facts for facts in parts if facts is not None]
    if not known:
        return None
    keys = tuple(dict.fromkeys(key for facts in known for key in facts.keys))
    metrics: dict[str, Metric] = {}
    for metric in (metric for facts in known for metric in facts.metrics):
        metrics.setdefault(metric.name, metric)
    places = {key: row for row, key in enumerate(keys)}
    columns = {name: i for i, name in enumerate(metrics)}
    values = np.full((len(keys), len(metrics)), np.nan)
    labels: dict[str, list[str]] = {}
    for facts in known:
        at, names = [places[key] for key in facts.keys], [metric.name for metric in facts.metrics]
        for j in filled(values, at, [columns[name] for name in names], facts.values):
            notes.append(f"'{shown(names[j])}' differs between the files of the run: the first value counts.")
        fill_labels(labels, facts.labels, at, len(keys))
    return Facts(keys, tuple(metrics.values()), values, {name: tuple(texts) for name, texts in labels.items()})


def fill_labels(labels: dict[str, list[str]], new: Mapping[str, Sequence[str]], rows: Sequence[int], n: int) -> None:
    """Put new texts where some of `n` rows of the labels have none, in place."""
    for name, texts in new.items():
        own = labels.setdefault(name, [""] * n)
        for row, text in zip(rows, texts, strict=True):
            own[row] = own[row] or text


def about(facts: Facts, keys: Container[tuple[str, ...]]) -> Facts | None:
    """Return what the facts say of some keys; None if nothing."""
    rows = [row for row, key in enumerate(facts.keys) if key in keys]
    return facts.take(rows) if rows else None


def with_name(machines: Facts | None, name: str) -> Facts | None:
    """Return the facts about a machine without a name as facts about the one that is called so."""
    if machines is None or ("",) not in machines.keys or (name,) in machines.keys:
        return machines
    return replace(machines, keys=tuple((key[0] or name,) for key in machines.keys))


def filled(values: FloatArray, rows: Sequence[int], columns: Sequence[int], new: FloatArray) -> dict[int, float]:
    """Put new values where some rows and columns of `values` have none, in place.

    Returns
    -------
    By column of `new`, how far it lies at most from what was there, as a share, where the two differ.
    """
    where = np.ix_(np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64))
    before = values[where]
    missing = np.isnan(before)
    values[where] = np.where(missing, new, before)
    differ = ~missing & ~np.isnan(new) & (before != new)
    found = {}
    for j in np.flatnonzero(differ.any(axis=0)).tolist():
        old, own = before[differ[:, j], j], new[differ[:, j], j]
        found[j] = float((np.abs(old - own) / np.maximum(np.abs(old), np.abs(own))).max())
    return found


def original_units(files: Sequence[Located]) -> dict[str, str]:
    """Return each metric's unit as the first of the files wrote it."""
    found: dict[str, str] = {}
    for file in files:
        for name, unit in file.imported.original_units.items():
            found.setdefault(name, unit)
    return found
