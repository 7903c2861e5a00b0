"""Letters, as `inbox.py` read them from its files, become few and dense imports, which it hands to the store."""

from collections.abc import Iterator, Sequence
from datetime import date

import numpy as np

from core.store._letter import Letter
from core.store.cards import Delivery
from core.trial import ROLES, Import, Kind, Metric, Trials

FORMAT = "inbox"
_CELLS = 5_000_000
"""Cells of one import at most; what is wider goes into another."""


def gather(letters: Sequence[Letter], day: date) -> list[Delivery]:
    """Return imports of these trials, few and dense, in the order they came; each day has one source."""
    groups: dict[tuple[str, tuple[str, ...]], list[Letter]] = {}
    for letter in letters:
        groups.setdefault((letter.dataset, _settings(letter)), []).append(letter)
    pieces = ((dataset, some) for (dataset, _), group in groups.items() for some in _pieces(group))
    return [Delivery(dataset, _import(some, day), grows=True) for dataset, some in pieces]


def _settings(letter: Letter) -> tuple[str, ...]:
    """Return the names of what was set, so that trials of one import have all been set alike."""
    return tuple(sorted([m.name for m in letter.metrics if m.kind == Kind.PARAMETER])) + tuple(letter.parameters)


def _pieces(letters: Sequence[Letter]) -> Iterator[list[Letter]]:
    """Cut where a table of all metrics would have too many cells."""
    piece: list[Letter] = []
    columns: set[Metric] = set()
    for letter in letters:
        wider = columns | letter.metrics.keys()
        if piece and len(wider) * (len(piece) + 1) > _CELLS:
            yield piece
            piece, wider = [], set(letter.metrics)
        piece.append(letter)
        columns = wider
    yield piece


def _import(letters: Sequence[Letter], day: date) -> Import:
    metrics = _metrics(letters)
    place = {metric: j for j, metric in enumerate(metrics)}
    values = np.full((len(letters), len(metrics)), np.nan)
    for row, letter in zip(values, letters, strict=True):
        row[[place[m] for m in letter.metrics]] = list(letter.metrics.values())
    labels = dict.fromkeys(name for letter in letters for name in letter.labels)
    trials = Trials(
        **{role: tuple(getattr(letter, role) for letter in letters) for role in ROLES},
        metrics=metrics,
        values=values,
        labels={name: tuple(letter.labels.get(name, "") for letter in letters) for name in labels},
        parameters=letters[0].parameters,
        ids=tuple(letter.id for letter in letters),
    )
    return Import(source=f"inbox of {day}", sha256=f"inbox {day}", format=FORMAT, trials=trials)


def _metrics(letters: Sequence[Letter]) -> tuple[Metric, ...]:
    """Return all metrics in the order they came, parameters by name, so that settings read alike."""
    found = dict.fromkeys(metric for letter in letters for metric in letter.metrics)
    return tuple(sorted(found, key=lambda m: m.name if m.kind == Kind.PARAMETER else ""))
