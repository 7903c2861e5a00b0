"""The standings of a race as people compare them: score, spread, features, time, and what random folds flatter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.models import FAMILIES
from core.race import STACK, Race, Standing
from core.recipes._treated import AS_THEY_ARE
from core.report.scorecard import folds_in_words, unseen
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.scores import Scores, score

NON_NEGATIVE, OTHER, COMBINED = "non-negative", "other", "combination"
STACK_LABEL = "Stack of the best few"


@dataclass(frozen=True)
class Line:
    """One entry, or the stack, in the table.

    Attributes
    ----------
    kind : non-negative (sums without a negative term), other, or combination (the stack)
    validation : on the honest folds; None if it cannot run
    folds : array of shape (n_folds,), MAPE of each fold in percent, NaN where there is none
    beside : scores on random folds, None if they were not raced
    n_features : without a fold, the median over folds; None for the stack
    n_chosen : with all trials; None for the stack
    """

    entry: str
    label: str
    kind: str
    treatment: str
    validation: Validation | None
    folds: FloatArray
    beside: Scores | None
    n_features: float | None
    n_chosen: int | None
    fit_seconds: float | None
    seconds: float | None
    error: str = ""

    @property
    def scores(self) -> Scores | None:
        """Scores on the honest folds."""
        return None if self.validation is None else self.validation.scores

    @property
    def mape(self) -> float | None:
        """Mean absolute percentage error on the honest folds."""
        return None if self.scores is None else self.scores.mape

    @property
    def spread(self) -> float | None:
        """Standard deviation of the folds' MAPE, in percentage points."""
        known = self.folds[np.isfinite(self.folds)]
        return float(known.std(ddof=1)) if len(known) > 1 else None

    @property
    def optimism(self) -> float | None:
        """How many times smaller the error looks on random folds."""
        if self.beside is None or not self.mape or not self.beside.mape:
            return None
        return self.mape / self.beside.mape


def race_lines(frame: Frame, race: Race, beside: Race | None = None) -> tuple[Line, ...]:
    """Return the lines of a race, best first; those that cannot run are last.

    Parameters
    ----------
    beside : the same entries on random folds
    """
    lines = [_line(frame, s, beside) for s in race.standings]
    if race.stack is not None:
        lines.append(_stacked(frame, race, beside))
    return tuple(sorted(lines, key=lambda line: (line.validation is None, _or_infinite(line.mape), line.label)))


def _or_infinite(value: float | None) -> float:
    return float("inf") if value is None else value


def _line(frame: Frame, standing: Standing, beside: Race | None) -> Line:
    same = next((s for s in beside.standings if s.entry == standing.entry), None) if beside else None
    runs = standing.runs
    return Line(
        entry=standing.entry,
        label=standing.label,
        kind=kind_of(standing.entry),
        treatment=standing.treatment,
        validation=standing.validation,
        folds=fold_errors(frame, standing.validation),
        beside=same.validation.scores if same is not None and same.validation is not None else None,
        n_features=float(np.median(standing.n_features)) if standing.n_features else None,
        n_chosen=standing.n_chosen if runs else None,
        fit_seconds=standing.fit_seconds if runs else None,
        seconds=standing.seconds,
        error=standing.error,
    )


def _stacked(frame: Frame, race: Race, beside: Race | None) -> Line:
    assert race.stack is not None
    labels = {s.entry: s.label for s in race.standings}
    made_of = " + ".join(f"{weight:.2g} · {labels.get(name, name)}" for name, weight in race.stack.weights.items())
    other = beside.stack.validation.scores if beside is not None and beside.stack is not None else None
    found = race.stack.validation
    return Line(
        STACK, STACK_LABEL, COMBINED, made_of, found, fold_errors(frame, found), other, None, None, None, None
    )  # fmt: skip


def kind_of(entry: str) -> str:
    """Return whether an entry is a sum without negative terms."""
    family = FAMILIES.get(entry)
    return NON_NEGATIVE if getattr(family, "preparation", "") == AS_THEY_ARE else OTHER


def fold_scores(frame: Frame, validation: Validation) -> tuple[Scores, ...]:
    """Return the scores of each fold."""
    rows = [np.flatnonzero(validation.fold_of_row == i) for i in range(len(validation.fold_names))]
    return tuple(score(frame.y[r], validation.predicted[r], validation.low[r], validation.high[r]) for r in rows)


def fold_errors(frame: Frame, validation: Validation | None) -> FloatArray:
    """Return the MAPE of each fold in percent, NaN where there is none."""
    if validation is None:
        return np.empty(0)
    return np.array([np.nan if s.mape is None else s.mape for s in fold_scores(frame, validation)])


def within(frame: Frame, validation: Validation, percent: float) -> float | None:
    """Return the share of held-out trials that are predicted within so many percent, refused ones counting as not."""
    held = (validation.fold_of_row >= 0) & (frame.y != 0)
    if not held.any():
        return None
    with np.errstate(invalid="ignore"):
        ape = 100 * np.abs(validation.predicted[held] / frame.y[held] - 1)
        return float(100 * np.mean(ape <= percent))


THRESHOLDS = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100)


