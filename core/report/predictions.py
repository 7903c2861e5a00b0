"""Predictions for the rows of a file: the file's own columns, and what the model says beside them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.codec import FloatArray
from core.errors import PredictError
from core.ingest import Mapping, SourceFile, Table, find_reader, join_inputs, join_machines, per_trial, read_table
from core.pipeline import FittedPipeline, Predictions
from core.report.csv_text import to_csv
from core.trial import Import, Metric
from core.validate.scores import Scores, score

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("prediction", "low", "high", "in_domain", "why")


@dataclass(frozen=True)
class PredictedRows:
    """Rows of a file with their predictions.

    Attributes
    ----------
    names, rows : the file's own columns, letter for letter
    response : what is predicted, with its unit
    observed : array of shape (n_rows,), NaN where the file does not have it; or None
    scores : of the rows that have both, or None
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    response: Metric
    predictions: Predictions
    observed: FloatArray | None
    scores: Scores | None

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

    def frame(self) -> "pd.DataFrame":
        """Return the file's columns as texts, then prediction, low, high, in_domain and why."""
        import pandas as pd

        own = pd.DataFrame(self.rows, columns=list(self.names), dtype=str)
        p = self.predictions
        columns = (p.value, p.low, p.high, p.in_domain, list(p.why))
        return own.assign(**dict(zip(COLUMNS, columns, strict=True)))

    def to_csv(self) -> str:
        """Return `frame` as CSV; numbers keep every digit, and no cell is a formula."""
        return to_csv(self.frame())

    def plain(self) -> list[dict[str, Any]]:
        """Return the predictions for JSON; null where there is none."""
        p = self.predictions
        return [
            {"prediction": _number(v), "low": _number(lo), "high": _number(hi), "in_domain": bool(d), "why": why}
            for v, lo, hi, d, why in zip(p.value, p.low, p.high, p.in_domain, p.why, strict=True)
        ]


def predict_file(
    model: FittedPipeline,
    file: SourceFile,
    machines: SourceFile | None = None,
    inputs: SourceFile | None = None,
) -> PredictedRows:
    """Predict the rows of a CSV, one prediction per row.

    Parameters
    ----------
    machines, inputs : further CSVs with metrics of machines, or of applications and inputs, joined
        as they are when trials are imported

    Raises
    ------
    ReadError
        If a file is no table.
    PredictError
        If a metric of the model is in none of them, or in another unit.
    """
    table = read_table(file)
    _refuse_taken_names(table)
    imported = find_reader(file, "csv").read(file, _mapping(model, table))
    imported = join_machines(imported, machines, missing="keep") if machines else imported
    imported = join_inputs(imported, inputs, missing="keep") if inputs else imported
    known = per_trial(imported) | _indicators(model, table)
    predictions = model.predict(_rows(model, imported, known))
    observed = known[model.response.name][1] if model.response.name in known else None
    return PredictedRows(
        table.headers,
        tuple(table.head(len(table))),
        model.response,
        predictions,
        observed,
        _scores(observed, predictions),
    )


def _mapping(model: FittedPipeline, table: Table) -> Mapping:
    """Let the file's columns be what the model needs, whatever else their names would suggest."""
    metrics = tuple(n for n in model.names if n in table.names)
    response = ((model.response.name, None),) if model.response.name in table.names else ()
    return Mapping(metrics=metrics, responses=response, missing="keep", needs_numbers=False)


def _indicators(model: FittedPipeline, table: Table) -> dict[str, tuple[Metric, FloatArray]]:
    """Return metrics such as `layout=row` from a column `layout`: 1 where it says row, else 0.

    Where a cell says nothing that the model knows, there is no value, so that nothing is predicted.
    """
    of: dict[str, dict[str, Metric]] = {}
    for metric in model.metrics:
        column = next((n for n in table.names if metric.name.startswith(f"{n}=")), None)
        if column is not None and metric.name not in table.names:
            of.setdefault(column, {})[metric.name[len(column) + 1 :]] = metric
    found: dict[str, tuple[Metric, FloatArray]] = {}
    for column, levels in of.items():
        texts = np.array(table.columns[table.names.index(column)].texts(), dtype=object)
        unknown = ~np.isin(texts, list(levels)) if len(levels) > 1 else texts == ""
        for level, metric in levels.items():
            found[metric.name] = (metric, np.where(unknown, np.nan, (texts == level).astype(np.float64)))
    return found


def _rows(model: FittedPipeline, imported: Import, known: dict[str, tuple[Metric, FloatArray]]) -> FloatArray:
    missing = [n for n in model.names if n not in known]
    if missing:
        listed = ", ".join(f"'{n}'" for n in missing[:5]) + (f" and {len(missing) - 5} more" if missing[5:] else "")
        raise PredictError(
            f"{imported.source} does not have {listed}, which the model needs. Add the columns, or give a CSV of "
            "machine metrics or of input metrics that has them."
        )
    for metric in model.metrics:
        unit = known[metric.name][0].unit
        if unit and metric.unit and unit != metric.unit:
            raise PredictError(
                f"{imported.source} has '{metric.name}' in {unit}, but the model was trained with {metric.unit}. "
                "Convert the column."
            )
    return np.column_stack([known[n][1] for n in model.names])


def _refuse_taken_names(table: Table) -> None:
    taken = [n for n in table.headers if n in COLUMNS]
    if taken:
        raise PredictError(f"{table.source} has a column '{taken[0]}' already, which would be written. Rename it.")


def _scores(observed: FloatArray | None, p: Predictions) -> Scores | None:
    if observed is None or not np.isfinite(observed).any():
        return None
    there = np.isfinite(observed)
    return score(observed[there], p.value[there], p.low[there], p.high[there])


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
