"""Predictions for a file's rows beside what the file measured, as an outcome to draw and score."""

import numpy as np

from core.pipeline import FittedPipeline
from core.report.outcome import Outcome
from core.report.predictions import PredictedRows
from core.validate.scores import score


def rows_outcome(found: PredictedRows, model: FittedPipeline, source: str) -> Outcome | None:
    """Return the rows that have a measured response, or None if no row has that and a prediction.

    Parameters
    ----------
    source : what the rows are called in pictures, such as the file's name
    """
    if found.observed is None or not np.isfinite(found.observed + found.predictions.value).any():
        return None
    rows = np.flatnonzero(np.isfinite(found.observed))
    actual, said = found.observed[rows], found.predictions
    predicted, low, high = said.value[rows], said.low[rows], said.high[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = model.scale.plain
        residuals = scale.forward(actual) - scale.forward(predicted)
    return Outcome(
        source=source,
        response=found.response,
        rows=rows,
        names=tuple(f"row {i + 1}" for i in rows),
        log=model.scale.log,
        actual=actual,
        predicted=predicted,
        low=low,
        high=high,
        residuals=residuals,
        scores=score(actual, predicted, low, high),
    )
