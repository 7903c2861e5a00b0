"""Predictions for the rows of a file: the file's own columns, and what the model says beside them."""

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core import arrow
from core.codec import FloatArray, Frozen, finite
from core.errors import LackingError, PredictError, ReadError, RidgelineError, first_few
from core.ingest import Mapping as ColumnMapping
from core.ingest import SourceFile, Table, apply, called_as, in_unit_of, read_table, trials_of
from core.ingest.joining.merge import join_inputs, join_machines, labels_per_trial, per_trial
from core.ingest.names import NOT_GIVEN, shown
from core.ingest.recognition.apply import refuse_words
from core.ingest.table.columns import (
    Column,
    not_numbers,
    only_missing,
    refuse_ambiguous,
    refused,
    rounded,
    study,
    study_further,
)
from core.ingest.table.numbers import Style
from core.pipeline import FittedPipeline, Predictions
from core.report.shared.csv_text import to_csv
from core.trial import ROLES, Import, Kind, Metric, levels_of
from core.validate.scores import Scores, score

if TYPE_CHECKING:
    import pandas as pd

    from core.report.model.why import Near

_Facts = tuple[SourceFile | None, SourceFile | None]
COLUMNS = ("prediction", "low", "high", "in_domain", "why")
NEAREST = "nearest"


class PredictedRows(Frozen):
    """Rows of a table, or of a part of one, with their predictions.

    Attributes
    ----------
    table : the rows as they were read
    response : what is predicted, with its unit
    X : array of shape (n_rows, n_metrics), what the model was asked; NaN where the table has no value
    observed : array of shape (n_rows,), NaN where the table does not have it; None if it has no such column
    nearest : per row, the nearest training trials that the model keeps; None if nobody asked
    """

    table: Table
    response: Metric
    X: FloatArray
    predictions: Predictions
    observed: FloatArray | None
    nearest: "Sequence[Sequence[Near]] | None" = None

    def __len__(self) -> int:
        return len(self.predictions.value)

    @property
    def names(self) -> tuple[str, ...]:
        """The table's own columns, letter for letter, and what stands beside them."""
        return (*self._own.headers, *COLUMNS, *((NEAREST,) if self.nearest is not None else ()))

    @cached_property
    def _own(self) -> Table:
        return self.table.as_written

    @cached_property
    def scores(self) -> Scores | None:
        """The scores of the rows whose response is known, or None if there are none."""
        if self.observed is None or not np.isfinite(self.observed).any():
            return None
        there, p = np.isfinite(self.observed), self.predictions
        return score(self.observed[there], p.value[there], p.low[there], p.high[there])

    @property
    def n_in_domain(self) -> int:
        """How many rows are inside the trained range in every metric."""
        return int(self.predictions.in_domain.sum())

    @property
    def n_refused(self) -> int:
        """How many rows have no prediction."""
        return int(np.isnan(self.predictions.value).sum())

    @property
    def first_outside(self) -> int:
        """The number of the first row outside the domain, 0 if there is none."""
        return next((i for i, inside in enumerate(self.predictions.in_domain) if not inside), 0)

    def frame(self) -> "pd.DataFrame":
        """Return the table's columns as texts, then prediction, low, high, in_domain and why, and nearest trials."""
        import pandas as pd

        own = pd.DataFrame(self._own.head(len(self)), columns=list(self._own.headers), dtype=str)
        p = self.predictions
        columns = (p.value, p.low, p.high, p.in_domain, list(p.why), *self._near())
        return own.assign(**dict(zip(self.names[len(self._own.headers) :], columns, strict=True)))

    def to_csv(self) -> str:
        """Return `frame` as CSV; numbers keep every digit, and no cell is a formula."""
        return to_csv(self.frame())

    def arrays(self) -> list[Any]:
        """Return the columns of `names` as Arrow arrays: the table's own as they are, null for no number."""
        p = self.predictions
        numbers = [arrow.numbers(values, nan_is_null=True) for values in (p.value, p.low, p.high)]
        said = [arrow.numbers(p.in_domain), arrow.texts(p.why), *map(arrow.texts, self._near())]
        return [*(cells.array for cells in self._own.columns), *numbers, *said]

    def plain(self) -> list[dict[str, Any]]:
        """Return the predictions for JSON, with the nearest training trials where asked; null for no number."""
        p = self.predictions
        columns = [values.tolist() for values in (p.value, p.low, p.high, p.in_domain)]
        found = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*columns, p.why, strict=True)]
        for row, near in zip(found, self.nearest or (), strict=False):
            row[NEAREST] = [asdict(one) for one in near]
        return list(finite(found))

    def _near(self) -> list[list[str]]:
        """Return the column of nearest trials; none if nobody asked."""
        return [] if self.nearest is None else [["; ".join(map(str, near)) for near in self.nearest]]


