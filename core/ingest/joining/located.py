"""An import and where its file was; what several of them say of machines and inputs, and in which units."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from core.ingest._names import shown
from core.trial import Facts, Import


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
    metrics = {m.name: m for facts in reversed(known) for m in reversed(facts.metrics)}
    places = {key: row for row, key in enumerate(keys)}
    columns = {name: i for i, name in enumerate(metrics)}
    values = np.full((len(keys), len(metrics)), np.nan)
    labels: dict[str, list[str]] = {}
    for facts in known:
        at = [places[key] for key in facts.keys]
        for j, metric in enumerate(facts.metrics):
            column, new = values[:, columns[metric.name]], facts.values[:, j]
            if (~np.isnan(column[at]) & ~np.isnan(new) & (column[at] != new)).any():
                notes.append(f"'{shown(metric.name)}' differs between the files of the run: the first value counts.")
            column[at] = np.where(np.isnan(column[at]), new, column[at])
        for name, texts in facts.labels.items():
            own = labels.setdefault(name, [""] * len(keys))
            for row, text in zip(at, texts, strict=True):
                own[row] = own[row] or text
    return Facts(keys, tuple(metrics.values()), values, {name: tuple(texts) for name, texts in labels.items()})


def original_units(files: Sequence[Located]) -> dict[str, str]:
    """Return each metric's unit as the first of the files wrote it."""
    found: dict[str, str] = {}
    for file in files:
        for name, unit in file.imported.original_units.items():
            found.setdefault(name, unit)
    return found
