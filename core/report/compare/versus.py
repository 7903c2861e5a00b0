"""Two models against each other, new trials against the trained ones, and a model used for a similar target."""

import numpy as np
import pandas as pd

from core.errors import count, first_few
from core.pipeline import FittedPipeline
from core.race.reuse import METHODS, Reuse
from core.race.versus import AS_THEY_ARE, Versus
from core.report.model.predictions import PredictedRows
from core.report.shared.naming import columns_of
from core.report.shared.scorecard import folds_in_words
from core.validate.drift import Drift, drift_of
from core.validate.scores import LEVEL, Scores

WORSE = 1.5
"""How many times the error of the validation new trials may have before the verdict says so."""
COVERED_FROM = 80.0
"""Percent of new trials in their 90 % interval below which the verdict says so."""
_SCORES = (
    "MAPE (%): mape | median error (%): median_ape | within 20 % (% of trials): inliers_20 | R²: r2 | "
    "in 90 % interval (% of trials): coverage_90 | width of 90 % interval (%): width_90 | refused: n_refused"
)
_DRIFT = (
    "stability index: stability | by chance up to: by_chance | largest distance: distance | trained median: trained | "
    "new median: new | drifted"
)


def versus_sentence(found: Versus, first: str, second: str) -> str:
    """Say which of two models errs less, by how much, and whether that is more than noise."""
    p, unit = found.paired, f" {found.unit}".rstrip()
    better, worse = (first, second) if p.difference >= 0 else (second, first)
    errs = (p.first, p.second) if p.difference >= 0 else (p.second, p.first)
    ends = sorted((abs(p.low), abs(p.high))) if p.more_than_noise else [p.low, p.high]
    points = " percentage points" if found.percent else unit
    within = f"between {ends[0]:.3g} and {ends[1]:.3g}{points}"
    said = f"{better} errs by {errs[0]:.3g}{unit} on average, {worse} by {errs[1]:.3g}{unit}"
    size = f"the difference of {abs(p.difference):.3g} is {within} with {100 * LEVEL:.0f} % confidence"
    if p.n_blocks < 2:
        return f"{said}; whether that is more than noise cannot be told from one group of trials. Choose other folds."
    verdict = f"more than noise (p = {p.p:.2g})" if p.more_than_noise else f"no more than noise (p = {p.p:.2g})"
    return f"{said}; {size}: {verdict}."


def versus_basis(found: Versus) -> str:
    """Say what the comparison rests on."""
    p = found.paired
    if found.folds != AS_THEY_ARE:
        how = f"Both learnt again without each fold, on {folds_in_words(found.folds)}"
        blocks = f"{p.n_blocks} groups of one fold, which say nothing of other draws" if found.inside else ""
        return f"{how}; {p.n_trials:,} trials in {blocks or f'{p.n_blocks} folds'}, the same for both."
    seen = [name for name, has in zip(("first", "second"), found.seen, strict=True) if has]
    errors = "their errors are no honest ones" if all(found.seen) else "its error is no honest one"
    told = f" The {' and the '.join(seen)} model learnt from these very trials, so {errors}."
    return f"Both as they are, on {p.n_trials:,} trials in {p.n_blocks} groups.{told if seen else ''}"


def versus_table(found: Versus, names: tuple[str, str]) -> pd.DataFrame:
    """Return a row per model with its scores on these trials."""
    return pd.DataFrame({"model": list(names), **columns_of(found.scores, _SCORES)})


def rows_drift(found: PredictedRows, model: FittedPipeline) -> Drift | None:
    """Return how far the rows of a file are from the trained ones, None if no row has all metrics."""
    return drift_of(model.domain, model.names, found.X) if np.isfinite(found.X).all(axis=1).any() else None


def drift_sentence(drift: Drift, model: FittedPipeline, scores: Scores | None = None) -> str:
    """Say in a sentence whether a model still suits new trials."""
    said = [f"{100 * drift.outside:.0f} % of {drift.n_trials:,} new trials lie outside what the model learnt from"]
    moved = drift.drifted
    if moved:
        named = first_few([m.name for m in moved], 3)
        said.append(f"{named} {'has' if len(moved) == 1 else 'have'} drifted")
    elif model.domain.marginals.n_trials:
        said.append("no metric has drifted within the trained range")
    trouble = bool(moved) or drift.outside > 0.1
    if scores is not None and scores.mape is not None:
        before = dict(model.validation.get("scores", {})).get("mape")
        against = f" (it was {before:.3g} % when validated)" if before else ""
        said.append(f"its mean error on them is {scores.mape:.3g} %{against}")
        trouble |= bool(before and scores.mape > WORSE * before)
    if scores is not None and scores.coverage_90 is not None:
        said.append(f"{scores.coverage_90:.0f} % of them lie in their 90 % interval")
        trouble |= scores.coverage_90 < COVERED_FROM
    advice = "Train it again with the new trials among the others" if trouble else "The model may go on"
    return f"{'; '.join(said)}. {advice}."


def drift_table(drift: Drift) -> pd.DataFrame:
    """Return a row per metric, the most drifted first."""
    outside = [100 * m.outside for m in drift.metrics]
    names = [m.name for m in drift.metrics]
    return pd.DataFrame({"metric": names, "outside range (%)": outside, **columns_of(drift.metrics, _DRIFT)})


_WORDS = ("the model as it is", "times a factor", "a line in logarithms", "trained anew")
IN_WORDS = dict(zip(METHODS, _WORDS, strict=True))


def reuse_table(found: Reuse) -> pd.DataFrame:
    """Return a row per number of runs, with the error of each method in percent."""
    columns = {f"{IN_WORDS[m]} (MAPE, %)": found.mape[:, i] for i, m in enumerate(METHODS)}
    least = np.nan_to_num(found.mape, nan=np.inf).argmin(axis=1)
    best = [IN_WORDS[METHODS[i]] if np.isfinite(row[i]) else "" for i, row in zip(least, found.mape, strict=True)]
    return pd.DataFrame({"runs of the new target": found.sizes, **columns, "best": best})


def reuse_sentence(found: Reuse, first: str, second: str) -> str:
    """Say when a model of the first target is good enough for the second, and when to train anew."""
    at = int(np.isfinite(found.reused).any(axis=1).argmax())
    error, how = float(found.reused[at].min()), IN_WORDS[METHODS[int(found.reused[at].argmin())]]
    said = f"With {count(found.sizes[at], 'run')} of {second}, the model of {first} is off by {error:.3g} % at best "
    said += f"({how}). "
    if not np.isfinite(error):
        said = f"The model of {first} predicts hardly a workload of {second}, rescaled or not. "
    pays = found.retrain_from
    if pays is None:
        return f"{said}Training anew does not pay with up to {found.sizes[-1]} runs: go on with the model of {first}."
    return f"{said}Training anew is worth it from {pays} runs on."
