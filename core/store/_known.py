"""Trials that an earlier file brought: a file grows, and what it had is not to count twice."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from core.codec import BoolArray, Frozen, IntArray
from core.errors import count
from core.store._connection import Cursor, every
from core.store._metric_ids import Names
from core.store._read import CELLS, scatter
from core.store._rows import among
from core.store._trial_rows import input_ids, machine_ids, repeats, value_codes
from core.texts import coded, combined
from core.trial import Kind, Trials

_LEAST, _MOST = 3, 16
"""Trials of a file under which others are the same by chance, and earlier files that are looked at."""


class _File(Frozen):
    id: int
    name: str
    imported: datetime
    n_trials: int


def known_trials(
    cursor: Cursor, home: int, source: str, trials: Trials, metrics: Sequence[int], names: Names
) -> tuple[BoolArray, list[str]]:
    """Return which trials earlier files of the dataset brought, shape (n_trials,), and a sentence for each such file.

    A file counts if every trial of it is among these, equal in all that was measured, set and told; where half of
    them are, that is said alone. Of many files those of the same name are looked at, the latest ones.

    Parameters
    ----------
    source : the name of the file that the trials come from
    metrics : ids of the trials' metrics
    """
    known, said = np.zeros(len(trials), dtype=bool), list[str]()
    for file in _files(cursor, home, source, trials, metrics):
        own, theirs = _keys(cursor, file, trials, metrics, names)
        wanted, rows = np.bincount(theirs, minlength=int(own.max()) + 1), np.flatnonzero(~known)
        there = np.bincount(own[rows], minlength=len(wanted))
        n, whole = int(np.minimum(wanted, there).sum()), count(file.n_trials, "trial")
        of = f"{file.name}, imported on {file.imported:%Y-%m-%d %H:%M}, stand here again"
        if n == file.n_trials:
            known[rows[repeats(own[rows]) <= wanted[own[rows]]]] = True
            said.append(f"{whole} of {of}: they are not stored twice")
        elif 2 * n >= file.n_trials:
            said.append(f"{n} of {whole} of {of} and count twice: the others are not the same")
    return known, said


def _files(cursor: Cursor, home: int, source: str, trials: Trials, metrics: Sequence[int]) -> Iterator[_File]:
    """Yield earlier files, the latest first, of whose first response, or metric, these trials have most values."""
    if not metrics:
        return
    sql = "SELECT id, name, imported, n_trials FROM source WHERE dataset = ? AND n_trials BETWEEN ? AND ? ORDER BY id"
    files = [_File(*row) for row in every(cursor, sql, [home, _LEAST, len(trials)])]
    if len(files) > _MOST:
        files = [file for file in files if file.name == source][-_MOST:]
    if not files:
        return
    told = next((j for j, metric in enumerate(trials.metrics) if metric.kind is Kind.RESPONSE), 0)
    found = cursor.execute(
        "SELECT t.source, m.value FROM trial t JOIN measurement m ON m.trial = t.number "
        f"WHERE {among('t.source', [file.id for file in files])} AND m.metric = ?",
        [metrics[told]],
    ).fetchnumpy()
    here = found["source"][np.isin(found["value"], trials.values[:, told])]
    yield from (file for file in reversed(files) if 2 * int((here == file.id).sum()) >= file.n_trials)


def _keys(
    cursor: Cursor, file: _File, trials: Trials, metrics: Sequence[int], names: Names
) -> tuple[IntArray, IntArray]:
    """Return a number per trial, and per trial of the file, that is the same where all that is known is the same."""
    stored = cursor.execute(
        "SELECT number, input, machine FROM trial WHERE source = ? ORDER BY number", [file.id]
    ).fetchnumpy()
    numbers = np.asarray(stored["number"], dtype=np.int64)
    keys = combined(
        np.concatenate([input_ids(trials, names), stored["input"]]),
        np.concatenate([machine_ids(trials, names), stored["machine"]]),
    )
    span = [int(numbers[0]), int(numbers[-1])]
    further = cursor.execute(
        "SELECT m.trial FROM measurement m JOIN metric k ON k.id = m.metric "
        f"WHERE m.trial BETWEEN ? AND ? AND k.rule = '' AND NOT ({among('m.metric', metrics)})",
        span,
    ).fetchnumpy()["trial"]
    more = np.concatenate([np.zeros(len(trials), dtype=np.int64), np.isin(numbers, further)])
    keys = combined(keys, more)
    for codes in (*_labels(cursor, numbers, trials), *_values(cursor, numbers, trials, metrics)):
        keys = combined(keys, codes)
    return keys[: len(trials)], keys[len(trials) :]


def _labels(cursor: Cursor, numbers: IntArray, trials: Trials) -> Iterator[IntArray]:
    """Yield per label what it is in the trials and in those that are stored, as numbers."""
    sql = "SELECT name, trial, value FROM trial_label WHERE trial BETWEEN ? AND ?"
    stored: dict[str, dict[int, str]] = {}
    for name, trial, text in every(cursor, sql, [int(numbers[0]), int(numbers[-1])]):
        stored.setdefault(str(name), {})[int(trial)] = str(text)
    for name in {**trials.labels, **stored}:
        own, theirs = trials.labels.get(name, [""] * len(trials)), stored.get(name, {})
        yield coded([*own, *(theirs.get(number, "") for number in numbers.tolist())]).codes.astype(np.int64)


def _values(cursor: Cursor, numbers: IntArray, trials: Trials, metrics: Sequence[int]) -> Iterator[IntArray]:
    """Yield per metric its values in the trials and in those that are stored, as numbers."""
    step = max(1, CELLS // len(numbers))
    for start in range(0, len(metrics), step):
        some = metrics[start : start + step]
        stored = np.full((len(some), len(numbers)), np.nan)
        scatter(cursor, numbers, some, stored)
        for own, theirs in zip(trials.values.T[start : start + step], stored, strict=True):
            yield value_codes(np.concatenate([own, theirs]))[0].astype(np.int64)
