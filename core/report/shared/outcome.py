"""Predictions beside measurements: per trial, per group, the worst ones, training and held out alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.pipeline import FittedPipeline
from core.report.shared.naming import HIGH_90, LOW_90, trial_names
from core.trial import ROLES, Frame, Metric
from core.validate.record import GroupScores
from core.validate.scores import Scores, score

if TYPE_CHECKING:
    from core.report.model.predictions import PredictedRows
    from core.validate.crossval import Validation

TRAINING = "trained on"


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def percent_above(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return second over first minus 1, in percent; NaN where the first is 0."""
    return np.where(first == 0, np.nan, 100 * (second / first - 1))


class Outcome(Frozen):
    """What was predicted for trials that were measured.

    Attributes
    ----------
    source : "trained on" for training trials, else the folds that held them out, such as "by:machine"
    rows : array of shape (n,), row numbers in the frame
    names : "application · input · machine" per trial
    log : whether the response was modelled in logarithms
    actual, predicted, low, high : arrays of shape (n,), in the response's unit; NaN where refused,
        and for low and high where there is no interval
    residuals : array of shape (n,), actual minus predicted on the model's own scale
    scores : over all of them
    """

    source: str
    response: Metric
    rows: IntArray
    names: tuple[str, ...]
    log: bool
    actual: FloatArray
    predicted: FloatArray
    low: FloatArray
    high: FloatArray
    residuals: FloatArray
    scores: Scores

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def trained(self) -> bool:
        """Whether the model has seen these trials."""
        return self.source == TRAINING

    @property
    def has_intervals(self) -> bool:
        """Whether any prediction has an interval."""
        return bool(np.isfinite(self.low).any())

    @property
    def error_percent(self) -> FloatArray:
        """Predicted over actual minus 1, in percent; NaN where the response is 0."""
        return percent_above(self.actual, self.predicted)

    @property
    def columns(self) -> dict[str, FloatArray]:
        """What was measured, predicted, and how far apart that is, with intervals where there are some, by titles."""
        values = {f"measured {self.response}": self.actual, f"predicted {self.response}": self.predicted}
        ends = {LOW_90: self.low, HIGH_90: self.high} if self.has_intervals else {}
        return {**values, "error (%)": self.error_percent, **ends}

    def places_of(self, rows: Sequence[int]) -> IntArray:
        """Return where the frame's rows stand in this outcome; those that do not are left out."""
        return np.flatnonzero(np.isin(self.rows, rows)).astype(np.int64)

    def take(self, places: IntArray) -> "Outcome":
        """Return some of the trials, scored anew."""
        names = tuple(self.names[i] for i in places)
        said = Said(*(values[places] for values in (self.predicted, self.low, self.high)))
        actual, residuals = self.actual[places], self.residuals[places]
        about = self.source, self.response, self.rows[places], names, self.log
        return Outcome(*about, actual, *said, residuals, score(actual, *said))


class Said(NamedTuple):
    """What was predicted, and the ends of its intervals, NaN where there is none."""

    value: FloatArray
    low: FloatArray
    high: FloatArray


def training_outcome(model: FittedPipeline, frame: Frame) -> Outcome:
    """Return what a model says of the trials of a frame, usually those it learnt from."""
    of = model.predict(model.rows(frame))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = model.scale_of(model.rows(frame))
        residuals = scale.forward(frame.y) - scale.forward(of.value)
    rows, said = np.arange(len(frame)), Said(of.value, of.low, of.high)
    return measured_outcome(frame, rows, TRAINING, model.scale.log, said, residuals, score(frame.y, *said))


def rows_outcome(found: "PredictedRows", model: FittedPipeline, source: str) -> Outcome | None:
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
    about = source, found.response, rows, tuple(f"row {i + 1}" for i in rows), model.scale.log
    return Outcome(*about, actual, *said, residuals, score(actual, *said))


def held_out_outcome(validation: "Validation", frame: Frame, log: bool) -> Outcome:
    """Return the out-of-fold predictions of a validation of this frame."""
    v, rows = validation, np.flatnonzero(validation.fold_of_row >= 0)
    said = Said(v.predicted[rows], v.low[rows], v.high[rows])
    return measured_outcome(frame, rows, v.folds, log, said, v.residuals[rows], v.scores)


def measured_outcome(
    frame: Frame, rows: IntArray, source: str, log: bool, said: Said, residuals: FloatArray, scores: Scores
) -> Outcome:
    """Return what was predicted, and how well, of some rows of a frame."""
    names = trial_names(frame)
    about = source, frame.response, rows, tuple(names[i] for i in rows), log
    return Outcome(*about, frame.y[rows], *said, residuals, scores)


def by_group(outcome: Outcome, frame: Frame, label: str) -> tuple[GroupScores, ...]:
    """Return scores per value of a label, worst mean error first."""
    texts = np.array(frame.labels[label], dtype=object)[outcome.rows]
    groups = [
        GroupScores(str(text) or "(none)", outcome.take(np.flatnonzero(texts == text)).scores)
        for text in sorted(set(texts))
    ]
    return tuple(sorted(groups, key=lambda g: -(g.scores.mape if g.scores.mape is not None else -1.0)))


def of_group(outcome: Outcome, frame: Frame, label: str, name: str) -> Outcome:
    """Return the outcome of the trials with one value of a label."""
    wanted = "" if name == "(none)" else name
    return outcome.take(np.flatnonzero(np.array(frame.labels[label], dtype=object)[outcome.rows] == wanted))


def worst_rows(outcome: Outcome, n: int = 20) -> IntArray:
    """Return places of the trials with the largest relative error, refused ones first."""
    size = np.abs(outcome.error_percent)
    size = np.where(np.isfinite(outcome.predicted), np.nan_to_num(size, nan=-1.0), np.inf)
    return np.argsort(-size, kind="stable")[:n].astype(np.int64)


def outcome_table(outcome: Outcome, frame: Frame, places: Sequence[int] | IntArray) -> pd.DataFrame:
    """Return trials with what was measured, predicted and how far apart that is."""
    chosen = np.asarray(places, dtype=np.int64)
    rows = outcome.rows[chosen]
    columns: dict[str, object] = {
        role: [frame.labels[role][i] for i in rows] for role in ROLES if any(frame.labels[role])
    }
    if not columns:
        columns["trial"] = [outcome.names[i] for i in chosen]
    return pd.DataFrame(columns | {title: values[chosen] for title, values in outcome.columns.items()})


def trial_table(frame: Frame, rows: Sequence[int] | IntArray) -> pd.DataFrame:
    """Return trials of a frame with their labels, response and metrics."""
    chosen = np.asarray(rows, dtype=np.int64)
    labels = [*ROLES, *sorted(name for name in frame.labels if name not in ROLES)]
    table = pd.DataFrame({n: [frame.labels[n][i] for i in chosen] for n in labels if any(frame.labels[n])})
    table[str(frame.response)] = frame.y[chosen]
    values = pd.DataFrame(frame.X[chosen], columns=[str(m) for m in frame.metrics])
    return pd.concat([table, values], axis=1)
