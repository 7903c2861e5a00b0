"""Rows of a file beside what a model says of them: as measurements of configurations, or streamed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from core.codec import FloatArray, Frozen
from core.errors import OptionError, PredictError, ReadError
from core.grouped import group
from core.ingest import SourceFile, Table, in_unit_of, read_table, trials_of
from core.ingest.joining.merge import per_trial
from core.ingest.recognition.words import APPLICATION, HASH, STAMP, speaks
from core.ingest.table.columns import study
from core.ingest.table.rows import in_threads
from core.pipeline import FittedPipeline, Predictions
from core.report.model.predictions import PredictedRows, predict_table, refuse_taken_names
from core.trial import Kind, Metric
from core.validate.record import far_above
from core.validate.scores import Scores, score

if TYPE_CHECKING:
    from core.report.model.checked import Question

SET = (Kind.PARAMETER, Kind.DETERMINISTIC)
"""Kinds of metrics that are known before a run."""


class Measured(Frozen):
    """A configuration as a file measured it.

    Attributes
    ----------
    group : what an alarm about it would name
    y : array of shape (n_measurements,), repeats of one run being one
    said, low, high, far : medians over its rows of prediction, interval and distance in half widths; NaN where unknown
    why : why the model's prediction cannot be relied on, "" if it can
    """

    name: str
    group: str
    y: FloatArray
    said: float
    low: float
    high: float
    far: float
    why: str


def without_model(
    file: SourceFile, response: str = "", like: Metric | None = None
) -> tuple[PredictedRows, list[Metric]]:
    """Return the trials that an import makes of a file, of which no model says anything, and their metrics.

    Rows keep the file's own columns where each is a trial.

    Parameters
    ----------
    response : its name; the file's first if not given
    like : the response of another file, which this one's is to be, in the same unit

    Raises
    ------
    ReadError
        If the file is not recognised.
    OptionError
        If it has no such metric, or none was named and it has no response.
    PredictError
        If the response of the other file is missing here, or in another unit.
    """
    tables = [(table, per_trial(imported)) for table, imported in trials_of(file)]
    known = {m.name: m for _, every in tables for m, _ in every.values()}
    name = like.name if like else response or next((n for n, m in known.items() if m.kind is Kind.RESPONSE), "")
    if like and name not in known:
        raise PredictError(f"{file.name} has no measured '{name}', or the same in each row. Add or correct it.")
    if not name:
        raise OptionError(f"{file.name} has no response. Name what is judged with --response METRIC.")
    if name not in known:
        raise OptionError(f"{file.name} has no metric '{name}'. It has: {', '.join(known)}.")
    table, every = next((table, every) for table, every in tables if name in every)
    metric, values = every[name]
    y = in_unit_of(like or metric, metric.unit, values, file.name)
    nothing = np.full(len(y), np.nan)
    said = Predictions(nothing, nothing, nothing, nothing == 0, ("",) * len(y), np.zeros(len(y), dtype=np.int64))
    rows = PredictedRows(_as_written(file, table), like or metric, np.empty((len(y), 0)), said, y)
    return rows, [m for m, _ in every.values()]


def _as_written(file: SourceFile, trials: Table) -> Table:
    """Return the table that a file is, whose columns people know, if its rows are the trials; else these."""
    with suppress(ReadError):
        if len(own := read_table(file)) == len(trials):
            return own
    return trials


def settled(metrics: Sequence[Metric], files: Sequence[PredictedRows], question: "Question") -> "Question":
    """Return a question with its columns: those given, else what holds text, and parameters that tell more apart.

    Columns that hold one text throughout each file, such as a commit, tell nothing apart, nor do those that name runs.
    Without `by`, alarms are about the finest of the columns that are called as what runs is.

    Parameters
    ----------
    metrics : of which those that are known before a run are parameters

    Raises
    ------
    OptionError
        If a column is in one of the files only, or in none.
    """
    columns, by, run = question.columns, question.by, question.run
    for file in files:
        for name in (*columns, *by, *([run] if run else ())):
            if name not in file.table.names:
                raise OptionError(f"{file.table.source} has no column '{name}'. It has: {', '.join(file.table.names)}.")
    chosen = tuple(dict.fromkeys([*columns, *by])) if columns else _usual(metrics, files, (run, *by), by)
    if by:
        return replace(question, columns=chosen)
    named = [name for name in chosen if name.casefold() in APPLICATION]
    finest = max(named, key=lambda name: len(set(_texts(files[0], name))), default="")
    return replace(question, columns=chosen, by=(finest,) if finest else chosen)


def _usual(
    metrics: Sequence[Metric], files: Sequence[PredictedRows], taken: Sequence[str], by: Sequence[str]
) -> tuple[str, ...]:
    first = files[0]
    shared = [c for c in study(first.table).columns if all(c.name in f.table.names for f in files)]
    free = [c for c in shared if c.name not in taken and not _names_runs(c.name, files)]
    told: dict[tuple[str, ...], str] = {}  # of columns with the same texts the first; a list names nothing
    for name in (c.name for c in free if c.kind in ("text", "identifier")):
        texts = tuple(_texts(first, name))
        if any(len(set(_texts(file, name))) > 1 for file in files) and not any(text.startswith("[") for text in texts):
            told.setdefault(texts, name)
    found = [*by, *told.values()]
    kinds = {m.name: m.kind for m in metrics}
    for name in (c.name for c in free if kinds.get(c.name) in SET):
        cells = [row for row in zip(*(_texts(first, one) for one in (*found, name)), strict=True) if row[-1]]
        if len(set(cells)) > len({row[:-1] for row in cells}):  # a cell without a value tells nothing apart
            found.append(name)
    return tuple(dict.fromkeys(found))


def _names_runs(name: str, files: Sequence[PredictedRows]) -> bool:
    """Whether a column holds dates, commits or identifiers of which no file has one of another."""
    texts = [set(_texts(file, name)) for file in files]
    every = set.union(*texts)
    marks = speaks(name, "identifier") or all(STAMP.fullmatch(t) or HASH.fullmatch(t) for t in every)
    return len(files) > 1 and marks and not set.intersection(*texts)


def measured(file: PredictedRows, keys: "Question", *, log: bool = False) -> dict[str, Measured]:
    """Return the configurations of a file by name, in the order of their names, told apart as `settled` has it.

    Parameters
    ----------
    log : whether the scale on which distances are measured is a logarithm

    Raises
    ------
    PredictError
        If the file does not have the response.
    """
    y = file.observed
    if y is None or not np.isfinite(y).any():
        raise PredictError(f"{file.table.source} has no measured '{file.response.name}'. Add that column.")
    there = np.flatnonzero(np.isfinite(y))
    p = file.predictions
    far = far_above(y, p.value, p.low, p.high, log=log)
    if log:  # what has no logarithm lies below everything that has one
        far[(y <= 0) & np.isfinite(p.low) & np.isfinite(p.high)] = -np.inf
    found, of = np.unique(np.array(_labels(file, keys.columns), dtype=object)[there], return_inverse=True)
    groups, run = _labels(file, keys.by), np.arange(len(file))
    if keys.run:
        run = np.unique(np.array(_texts(file, keys.run), dtype=object), return_inverse=True)[1].astype(np.int64)
    every = {}
    parts = np.split(there[np.argsort(of, kind="stable")], np.bincount(of).cumsum()[:-1])
    for name, own in zip(found.tolist(), parts, strict=True):
        value, low, high, away = (float(np.median(v[own])) for v in (p.value, p.low, p.high, far))
        why = next((p.why[j] for j in own if not p.in_domain[j]), "")
        values = group(y[own], run[own]).median() if keys.run else y[own]
        every[name] = Measured(name, groups[int(own[0])], values, value, low, high, away, why)
    return every


def unmeasured(file: PredictedRows, keys: "Question") -> set[str]:
    """Return the names of a file's configurations of which no row has the response."""
    known = np.zeros(len(file), dtype=bool) if file.observed is None else np.isfinite(file.observed)
    names = _labels(file, keys.columns)
    return set(names).difference(name for name, has in zip(names, known.tolist(), strict=True) if has)


