"""Scores with unit and meaning, training beside held out, and the predictions that they are of, per trial and group."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from core.trial import Metric
from core.validate.folds import parse_folds
from core.validate.scores import Scores

if TYPE_CHECKING:
    import pandas as pd


from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.pipeline import FittedPipeline
from core.report.shared.naming import HIGH_90, LOW_90, trial_names
from core.trial import ROLES, Frame
from core.validate.record import GroupScores
from core.validate.scores import score

if TYPE_CHECKING:
    from core.report.model.predictions import PredictedRows
    from core.validate.crossval import Validation


INTERVALS = {
    "auto": "best on the folds",
    "plain": "as wide everywhere",
    "cluster": "by cluster",
    "leverage": "by distance from the centre",
    "prediction": "by size of the prediction",
    "learnt": "by how unsure its parts are",
}
"""What the ways to make intervals are called, by their names in `core.validate.calibration.METHODS`."""

_AS_GOOD_AS_HALF = 10
"""So near to 50 % the share within 20 % says what the median error says."""


class ScoreRow(Frozen):
    """One score over several validations.

    Attributes
    ----------
    field : its name in `Scores`
    name, unit, meaning : for people; "" is no unit
    values : one per column of the card, None where there is none
    """

    field: str
    name: str
    unit: str
    meaning: str
    values: tuple[float | None, ...]


class ScoreCard(Frozen):
    """Scores side by side: the training trials first, then each validation by its folds."""

    columns: tuple[str, ...]
    rows: tuple[ScoreRow, ...]

    def row(self, field: str) -> ScoreRow:
        """Return the row of one score."""
        return next(row for row in self.rows if row.field == field)

    def table(self) -> "pd.DataFrame":
        """Return the card as a table: score, one column per validation, unit, meaning."""
        import pandas as pd

        body = {c: [r.values[i] for r in self.rows] for i, c in enumerate(self.columns)}
        tail = {"unit": [r.unit for r in self.rows], "meaning": [r.meaning for r in self.rows]}
        return pd.DataFrame({"score": [r.name for r in self.rows], **body, **tail})


_MEANINGS = (
    ("median_ape", "Median error", "%", "half of the predictions are off by less than this share"),
    ("mape", "Mean error (MAPE)", "%", "average share of the truth that predictions are off by"),
    ("max_ape", "Largest error", "%", "the worst prediction, as a share of the truth"),
    ("inliers_10", "Within 10 %", "% of trials", "predictions that are off by at most a tenth"),
    ("inliers_20", "Within 20 %", "% of trials", "predictions that are off by at most a fifth"),
    ("coverage_90", "In 90 % interval", "% of trials", "how often the truth is inside; should be near 90"),
    ("width_90", "Width of 90 % interval", "%", "from end to end as a share of the truth; half of them are narrower"),
    ("r2", "R²", "", "share of the response's variance explained; 1 is perfect, below 0 is useless"),
    ("rmse", "Root mean squared error", "unit", "typical size of an error, in the response's unit"),
    ("mse", "Mean squared error", "unit²", "its square"),
    ("n", "Trials scored", "trials", "with a prediction"),
    ("n_refused", "Trials refused", "trials", "without one: a term has a pole or a metric no logarithm"),
)


def score_card(columns: Mapping[str, Scores], response: Metric) -> ScoreCard:
    """Put scores side by side, by the names that the columns shall have."""
    all_scores = list(columns.values())
    rows = tuple(
        ScoreRow(field, name, _unit(unit, response), meaning, tuple(_number(s, field) for s in all_scores))
        for field, name, unit, meaning in _MEANINGS
    )
    return ScoreCard(tuple(columns), rows)


def fold_spread(errors: Iterable[float | None]) -> float | None:
    """Return the standard deviation of the folds' mean errors, in points of percent; None for one fold."""
    known = [e for e in errors if e is not None and math.isfinite(e)]
    return float(np.std(known, ddof=1)) if len(known) > 1 else None


def folds_in_words(folds: str) -> str:
    """Return what `by:machine` or `kfold:10` asks, such as "one machine left out at a time"."""
    return _said_of_folds(folds, "one {} left out at a time", " % of the", "configurations held out once")


def fold_label(folds: str) -> str:
    """Return what is left out under `by:machine` or `kfold:10`, shortly: "each machine", "10 random folds"."""
    return _said_of_folds(folds, "each {}", " %", "at random")


def _said_of_folds(folds: str, alone: str, percent: str, held_out: str) -> str:
    """Return folds in the words for one group at a time, for a share in percent, and for what is held out once."""
    plan = parse_folds(folds)
    if plan.how == "holdout":
        return f"{plan.count}{percent if plan.percent else ''} {held_out}"
    if plan.how == "by" and plan.count:
        return f"{plan.count} folds of whole {plan.column}s"
    return f"{plan.count} random folds" if plan.how == "kfold" else alone.format(plan.column or "configuration")


def unseen(folds: str) -> str:
    """Return what the model had never seen under these folds, such as "a machine that it has not seen"."""
    plan = parse_folds(folds)
    if plan.how != "by":
        return "trials drawn at random that it has not seen"
    article = "an" if plan.column[:1].lower() in "aeio" else "a"
    return f"{article} {plan.column} that it has not seen"


def honest_sentence(folds: str, held_out: Scores, training: Scores | None = None) -> str:
    """Say in words how good a model is where it matters, beside where it learnt."""
    if held_out.median_ape is None or held_out.mape is None or held_out.inliers_20 is None:
        return f"For {unseen(folds)}, no relative error can be given."
    alike = abs(held_out.inliers_20 - 50) < _AS_GOOD_AS_HALF
    said = f"For {unseen(folds)}, half of the predictions are within {percent(held_out.median_ape)} of the truth"
    said += "; " if alike else f" and {percent(held_out.inliers_20)} within 20 %; "
    far = "a few are far off, so that " if held_out.mape > max(3 * held_out.median_ape, 1.0) else ""
    said += f"{far}the mean error (MAPE) is {percent(held_out.mape)}"
    if training is not None and training.median_ape is not None:
        said += f". On the trials it learnt from, half are within {percent(training.median_ape)}"
    return said + "."


def _unit(unit: str, response: Metric) -> str:
    if not unit.startswith("unit"):
        return unit
    if not response.unit or not unit.endswith("²"):
        return response.unit
    return f"{response.unit}²" if response.unit.isalpha() else f"({response.unit})²"


def _number(scores: Scores, field: str) -> float | None:
    value = getattr(scores, field)
    return None if value is None else float(value)


def percent(value: float | None) -> str:
    """Return a share given in percent, or a dash where there is none; what is next to nothing as such."""
    if value is None or not math.isfinite(value):
        return "–"
    if 0 < abs(value) < 0.001:
        return "< 0.001 %"
    return f"{value:,.0f} %" if 999.5 <= abs(value) < 1e7 else f"{value:.3g} %"


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