def predict_file(
    model: FittedPipeline,
    file: SourceFile,
    machines: SourceFile | None = None,
    inputs: SourceFile | None = None,
    nearest: int = 0,
    written: bool = True,
) -> PredictedRows:
    """Predict the rows of a CSV, one prediction per row, or of any other file what an import makes of it.

    Parameters
    ----------
    machines, inputs : further CSVs with metrics of machines, or of applications and inputs, joined
        as they are when trials are imported
    nearest : training trials to name beside each row
    written : whether predictions will be written beside the file's columns, none of which may be called like them then

    Raises
    ------
    ReadError
        If a file is no table.
    PredictError
        If a metric of the model is in none of them, or in another unit; LackingError in the first case.
    """
    facts = machines, inputs
    try:
        table = called_as(read_table(file), (*model.metrics, model.response))
    except ReadError as error:
        return _predict_imported(model, file, facts, nearest, written, error)
    if written:
        refuse_taken_names(model, table)
    try:
        return _with_facts(model, table, apply(table, _mapping(model, table)), facts, nearest)
    except LackingError as error:
        return _predict_imported(model, file, facts, nearest, written, error)


def _predict_imported(
    model: FittedPipeline, file: SourceFile, facts: _Facts, nearest: int, written: bool, wrong: RidgelineError
) -> PredictedRows:
    """Predict the trials that an import makes of a file whose rows are none that a model can be asked.

    They are a profiler's launches, a tuner's cache, or columns of one outcome beside each other.

    Parameters
    ----------
    facts : further files with metrics of machines, and of applications and inputs
    wrong : why the rows are none, which is raised where no table of an import has what the model needs either
    """
    with suppress(RidgelineError):
        for table, imported in trials_of(file):
            if written:
                refuse_taken_names(model, table)
            with suppress(PredictError):
                return _with_facts(model, table, imported, facts, nearest)
    raise wrong


def _with_facts(model: FittedPipeline, table: Table, imported: Import, facts: _Facts, nearest: int) -> PredictedRows:
    machines, inputs = facts
    imported = join_machines(imported, machines, missing="keep") if machines else imported
    imported = join_inputs(imported, inputs, missing="keep") if inputs else imported
    told = {name: texts for name, texts in labels_per_trial(imported).items() if name not in table.names}
    labels = {**told, **_roles(_asked_roles(model, table), imported)}
    return _predicted(model, table, imported.source, per_trial(imported), labels, nearest, {})


def _asked_roles(model: FittedPipeline, table: Table) -> list[str]:
    """Return the roles whose names are metrics of a model, such as `application=gemm`, but those that are a column."""
    told = {name.partition("=")[0] for name in model.names if "=" in name}
    return [role for role in ROLES if role in told and role not in table.names]


def _roles(asked: Sequence[str], imported: Import) -> dict[str, Sequence[str]]:
    """Return the names of what ran, or where, whatever their columns are called; nothing where no column says."""
    texts = {role: tuple(getattr(imported.trials, role)) for role in asked}
    return {role: own for role, own in texts.items() if any(own)}


def predict_table(
    model: FittedPipeline, table: Table, style: Style | None = None, nearest: int = 0
) -> tuple[PredictedRows, Style]:
    """Predict the rows of a table from its own columns alone.

    Parameters
    ----------
    style : how the table's earlier parts write numbers; None if this is the first part
    nearest : training trials to name beside each row

    Returns
    -------
    The rows with what the model says, and how the table writes numbers.
    """
    table = called_as(table, (*model.metrics, model.response))
    needed = {*model.names, *levels_of(model.metrics, table.names), model.response.name}
    own = table.of([i for i, name in enumerate(table.names) if name in needed])
    if not own.names:
        _refuse_missing(model, table.source, ())
    if style is not None:
        study_further(own, style)
    found = study(own)
    columns = [rounded(own, column) if column.name in model.names else column for column in found.columns]
    known = {column.name: _column(model, own, column, begins=style is None) for column in columns}
    unread = _unread(own, [column for column in columns if column.name in model.names])
    asked = _asked_roles(model, table)
    roles = _roles(asked, apply(table, _mapping(model, table))) if asked else {}
    return _predicted(model, table, table.source, known, roles, nearest, unread), found.style


def _column(model: FittedPipeline, table: Table, column: Column, *, begins: bool) -> tuple[Metric, FloatArray]:
    """Return the numbers of a column; a response that holds words alone is refused where the table begins."""
    if column.kind == "ambiguous":
        refuse_ambiguous(table, column)
    if begins and column.name == model.response.name and not only_missing(table, column):
        refuse_words(table, column, "response")
    return Metric(column.name, Kind.COUNTER, column.unit), column.numbers.values


def _unread(table: Table, columns: Sequence[Column]) -> dict[int, str]:
    """Return which rows have a cell that is no number where one is needed, and what is there."""
    found: dict[int, str] = {}
    for cells in refused(table, [not_numbers(column, "metric") for column in columns]):
        for row in cells.rows.tolist():
            found.setdefault(row, cells.why(table, row))
    return found


