"""The standings of a race as people compare them: score, spread, features, time, and what random folds flatter."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.errors import FitError
from core.race.result import BLEND, STACK, Race, Standing, Together
from core.report.shared.naming import row_of
from core.report.shared.scorecard import fold_spread, folds_in_words, percent, unseen
from core.trial import Frame
from core.validate.crossval import Validation
from core.validate.scores import Paired, Scores, errors, paired

NON_NEGATIVE, OTHER, COMBINED = "non-negative", "other", "combination"
LABELS = MappingProxyType({STACK: "Stack of the best few", BLEND: "Blend"})
MEANT = MappingProxyType(
    {
        STACK: "The best few added up, by weights that fit the inner folds best.",
        BLEND: "The best of each kind, weighted by a power of smallest over own error on the inner folds (of many "
        "trials the eighth): the weighted mean of logarithms, in which none is further than a factor of 1.2 from the "
        "weighted median.",
    }
)
"""What the lines are that are no entries."""
BEHIND, APART = "behind the best (%)", "more than noise"
BIAS = "bias (logarithms)"


class Line(Frozen):
    """One entry, the stack or the blend in the table.

    Attributes
    ----------
    kind : non-negative (sums without a negative term), other, or combination (stack, blend)
    treatment : chosen with all trials; of a combination what it is made of
    validation : on the honest folds; None if it cannot run
    folds : array of shape (n_folds,), MAPE of each fold in percent, NaN where there is none
    beside : scores on random folds, None if they were not raced
    fit_seconds, seconds : of a combination its members' together
    n_features : without a fold, the median over folds; None for combinations
    n_chosen : with all trials; None for combinations
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
        return fold_spread(self.folds.tolist())

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
    lines = [_line(standing, beside) for standing in race.standings]
    pairs = ((name, race.together(name)) for name in LABELS)
    lines += [_combined(frame, race, name, several, beside) for name, several in pairs if several is not None]
    return tuple(
        sorted(lines, key=lambda one: (one.validation is None, np.inf if one.mape is None else one.mape, one.label))
    )


def _line(standing: Standing, beside: Race | None) -> Line:
    return Line(
        entry=standing.entry,
        label=standing.label,
        kind=NON_NEGATIVE if standing.non_negative else OTHER,
        treatment=standing.treatment.replace("_", " "),
        validation=standing.validation,
        folds=np.array(standing.by_fold, dtype=np.float64),
        beside=_beside(standing.entry, beside),
        n_features=float(np.median(standing.n_features)) if standing.n_features else None,
        n_chosen=standing.n_chosen if standing.runs else None,
        fit_seconds=standing.fit_seconds if standing.runs else None,
        seconds=standing.seconds,
        error=standing.error,
    )


def _combined(frame: Frame, race: Race, name: str, several: Together, beside: Race | None) -> Line:
    found, random = several.validation, _beside(name, beside)
    members = [race.standing(entry) for entry in several.weights]
    fit, whole = sum(s.fit_seconds for s in members), sum(s.seconds for s in members)
    folds = np.array([s.mape for s in found.by_fold(frame.y)], dtype=np.float64)
    made = made_of(race, name)
    return Line(name, LABELS[name], COMBINED, made, found, folds, random, None, None, fit, whole)


def _beside(name: str, beside: Race | None) -> Scores | None:
    found = None if beside is None else beside.validation(name)
    return None if found is None else found.scores


def made_of(race: Race, name: str) -> str:
    """Return the members of the stack or blend with their weights, the weightiest first; "" for an entry."""
    several = race.together(name)
    if several is None:
        return ""
    order = sorted(several.weights.items(), key=lambda pair: -pair[1])
    return " + ".join(f"{weight:.2g} {race.standing(entry).label}" for entry, weight in order)


def within(frame: Frame, validation: Validation, percent: float) -> float | None:
    """Return the share of held-out trials that are predicted within so many percent, refused ones counting as not."""
    held = (validation.fold_of_row >= 0) & (frame.y != 0)
    if not held.any():
        return None
    with np.errstate(invalid="ignore"):
        ape = 100 * np.abs(validation.predicted[held] / frame.y[held] - 1)
        return float(100 * np.mean(ape <= percent))


BESIDE_COLUMNS = ("random folds (%)", "optimism (×)")
"""What random folds beside the honest ones add to the standings."""


def race_table(frame: Frame, lines: Sequence[Line], winner: str = "", threshold: float | None = None) -> pd.DataFrame:
    """Return a row per line.

    Parameters
    ----------
    threshold : a further one, in percent, for the share of trials predicted within it
    """
    best = next((line for line in lines if line.validation is not None), None)
    rows = [_row(frame, line, winner, threshold) | _told_apart(frame, line, best) for line in lines]
    table = pd.DataFrame(rows)
    last = ["scale and weights", "cannot run because"]
    return table[[*(c for c in table.columns if c not in last), *(c for c in last if c in table.columns)]]


def behind(frame: Frame, line: Line, best: Line) -> Paired | None:
    """Return how far a line's error is above the best one's, fold by fold; None if either has none."""
    if line.validation is None or best.validation is None or line is best:
        return None
    first, second = (errors(frame.y, one.predicted) for one in (best.validation, line.validation))
    try:
        return paired(first, second, line.validation.fold_of_row)
    except FitError:
        return None