def _labels(file: PredictedRows, columns: Sequence[str]) -> list[str]:
    """Name each row by its texts, numbers by their column too; by its number where there is no column."""
    if not columns:
        return [f"row {i + 1}" for i in range(len(file))]
    texts = [_texts(file, name) for name in columns]
    numeric = {c.name for c in study(file.table).columns if c.numeric}
    said = [
        [f"{name}={text}" if name in numeric else text for text in own]
        for name, own in zip(columns, texts, strict=True)
    ]
    return [" · ".join(row) for row in zip(*said, strict=True)]


def _texts(file: PredictedRows, name: str) -> list[str]:
    """Return the cells of a column; a number is written one way, however a file writes it."""
    place = file.table.names.index(name)
    column, texts = study(file.table).columns[place], list(file.table.columns[place].texts())
    if not column.numeric:
        return texts
    values = column.numbers.values.tolist()
    return [f"{value:.15g}" if isfinite(value) else text for value, text in zip(values, texts, strict=True)]


T = TypeVar("T")

MOST_SCORED = 1_000_000
"""Rows with a measured response that are scored; of longer tables nothing is scored, as all would have to be kept."""


@dataclass
class Tally:
    """What the parts add up to, so far."""

    n_rows: int = 0
    n_in_domain: int = 0
    n_refused: int = 0
    n_observed: int = 0
    _kept: list[tuple[FloatArray, ...]] = field(default_factory=list)

    def add(self, part: PredictedRows) -> None:
        """Take the next part."""
        p = part.predictions
        self.n_rows += len(part)
        self.n_in_domain += part.n_in_domain
        self.n_refused += part.n_refused
        if part.observed is not None:
            there = np.flatnonzero(np.isfinite(part.observed))
            self.n_observed += len(there)
            if self.n_observed > MOST_SCORED:
                self._kept = []
            else:
                self._kept.append(tuple(values[there] for values in (part.observed, p.value, p.low, p.high)))

    def scores(self) -> Scores | None:
        """Return the scores of the rows whose response is known; None if there are none, or more than are scored."""
        if not 0 < self.n_observed <= MOST_SCORED:
            return None
        return score(*(np.concatenate(columns) for columns in zip(*self._kept, strict=True)))


def predicted_parts(
    model: FittedPipeline, tables: Iterator[Table], then: Callable[[PredictedRows], T], nearest: int = 0
) -> Iterator[tuple[PredictedRows, T]]:
    """Yield the parts of a table with their predictions, in order, and what `then` makes of each.

    Parameters
    ----------
    then : called in other threads, as several parts are computed at once
    nearest : training trials to name beside each row

    Raises
    ------
    ReadError
        As the table's reader; or if a part writes numbers otherwise than the first.
    PredictError
        If a metric of the model is in no column, or in another unit.
    """
    first = next(tables)
    refuse_taken_names(model, first)
    part, style = predict_table(model, first, None, nearest)
    yield part, then(part)

    def work(table: Table) -> tuple[PredictedRows, T]:
        _refuse_other(first, table)
        part, _ = predict_table(model, table, style if table.separator == first.separator else None, nearest)
        return part, then(part)

    yield from in_threads(work, tables)


def _refuse_other(first: Table, table: Table) -> None:
    if table.headers != first.headers:
        other = next((h for h in table.headers if h not in first.headers), "")
        which = f"column '{other}' is in one of them alone" if other else "their order or number differs"
        raise PredictError(f"{first.source} and {table.source} have different columns: {which}. Make them alike.")
