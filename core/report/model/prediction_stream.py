"""Predictions for tables of any size, part by part."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from core import arrow
from core.codec import FloatArray
from core.errors import PredictError
from core.ingest import SourceFile, Table
from core.ingest.table.threads import in_threads
from core.pipeline import FittedPipeline, Predictions
from core.report.model.nearest import Near, nearest_trials
from core.report.model.predictions import (
    COLUMNS,
    NEAREST,
    Said,
    plain_predictions,
    predict_file,
    predict_table,
    refuse_taken_names,
    scores_of,
)
from core.validate.scores import Scores

T = TypeVar("T")

MOST_SCORED = 1_000_000
"""Rows with a measured response that are scored; of longer tables nothing is scored, as all would have to be kept."""


@dataclass(frozen=True)
class PredictedPart:
    """Some rows of a table with their predictions.

    Attributes
    ----------
    observed : array of shape (n_rows,), what the table says of the response; None if it does not
    nearest : per row, the nearest training trials that the model keeps; None if nobody asked
    """

    table: Table
    predictions: Predictions
    observed: FloatArray | None
    nearest: Sequence[Sequence[Near]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The table's own columns, letter for letter, and what stands beside them."""
        return (*self.table.headers, *COLUMNS, *((NEAREST,) if self.nearest is not None else ()))

    def plain(self) -> list[dict[str, Any]]:
        """Return the predictions for JSON; null where there is none."""
        return plain_predictions(self.predictions, self.nearest or ())

    def arrays(self) -> list[Any]:
        """Return these columns as Arrow arrays: the table's own as they are, null for no number."""
        p = self.predictions
        numbers = [arrow.numbers(values, nan_is_null=True) for values in (p.value, p.low, p.high)]
        said = [arrow.numbers(p.in_domain), arrow.texts(p.why)]
        if self.nearest is not None:
            said.append(arrow.texts(["; ".join(map(str, near)) for near in self.nearest]))
        return [*(cells.array for cells in self.table.columns), *numbers, *said]


@dataclass
class Tally:
    """What the parts add up to, so far."""

    n_rows: int = 0
    n_in_domain: int = 0
    n_refused: int = 0
    n_observed: int = 0
    _kept: list[tuple[FloatArray, ...]] = field(default_factory=list)

    def add(self, part: PredictedPart) -> None:
        """Take the next part."""
        p = part.predictions
        self.n_rows += len(p.value)
        self.n_in_domain += int(np.count_nonzero(p.in_domain))
        self.n_refused += int(np.count_nonzero(np.isnan(p.value)))
        if part.observed is not None:
            there = np.flatnonzero(np.isfinite(part.observed))
            self.n_observed += len(there)
            if self.n_observed > MOST_SCORED:
                self._kept = []
            else:
                self._kept.append(tuple(values[there] for values in (part.observed, p.value, p.low, p.high)))

    def scores(self) -> Scores | None:
        """Return the scores of the rows whose response is known; None if there are none, or more than are scored."""
        if not self._kept or self.n_observed > MOST_SCORED:
            return None
        y, value, low, high = (np.concatenate(columns) for columns in zip(*self._kept, strict=True))
        n = len(y)
        said = Predictions(value, low, high, np.ones(n, dtype=bool), ("",) * n, np.zeros(n, dtype=np.int64))
        return scores_of(y, said)


def predicted_parts(
    model: FittedPipeline, tables: Iterator[Table], then: Callable[[PredictedPart], T], nearest: int = 0
) -> Iterator[tuple[PredictedPart, T]]:
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
    refuse_taken_names(first)
    said, style = predict_table(model, first)
    part = _part(model, first, said, nearest)
    yield part, then(part)

    def work(table: Table) -> tuple[PredictedPart, T]:
        _refuse_other(first, table)
        said, _ = predict_table(model, table, style if table.separator == first.separator else None)
        part = _part(model, table, said, nearest)
        return part, then(part)

    yield from in_threads(work, tables)


def predicted_whole(
    model: FittedPipeline, file: SourceFile, machines: SourceFile | None, inputs: SourceFile | None, nearest: int = 0
) -> PredictedPart:
    """Return the rows of a file that fits into memory, with metrics of machines and inputs joined from other files.

    Raises
    ------
    ReadError, PredictError
        As `predict_file`.
    """
    found = predict_file(model, file, machines, inputs, nearest)
    return PredictedPart(found.table, found.predictions, found.observed, found.nearest if nearest > 0 else None)


def _part(model: FittedPipeline, table: Table, said: Said, nearest: int) -> PredictedPart:
    near = nearest_trials(model, said.X, nearest) if nearest > 0 else None
    return PredictedPart(table, said.predictions, said.observed, near)


def _refuse_other(first: Table, table: Table) -> None:
    if table.headers != first.headers:
        other = next((h for h in table.headers if h not in first.headers), "")
        which = f"column '{other}' is in one of them alone" if other else "their order or number differs"
        raise PredictError(f"{first.source} and {table.source} have different columns: {which}. Make them alike.")
