"""Two models side by side: what differs in how they were made, in what they are, and in what they say."""

from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, to_plain
from core.pipeline import FittedPipeline
from core.recipes import recipe_label
from core.report.model.card import OUTSIDE, interval_briefly, tested_with
from core.report.model.summary import feature_terms, options_in_words, words_on_scale
from core.report.shared.naming import trial_names
from core.report.shared.outcome import percent_above
from core.report.shared.scorecard import ScoreCard, score_card
from core.trial import Frame, Metric
from core.validate.record import recorded
from core.validate.scores import Scores, score


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