def _told_apart(frame: Frame, line: Line, best: Line | None) -> dict[str, Any]:
    found = None if best is None else behind(frame, line, best)
    title = BEHIND if frame.y.min() > 0 else f"behind the best ({frame.response.unit or frame.response.name})"
    return {title: found and found.difference, APART: found and ("yes" if found.more_than_noise else "no")}


def _row(frame: Frame, line: Line, winner: str, threshold: float | None) -> dict[str, Any]:
    s = line.scores
    known = line.folds[np.isfinite(line.folds)]
    row: dict[str, Any] = {
        "model": marked(line, winner),
        "MAPE (%)": line.mape,
        "± over folds (%)": line.spread,
        BIAS: s and s.bias and round(s.bias, 9),
    }
    row["kind"] = line.kind
    if threshold is not None and threshold not in (10, 20):
        found = None if line.validation is None else within(frame, line.validation, threshold)
        row[f"within {threshold:g} % (%)"] = found
    row |= row_of(s, "within 10 % (%): inliers_10 | within 20 % (%): inliers_20")
    row |= dict(zip(BESIDE_COLUMNS, (line.beside and line.beside.mape, line.optimism), strict=True))
    row |= row_of(line, "features: n_chosen | training (s): fit_seconds")
    row |= {"median error (%)": s and s.median_ape, "worst fold (%)": float(known.max()) if len(known) else None}
    last = "features per fold: n_features | all of it (s): seconds | scale and weights: treatment"
    return row | row_of(line, f"{last} | cannot run because: error")


def bounded(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table for showing, with numbers beyond a billion at a billion: tables cannot show 1e81 as a number."""
    numbers = table.select_dtypes("number")
    return table.assign(**{str(name): numbers[name].clip(upper=1e9) for name in numbers})


def marked(line: Line, winner: str) -> str:
    """Return the label, with a star if it is the winner's."""
    return f"★ {line.label}" if line.entry == winner else line.label


MEANINGS = MappingProxyType(
    {
        BEHIND: "How much larger the error is than the first one's, over the trials that both predict.",
        APART: "Whether the 95 % interval of that difference leaves out 0 (corrected t-test over the folds). Where it "
        "says no, the two are as good as each other on these trials.",
        "MAPE (%)": "Mean absolute percentage error over everything that was held out in the folds named above.",
        BIAS: "Mean logarithm of predicted over measured: below 0, predictions are low. A mean percentage error alone "
        "rewards that.",
        "± over folds (%)": "Standard deviation of the folds' errors: how much it matters what is held out.",
        "random folds (%)": "The same error on random folds, where close relatives of what is held out stay in "
        "training.",
        "optimism (×)": "How many times smaller the error looks on random folds.",
        "kind": "A non-negative model is a sum without negative terms: it never predicts a time below 0, and each of "
        "its metrics can only add to it. A combination is made of other entries.",
        "features": "Metrics that the model of all trials looks at.",
        "training (s)": "One training with all trials, scale and weights given.",
        "within 10 % (%)": "Share of held-out predictions that are off by at most a tenth of the truth.",
        "within 20 % (%)": "Share of held-out predictions that are off by at most a fifth of the truth.",
        "median error (%)": "Half of the held-out predictions are closer.",
        "worst fold (%)": "The largest of the folds' errors.",
        "features per fold": "Median over the folds.",
        "all of it (s)": "All folds, with every choice made inside each of them.",
        "scale and weights": "Chosen on folds inside the training trials; here with all trials.",
    }
)


def winner_sentence(race: Race, beside: Race | None = None) -> str:
    """Say which entry wins and what it is worth where nothing was picked on what is reported."""
    if race.nested is None:
        return "No entry can run on these trials; the table says why."
    s = race.nested.scores
    label, chosen = _who(race)
    if s.mape is None or s.inliers_20 is None or s.inliers_10 is None:
        return f"Winner: {label}, {chosen} without looking at what is held out; no relative error can be given."
    said = (
        f"Winner: {label}, {chosen} without looking at what is held out. Made like this, predictions for "
        f"{unseen(race.folds)} are off by {percent(s.mape)} on average; {percent(s.inliers_10)} of them are within "
        f"10 % of the truth, {percent(s.inliers_20)} within 20 %"
    )
    other = beside.nested.scores.mape if beside is not None and beside.nested is not None else None
    if beside is None or other is None:
        return said + "."
    return f"{said}. On {folds_in_words(beside.folds)} the same procedure looks like {percent(other)}."


def _who(race: Race) -> tuple[str, str]:
    """Return who wins, and what it was made or chosen from."""
    if race.winner == BLEND:
        return f"a blend of {made_of(race, BLEND)}", f"weighted by the inner errors of {len(race.running)} entries"
    return race.standing(race.winner).label, chosen_among(race)


def chosen_among(race: Race) -> str:
    """Return what one entry was chosen from, in words."""
    n = len(race.running)
    return f"chosen among {n} entries" if n > 1 else "the only entry that has run"
