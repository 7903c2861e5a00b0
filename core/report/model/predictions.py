"""Predictions for the rows of a file: the file's own columns, and what the model says beside them."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from core.codec import FloatArray
from core.errors import PredictError
from core.ingest import Mapping as ColumnMapping
from core.ingest import SourceFile, Table, apply, join_inputs, join_machines, labels_per_trial, per_trial, read_table
from core.ingest.names import shown
from core.ingest.recognition.apply import refuse_words
from core.ingest.table.columns import Column, only_missing, refuse_ambiguous, study, study_further
from core.ingest.table.numbers import Style
from core.pipeline import FittedPipeline, Predictions
from core.report.model.nearest import Near, nearest_trials
from core.report.shared.csv_text import to_csv
from core.trial import Kind, Metric
from core.validate.scores import Scores, score

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("prediction", "low", "high", "in_domain", "why")
NEAREST = "nearest"


@dataclass(frozen=True)
class PredictedRows:
    """Rows of a file with their predictions.

    Attributes
    ----------
    names, rows : the file's own columns, letter for letter
    table : these, as they were read
    response : what is predicted, with its unit
    observed : array of shape (n_rows,), NaN where the file does not have it; or None
    scores : of the rows that have both, or None
    X : array of shape (n_rows, n_metrics), what the model was asked; NaN where the file has no value
    nearest : per row, the nearest training trials that the model keeps; empty if nobody asked
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    table: Table
    response: Metric
    predictions: Predictions
    observed: FloatArray | None
    scores: Scores | None
    X: FloatArray
    nearest: Sequence[Sequence[Near]] = ()

    def __len__(self) -> int:
        return len(self.rows)

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
        """Return the file's columns as texts, then prediction, low, high, in_domain and why, and nearest trials."""
        import pandas as pd

        own = pd.DataFrame(self.rows, columns=list(self.names), dtype=str)
        p = self.predictions
        columns = (p.value, p.low, p.high, p.in_domain, list(p.why))
        near = {NEAREST: ["; ".join(map(str, row)) for row in self.nearest]} if self.nearest else {}
        return own.assign(**dict(zip(COLUMNS, columns, strict=True)), **near)

    def to_csv(self) -> str:
        """Return `frame` as CSV; numbers keep every digit, and no cell is a formula."""
        return to_csv(self.frame())


@dataclass(frozen=True)
class Said:
    """What a model was asked for the rows of a table, and what it says.

    Attributes
    ----------
    X : array of shape (n_rows, n_metrics); NaN where the table has no value
    observed : array of shape (n_rows,), what the table says of the response; None if it does not
    """

    X: FloatArray
    predictions: Predictions
    observed: FloatArray | None


def predict_file(
    model: FittedPipeline,
    file: SourceFile,
    machines: SourceFile | None = None,
    inputs: SourceFile | None = None,
    nearest: int = 0,
) -> PredictedRows:
    """Predict the rows of a CSV, one prediction per row.

    Parameters
    ----------
    machines, inputs : further CSVs with metrics of machines, or of applications and inputs, joined
        as they are when trials are imported
    nearest : training trials to name beside each row

    Raises
    ------
    ReadError
        If a file is no table.
    PredictError
        If a metric of the model is in none of them, or in another unit.
    """
    table = read_table(file)
    refuse_taken_names(table)
    imported = apply(table, _mapping(model, table))
    imported = join_machines(imported, machines, missing="keep") if machines else imported
    imported = join_inputs(imported, inputs, missing="keep") if inputs else imported
    labels = {name: texts for name, texts in labels_per_trial(imported).items() if name not in table.names}
    said = _predicted(model, replace(table, source=imported.source), per_trial(imported), labels)
    rows, scores = tuple(table.head(len(table))), scores_of(said.observed, said.predictions)
    near = nearest_trials(model, said.X, nearest) if nearest > 0 else ()
    of = (said.predictions, said.observed, scores, said.X, near)
    return PredictedRows(table.headers, rows, table, model.response, *of)


def predict_table(model: FittedPipeline, table: Table, style: Style | None = None) -> tuple[Said, Style]:
    """Predict the rows of a table from its own columns alone.

    Parameters
    ----------
    style : how the table's earlier parts write numbers; None if this is the first part

    Returns
    -------
    What the model says, and how the table writes numbers.
    """
    needed = {*model.names, *(column for column, _ in _levels(model, table.names)), model.response.name}
    own = table.of([i for i, name in enumerate(table.names) if name in needed])
    if not own.names:
        _refuse_missing(model, table.source, ())
    if style is not None:
        study_further(own, style)
    found = study(own)
    known = {column.name: _column(model, own, column, begins=style is None) for column in found.columns}
    return _predicted(model, own, known), found.style


def _column(model: FittedPipeline, table: Table, column: Column, *, begins: bool) -> tuple[Metric, FloatArray]:
    """Return the numbers of a column; a response that holds words alone is refused where the table begins."""
    if column.kind == "ambiguous":
        refuse_ambiguous(table, column)
    if begins and column.name == model.response.name and not only_missing(table, column):
        refuse_words(table, column, "response")
    return Metric(column.name, Kind.COUNTER, column.unit), column.numbers.values


