"""Scores as people compare them: training beside held out, each with its unit and meaning."""

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from core.frozen import Frozen
from core.trial import Metric
from core.validate.folds import parse_folds
from core.validate.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

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
