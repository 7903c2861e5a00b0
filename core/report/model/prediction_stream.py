"""Predictions for tables of any size, part by part."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from core.codec import FloatArray
from core.errors import PredictError
from core.ingest import Table
from core.ingest.table.rows import in_threads
from core.pipeline import FittedPipeline
from core.report.model.predictions import PredictedRows, predict_table, refuse_taken_names
from core.validate.scores import Scores, score

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