def _predicted(
    model: FittedPipeline,
    table: Table,
    known: Mapping[str, tuple[Metric, FloatArray]],
    labels: Mapping[str, Sequence[str]] | None = None,
) -> Said:
    told, unknown = _indicators(model, table, labels or {})
    every = {**known, **told}
    observed = every[model.response.name][1] if model.response.name in every else None
    X = _rows(model, table.source, every)
    predictions = model.predict(X)
    if unknown:
        why = tuple(f"no prediction: {unknown[i]}" if i in unknown else text for i, text in enumerate(predictions.why))
        predictions = replace(predictions, why=why)
    return Said(X, predictions, observed)


def _mapping(model: FittedPipeline, table: Table) -> ColumnMapping:
    """Let the file's columns be what the model needs, whatever else their names would suggest."""
    metrics = tuple(n for n in model.names if n in table.names)
    response = ((model.response.name, None),) if model.response.name in table.names else ()
    return ColumnMapping(metrics=metrics, responses=response, missing="keep", needs_numbers=False)


def _indicators(
    model: FittedPipeline, table: Table, labels: Mapping[str, Sequence[str]]
) -> tuple[dict[str, tuple[Metric, FloatArray]], dict[int, str]]:
    """Return metrics such as `layout=row` from a column or a label `layout`, and which rows say nothing known, and how.

    They are 1 where it says row, else 0.

    Where a cell says nothing that the model knows, there is no value, so that nothing is predicted.
    """
    of: dict[str, dict[str, Metric]] = {}
    for column, metric in _levels(model, [*table.names, *labels]):
        of.setdefault(column, {})[metric.name[len(column) + 1 :]] = metric
    found: dict[str, tuple[Metric, FloatArray]] = {}
    said: dict[int, str] = {}
    for column, levels in of.items():
        own = labels[column] if column in labels else table.columns[table.names.index(column)].texts()
        texts = np.array(own, dtype=object)
        unknown = ~np.isin(texts, list(levels)) if len(levels) > 1 else texts == ""
        for level, metric in levels.items():
            found[metric.name] = (metric, np.where(unknown, np.nan, (texts == level).astype(np.float64)))
        for row in np.flatnonzero(unknown).tolist():
            said[row] = f"{column} is '{shown(texts[row])}', which no trial of the training has"
    return found, said


def _levels(model: FittedPipeline, names: Sequence[str]) -> list[tuple[str, Metric]]:
    """Return (column, metric) for each metric such as `layout=row` that a column or a label `layout` says."""
    found = []
    for metric in model.metrics:
        column = next((n for n in names if metric.name.startswith(f"{n}=")), None)
        if column is not None and metric.name not in names:
            found.append((column, metric))
    return found


def _rows(model: FittedPipeline, source: str, known: Mapping[str, tuple[Metric, FloatArray]]) -> FloatArray:
    _refuse_missing(model, source, known)
    for metric in model.metrics:
        unit = known[metric.name][0].unit
        if unit and metric.unit and unit != metric.unit:
            raise PredictError(
                f"{source} has '{metric.name}' in {unit}, but the model was trained with {metric.unit}. "
                "Convert the column."
            )
    return np.column_stack([known[n][1] for n in model.names])


def _refuse_missing(model: FittedPipeline, source: str, known: Container[str]) -> None:
    missing = [n for n in model.names if n not in known]
    if missing:
        listed = ", ".join(f"'{n}'" for n in missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        raise PredictError(
            f"{source} does not have {listed}, which the model needs. Add the columns, or give a CSV of "
            "machine metrics or of input metrics that has them."
        )


def refuse_taken_names(table: Table) -> None:
    """Raise PredictError if a column is called as one that will be written."""
    taken = [n for n in table.headers if n in (*COLUMNS, NEAREST)]
    if taken:
        raise PredictError(f"{table.source} has a column '{taken[0]}' already, which would be written. Rename it.")


def scores_of(observed: FloatArray | None, p: Predictions) -> Scores | None:
    """Return the scores of the rows whose response is known, or None if there are none."""
    if observed is None or not np.isfinite(observed).any():
        return None
    there = np.isfinite(observed)
    return score(observed[there], p.value[there], p.low[there], p.high[there])


def plain_predictions(p: Predictions, nearest: Sequence[Sequence[Near]] = ()) -> list[dict[str, Any]]:
    """Return predictions for JSON, with the nearest training trials where given; null where there is no number."""
    columns = [values.tolist() for values in (p.value, p.low, p.high)]
    found: list[dict[str, Any]] = [
        {"prediction": _number(v), "low": _number(lo), "high": _number(hi), "in_domain": bool(d), "why": why}
        for v, lo, hi, d, why in zip(*columns, p.in_domain, p.why, strict=True)
    ]
    for row, near in zip(found, nearest, strict=False):
        row[NEAREST] = [asdict(one) for one in near]
    return found


def _number(value: float) -> float | None:
    return value if isfinite(value) else None