def _predicted(
    model: FittedPipeline,
    table: Table,
    source: str,
    known: Mapping[str, tuple[Metric, FloatArray]],
    labels: Mapping[str, Sequence[str]],
    nearest: int,
    unread: Mapping[int, str],
) -> PredictedRows:
    told, unknown = _indicators(model, table, labels)
    unknown |= unread
    every = {**known, **told}
    _refuse_missing(model, source, every)
    columns = {
        metric.name: in_unit_of(metric, every[metric.name][0].unit, every[metric.name][1], source)
        for metric in (*model.metrics, model.response)
        if metric.name in every
    }
    observed = columns.get(model.response.name)
    X = model.with_unset(np.column_stack([columns[name] for name in model.names]))
    predictions = model.predict(X)
    if unknown:
        why = tuple(f"no prediction: {unknown[i]}" if i in unknown else text for i, text in enumerate(predictions.why))
        predictions = replace(predictions, why=why)
    near = None
    if nearest > 0:
        from core.report.model.why import nearest_trials

        near = nearest_trials(model, X, nearest)
    return PredictedRows(table, model.response, X, predictions, observed, near)


def _mapping(model: FittedPipeline, table: Table) -> ColumnMapping:
    """Let the file's columns be what the model needs, whatever else their names would suggest."""
    metrics = tuple(n for n in model.names if n in table.names)
    response = ((model.response.name, None),) if model.response.name in table.names else ()
    return ColumnMapping(metrics=metrics, responses=response, missing="keep", needs_numbers=False)


def _indicators(
    model: FittedPipeline, table: Table, labels: Mapping[str, Sequence[str]]
) -> tuple[dict[str, tuple[Metric, FloatArray]], dict[int, str]]:
    """Return metrics such as `layout=row` from a column or a label `layout`, and which rows say nothing known, and how.

    They are 1 where it says row, else 0, also of a text that the model does not tell from others that it learnt from.

    Where a cell says nothing that the model knows, there is no value, so that nothing is predicted.
    """
    means = dict(zip(model.names, model.domain.centre, strict=False))  # an old file has none: several texts are all
    found: dict[str, tuple[Metric, FloatArray]] = {}
    said: dict[int, str] = {}
    for column, levels in levels_of(model.metrics, [*table.names, *labels]).items():
        own = labels[column] if column in labels else table.columns[table.names.index(column)].texts()
        texts = np.array([text or NOT_GIVEN for text in own] if NOT_GIVEN in levels else own, dtype=object)
        every = sum(means.get(metric.name, 0.5) for metric in levels.values()) > 1 - 1e-9
        unknown = ~np.isin(texts, list(levels)) if every else texts == ""
        for level, metric in levels.items():
            found[metric.name] = (metric, np.where(unknown, np.nan, (texts == level).astype(np.float64)))
        for row in np.flatnonzero(unknown).tolist():
            text = f"'{shown(texts[row])}', which no trial of the training has" if every else "missing"
            said[row] = f"{column} is {text}"
    return found, said


def _refuse_missing(model: FittedPipeline, source: str, known: Container[str]) -> None:
    missing = [n for n in model.names if n not in known]
    if missing:
        begun = [n.partition("=")[0] for n in missing]
        columns = dict.fromkeys(b if begun.count(b) > 1 else n for b, n in zip(begun, missing, strict=True))
        lacking = first_few([f"'{n}'" for n in columns])
        remedy = "Add the columns, or give a CSV of machine metrics or of input metrics that has them."
        if set(columns) <= set(ROLES):
            remedy = f"Call the column so that holds names such as '{missing[0].partition('=')[2]}'."
        counted = [n for n, metric in zip(model.names, model.metrics, strict=True) if metric.kind is Kind.COUNTER]
        if set(columns) <= set(counted):  # of what has not run nobody has them
            each = "It is measured with each run: add the column"
            each = each if len(columns) == 1 else "They are measured with each run: add the columns"
            remedy = f"{each}, or for what has not run train a model without (--no-counters)."
        start = f"{model.response.name} on "
        host = next((n.removeprefix(start) for n in missing if n.startswith(start)), "")
        if host and model.response.name in known and all(n.endswith(f" on {host}") for n in missing):
            remedy = f"Call the columns that were measured on {host} so: '{model.response.name}' is '{start}{host}'."
        raise LackingError(f"{source} does not have {lacking}, which the model needs. {remedy}")


def refuse_taken_names(model: FittedPipeline, table: Table) -> None:
    """Raise PredictError if a column is called as one that will be written."""
    for name in table.headers:
        if name in (*COLUMNS, NEAREST):
            again = " and train the model again, which needs it" if name in model.names else ""
            said = f"{table.source} has a column '{name}' already, which would be written. Rename it{again}."
            raise PredictError(said)