def inlier_shares(frame: Frame, lines: Sequence[Line]) -> pd.DataFrame:
    """Return a row per threshold in percent, and per model the share of trials predicted within it."""
    found = {line.label: line.validation for line in lines if line.validation is not None}
    columns = {label: [within(frame, v, t) for t in THRESHOLDS] for label, v in found.items()}
    return pd.DataFrame({"threshold (%)": THRESHOLDS, **columns})


def race_table(frame: Frame, lines: Sequence[Line], winner: str = "", threshold: float | None = None) -> pd.DataFrame:
    """Return a row per line.

    Parameters
    ----------
    threshold : a further one, in percent, for the share of trials predicted within it
    """
    rows = [_row(frame, line, winner, threshold) for line in lines]
    return pd.DataFrame(rows)


def _row(frame: Frame, line: Line, winner: str, threshold: float | None) -> dict[str, Any]:
    s = line.scores
    known = line.folds[np.isfinite(line.folds)]
    row = {
        "model": marked(line, winner),
        "MAPE (%)": line.mape,
        "± over folds (%)": line.spread,
        "random folds (%)": line.beside and line.beside.mape,
        "optimism (×)": line.optimism,
        "features": line.n_chosen,
        "training (s)": line.fit_seconds,
        "within 10 % (%)": s and s.inliers_10,
        "within 20 % (%)": s and s.inliers_20,
    }
    if threshold is not None and threshold not in (10, 20):
        found = None if line.validation is None else within(frame, line.validation, threshold)
        row[f"within {threshold:g} % (%)"] = found
    return row | {
        "median error (%)": s and s.median_ape,
        "worst fold (%)": float(known.max()) if len(known) else None,
        "features per fold": line.n_features,
        "all of it (s)": line.seconds,
        "scale and weights": line.treatment,
        "cannot run because": line.error,
    }


def bounded(table: pd.DataFrame, most: float = 1e9) -> pd.DataFrame:
    """Return a table for showing, with numbers beyond a billion at a billion: tables cannot show 1e81 as a number."""
    numbers = table.select_dtypes("number")
    return table.assign(**{str(name): numbers[name].clip(upper=most) for name in numbers})


def marked(line: Line, winner: str) -> str:
    """Return the label, with a star if it is the winner's."""
    return f"★ {line.label}" if line.entry == winner else line.label


MEANINGS = MappingProxyType({
    "MAPE (%)": "Mean absolute percentage error over everything that was held out, on the honest folds.",
    "± over folds (%)": "Standard deviation of the folds' errors: how much it matters what is held out.",
    "random folds (%)": "The same error on random folds, where close relatives of what is held out stay in training.",
    "optimism (×)": "How many times smaller the error looks on random folds.",
    "features": "Metrics that the model of all trials looks at.",
    "training (s)": "One training with all trials, scale and weights given.",
    "within 10 % (%)": "Share of held-out predictions that are off by at most a tenth of the truth.",
    "within 20 % (%)": "Share of held-out predictions that are off by at most a fifth of the truth.",
    "median error (%)": "Half of the held-out predictions are closer.",
    "worst fold (%)": "The largest of the folds' errors.",
    "features per fold": "Median over the folds.",
    "all of it (s)": "All folds, with every choice made inside each of them.",
    "scale and weights": "Chosen on folds inside the training trials; here with all trials.",
})  # fmt: skip


def winner_sentence(race: Race, beside: Race | None = None) -> str:
    """Say which entry wins and what it is worth where nothing was picked on what is reported."""
    if race.nested is None:
        return "No entry can run on these trials; the table says why."
    label = race.standing(race.winner).label
    s = race.nested.scores
    n = len(race.running)
    chosen = f"chosen among {n} entries" if n > 1 else "the only entry that can run"
    if s.mape is None or s.inliers_20 is None or s.inliers_10 is None:
        return f"Winner: {label}, {chosen} without looking at what is held out; no relative error can be given."
    said = (
        f"Winner: {label}, {chosen} without looking at what is held out. Chosen like this, predictions for "
        f"{unseen(race.folds)} are off by {_percent(s.mape)} on average; {s.inliers_10:.0f} % of them are within 10 % "
        "of the truth, "
        f"{s.inliers_20:.0f} % within 20 %"
    )
    other = beside.nested.scores.mape if beside is not None and beside.nested is not None else None
    if beside is None or other is None:
        return said + "."
    return f"{said}. On {folds_in_words(beside.folds)} the same choice looks like {_percent(other)}."


def _percent(value: float) -> str:
    return f"{value:.1f} %" if value < 10 else f"{value:,.0f} %"


def best_of_kinds(races: Mapping[str, tuple[Frame, Race]]) -> pd.DataFrame:
    """Return the best non-negative and the best other model of each scenario (HALWPE, tables 4 and 5)."""
    rows = []
    for scenario, (frame, race) in races.items():
        lines = race_lines(frame, race)
        for kind in (OTHER, NON_NEGATIVE):
            best = next((line for line in lines if line.kind == kind and line.scores is not None), None)
            if best is not None and best.scores is not None:
                rows.append({
                    **({"scenario": scenario} if len(races) > 1 else {}),
                    "kind": kind,
                    "best model": best.label,
                    "MAPE (%)": best.mape,
                    "within 20 % (%)": best.scores.inliers_20,
                    "within 10 % (%)": best.scores.inliers_10,
                    "features selected": best.n_chosen,
                    "features available": len(frame.metrics),
                })  # fmt: skip
    return pd.DataFrame(rows)
