"""Predictions for a file's rows, beside what the file measured."""

import numpy as np

from core.pipeline import FittedPipeline
from core.report.model.predictions import PredictedRows
from core.report.shared.outcome import Outcome, Said, outcome


def rows_outcome(found: PredictedRows, model: FittedPipeline, source: str) -> Outcome | None:
    """Return the rows that have a measured response, or None if no row has that and a prediction.

    Parameters
    ----------
    source : what the rows are called in pictures, such as the file's name
    """
    if found.observed is None or not np.isfinite(found.observed + found.predictions.value).any():
        return None
    rows = np.flatnonzero(np.isfinite(found.observed))
    actual, of = found.observed[rows], found.predictions
    said = Said(of.value[rows], of.low[rows], of.high[rows])
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = model.scale.plain
        residuals = scale.forward(actual) - scale.forward(said.value)
    names = tuple(f"row {i + 1}" for i in rows)
    return outcome(source, found.response, rows, names, model.scale.log, actual, said, residuals)
