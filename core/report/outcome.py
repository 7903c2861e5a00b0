"""Predictions beside measurements: per trial, per group, the worst ones, training and held out alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from core.codec import FloatArray, IntArray
from core.pipeline import FittedPipeline
from core.report.naming import trial_names
from core.trial import ROLES, Frame, Metric
from core.validate.crossval import Validation
from core.validate.scores import Scores, score

TRAINING = "trained on"


@dataclass(frozen=True)
class Outcome:
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
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: FloatArray = 100 * (self.predicted / self.actual - 1)
        return np.where(self.actual == 0, np.nan, ratio)

    def places_of(self, rows: Sequence[int]) -> IntArray:
        """Return where the frame's rows stand in this outcome; those that do not are left out."""
        return np.flatnonzero(np.isin(self.rows, rows)).astype(np.int64)

    def take(self, places: IntArray) -> "Outcome":
        """Return some of the trials, scored anew."""
        taken = (self.actual, self.predicted, self.low, self.high, self.residuals)
        actual, predicted, low, high, residuals = (v[places] for v in taken)
        return replace(
            self,
            rows=self.rows[places],
            names=tuple(self.names[i] for i in places),
            actual=actual,
            predicted=predicted,
            low=low,
            high=high,
            residuals=residuals,
            scores=score(actual, predicted, low, high),
        )


@dataclass(frozen=True)
class GroupScore:
    """Scores of the trials that share a label."""

    name: str
    scores: Scores


def training_outcome(model: FittedPipeline, frame: Frame) -> Outcome:
    """Return what a model says of the trials of a frame, usually those it learnt from."""
    said = model.predict(model.rows(frame))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = model.scale_of(model.rows(frame))
        residuals = scale.forward(frame.y) - scale.forward(said.value)
    return Outcome(
        source=TRAINING,
        response=frame.response,
        rows=np.arange(len(frame)),
        names=trial_names(frame),
        log=model.scale.log,
        actual=frame.y,
        predicted=said.value,
        low=said.low,
        high=said.high,
        residuals=residuals,
        scores=score(frame.y, said.value, said.low, said.high),
    )


def held_out_outcome(validation: Validation, frame: Frame, log: bool) -> Outcome:
    """Return the out-of-fold predictions of a validation of this frame."""
    rows = np.flatnonzero(validation.fold_of_row >= 0)
    names = trial_names(frame)
    return Outcome(
        source=validation.folds,
        response=frame.response,
        rows=rows,
        names=tuple(names[i] for i in rows),
        log=log,
        actual=frame.y[rows],
        predicted=validation.predicted[rows],
        low=validation.low[rows],
        high=validation.high[rows],
        residuals=validation.residuals[rows],
        scores=validation.scores,
    )


def by_group(outcome: Outcome, frame: Frame, label: str) -> tuple[GroupScore, ...]:
    """Return scores per value of a label, worst mean error first."""
    texts = np.array(frame.labels[label], dtype=object)[outcome.rows]
    groups = [
        GroupScore(str(text) or "(none)", outcome.take(np.flatnonzero(texts == text)).scores)
        for text in sorted(set(texts))
    ]
    return tuple(sorted(groups, key=lambda g: -(g.scores.mape if g.scores.mape is not None else -1.0)))


def of_group(outcome: Outcome, frame: Frame, label: str, name: str) -> Outcome:
    """Return the outcome of the trials with one value of a label."""
    wanted = "" if name == "(none)" else name
    texts = np.array(frame.labels[label], dtype=object)[outcome.rows]
    return outcome.take(np.flatnonzero(texts == wanted))


def worst_rows(outcome: Outcome, n: int = 20) -> IntArray:
    """Return places of the trials with the largest relative error, refused ones first."""
    size = np.abs(outcome.error_percent)
    size = np.where(np.isfinite(outcome.predicted), np.nan_to_num(size, nan=-1.0), np.inf)
    return np.argsort(-size, kind="stable")[:n].astype(np.int64)


def outcome_table(outcome: Outcome, frame: Frame, places: Sequence[int] | IntArray | None = None) -> pd.DataFrame:
    """Return trials with what was measured, predicted and how far apart that is."""
    chosen = np.arange(len(outcome)) if places is None else np.asarray(places, dtype=np.int64)
    rows = outcome.rows[chosen]
    columns: dict[str, object] = {
        role: [frame.labels[role][i] for i in rows] for role in ROLES if any(frame.labels[role])
    }
    if not columns:
        columns["trial"] = [outcome.names[i] for i in chosen]
    columns[f"actual {outcome.response}"] = outcome.actual[chosen]
    columns[f"predicted {outcome.response}"] = outcome.predicted[chosen]
    columns["error (%)"] = outcome.error_percent[chosen]
    if outcome.has_intervals:
        columns["low"], columns["high"] = outcome.low[chosen], outcome.high[chosen]
    return pd.DataFrame(columns)


def trial_table(frame: Frame, rows: Sequence[int] | IntArray) -> pd.DataFrame:
    """Return trials of a frame with their labels, response and metrics."""
    chosen = np.asarray(rows, dtype=np.int64)
    labels = [*ROLES, *sorted(name for name in frame.labels if name not in ROLES)]
    table = pd.DataFrame({n: [frame.labels[n][i] for i in chosen] for n in labels if any(frame.labels[n])})
    table[str(frame.response)] = frame.y[chosen]
    values = pd.DataFrame(frame.X[chosen], columns=[str(m) for m in frame.metrics])
    return pd.concat([table, values], axis=1)
