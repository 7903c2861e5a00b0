"""Two models: how they were made and what they say, on the same trials, and one used for a similar target."""

from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, to_plain
from core.errors import count, first_few
from core.pipeline import FittedPipeline
from core.race.reuse import METHODS, Reuse
from core.race.versus import AS_THEY_ARE, Versus
from core.recipes import recipe_label
from core.report.model.card import OUTSIDE, interval_briefly, tested_with
from core.report.model.predictions import PredictedRows
from core.report.model.summary import feature_terms, options_in_words, words_on_scale
from core.report.shared.naming import columns_of, trial_names
from core.report.shared.outcome import percent_above
from core.report.shared.scorecard import ScoreCard, folds_in_words, score_card
from core.trial import Frame, Metric
from core.validate.drift import Drift, drift_of
from core.validate.record import recorded
from core.validate.scores import LEVEL, Scores, score

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
    ends = (p.low, p.high) if p.difference >= 0 else (-p.high, -p.low)
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
    n = count(drift.n_trials, "new trial")
    said = [f"{100 * drift.outside:.0f} % of {n} lie outside what the model learnt from"]
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


class Trait(Frozen):
    """Something that both models have: what the first and the second say of it, as texts."""

    name: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.first != self.second


class Comparison(Frozen):
    """Two models compared.

    Attributes
    ----------
    names : what the two are called
    traits : how they were made and what they are
    options : of their recipes
    only_first, only_second, shared : terms, or metrics that are used, in one of them and in both
    scores : on unseen trials, side by side; None where neither was tested
    same_folds : whether both were tested with the same folds on the same trials
    same_words : whether terms mean the same in both; components of one model are not those of another
    """

    names: tuple[str, str]
    traits: tuple[Trait, ...]
    options: tuple[Trait, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    shared: tuple[str, ...]
    scores: ScoreCard | None
    same_folds: bool
    same_words: bool

    @property
    def same_response(self) -> bool:
        """Whether both predict the same metric in the same unit."""
        return not self.traits[0].differs


class Against(Frozen):
    """What two models predict for the same trials.

    Attributes
    ----------
    first, second, actual : arrays of shape (n,), in the response's unit; NaN where a model refuses
    n_refused : trials that at least one of them refuses
    apart : median over trials of |second / first - 1|, in percent; NaN where there is none
    within_10 : percent of trials for which they agree within 10 %
    scores : of both on these trials, which either may have learnt from
    """

    response: Metric
    names: tuple[str, ...]
    models: tuple[str, str]
    first: FloatArray
    second: FloatArray
    actual: FloatArray
    n_refused: int
    apart: float
    within_10: float
    scores: ScoreCard

    def table(self) -> pd.DataFrame:
        """Return a row per trial."""
        table: dict[str, Any] = {"trial": self.names, f"measured {self.response}": self.actual}
        table |= dict(zip(self.models, (self.first, self.second), strict=True))
        return pd.DataFrame(table | {"second over first (%)": percent_above(self.first, self.second)})


def compare(first: FittedPipeline, second: FittedPipeline, names: tuple[str, str]) -> Comparison:
    """Put two models side by side, by the names that people know them by."""
    kept = [recorded(model.validation) for model in (first, second)]
    columns = {name: k.scores for name, k in zip(names, kept, strict=True) if k.scores is not None}
    a, b = (dict.fromkeys(_terms(model)) for model in (first, second))
    same_words = not (first.loadings.size or second.loadings.size) or to_plain(first.passes) == to_plain(second.passes)
    tests = [(k.folds, k.seed, m.provenance.trials_sha256) for k, m in zip(kept, (first, second), strict=True)]
    return Comparison(
        names=names,
        traits=_pairs(_traits(first), _traits(second)),
        options=_pairs(*(options_in_words(m.provenance.recipe, m.provenance.options, True) for m in (first, second))),
        only_first=tuple(term for term in a if term not in b or not same_words),
        only_second=tuple(term for term in b if term not in a or not same_words),
        shared=tuple(term for term in a if term in b and same_words),
        scores=score_card(columns, first.response) if columns else None,
        same_folds=tests[0] == tests[1],
        same_words=same_words,
    )


def against(first: FittedPipeline, second: FittedPipeline, frame: Frame, names: tuple[str, str]) -> Against:
    """Return what both say of the trials of a frame that has the metrics of both."""
    a, b = (model.predict(model.rows(frame)).value for model in (first, second))
    both = np.isfinite(a) & np.isfinite(b)
    ratio = np.abs(percent_above(a, b)[both])
    known = ratio[np.isfinite(ratio)]
    scores: dict[str, Scores] = {names[0]: score(frame.y, a), names[1]: score(frame.y, b)}
    return Against(
        response=frame.response,
        names=trial_names(frame),
        models=names,
        first=a,
        second=b,
        actual=frame.y,
        n_refused=int((~both).sum()),
        apart=float(np.median(known)) if len(known) else float("nan"),
        within_10=float(100 * np.mean(known <= 10)) if len(known) else float("nan"),
        scores=score_card(scores, frame.response),
    )


def _traits(model: FittedPipeline) -> dict[str, str]:
    made = model.provenance
    names = ", ".join(model.names)
    return {
        "Predicts": str(model.response),
        "Recipe": recipe_label(made.recipe),
        "Models": words_on_scale(model),
        "Outside the trained range": OUTSIDE[model.extrapolation],
        "Metrics": f"{len(model.metrics)}: {names[:300]}{'…' if len(names) > 300 else ''}",
        "Columns that reach the model": str(len(model.features)),
        "Clusters": str(len(model.clusters)),
        "Dataset": made.dataset or "unknown",
        "Trials": f"{made.n_trials:,}",
        "Trials' SHA-256": made.trials_sha256[:16],
        "Tested with": tested_with(recorded(model.validation).folds) or "never tested",
        "Interval": interval_briefly(model) or "none",
        "Seed": str(made.seed),
        "Made by": f"Ridgeline {made.version}",
    }


def _pairs(first: dict[str, str], second: dict[str, str]) -> tuple[Trait, ...]:
    return tuple(Trait(name, first.get(name, "–"), second.get(name, "–")) for name in {**first, **second})


def _terms(model: FittedPipeline) -> list[str]:
    return [term for member in model.clusters for term in member.model.terms(feature_terms(model))]
