"""What curation does to a model: the same recipe on the same folds, with and without the excluded trials."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.progress import Progress, part, silent
from core.recipes.base import Recipe
from core.report.shared.scorecard import ScoreCard, score_card
from core.trial import Frame
from core.validate.crossval import Validation, cross_validate
from core.validate.folds import FoldPlan
from core.validate.scores import Scores, score


class Difference(Frozen):
    """Two validations of one recipe, scored on the trials that count in both.

    Attributes
    ----------
    everything, counted : scores of models that learnt from all trials, and from those that count
    n_scored : trials that both predict
    """

    everything: Scores
    counted: Scores
    n_scored: int

    def card(self, frame: Frame) -> ScoreCard:
        """Return both side by side."""
        columns = {"learnt from all trials": self.everything, "learnt from those that count": self.counted}
        return score_card(columns, frame.response)

    def table(self, frame: Frame) -> pd.DataFrame:
        """Return the card as a table."""
        return self.card(frame).table()


def difference(
    recipe: Recipe,
    everything: Frame,
    counted: Frame,
    plan: FoldPlan,
    seed: int = 0,
    progress: Progress = silent,
    configuration: Mapping[str, int] | None = None,
) -> Difference:
    """Cross-validate a recipe on both frames; both are scored on the trials that count.

    An excluded trial would score a model by a value that is not believed, so such trials may
    teach the first model but score neither.

    Parameters
    ----------
    configuration : by trial, where each row stands for the repeats of one: rows are then paired by
        it, because the trial that names a row may be one that was left out

    Raises
    ------
    FitError
        If the trials allow no model, or no folds.
    """
    recipe = recipe.asking(plan)
    first = cross_validate(recipe.fit, everything, plan, seed, part(progress, 0.0, 0.5))
    second = cross_validate(recipe.fit, counted, plan, seed, part(progress, 0.5, 1.0))
    names = [[configuration[id] if configuration else id for id in frame.ids] for frame in (everything, counted)]
    rows = {name: i for i, name in enumerate(names[0])}
    pairs = [(rows[name], i) for i, name in enumerate(names[1]) if name in rows]
    held = [(a, b) for a, b in pairs if first.fold_of_row[a] >= 0 and second.fold_of_row[b] >= 0]
    a = np.array([pair[0] for pair in held], dtype=np.int64)
    b = np.array([pair[1] for pair in held], dtype=np.int64)
    return Difference(
        everything=_scored(first, counted.y[b], a), counted=_scored(second, counted.y[b], b), n_scored=len(held)
    )


def _scored(validation: Validation, y: FloatArray, rows: IntArray) -> Scores:
    return score(y, validation.predicted[rows], validation.low[rows], validation.high[rows])
