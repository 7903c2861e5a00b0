"""Choose among recipes by squared error on folds inside the training trials, never on the ones reported."""

from collections.abc import Mapping

import numpy as np

from core.errors import FitError
from core.progress import Progress, part
from core.recipes.base import Recipe
from core.trial import Frame
from core.validate.calibration import PLAIN
from core.validate.crossval import cross_validate
from core.validate.folds import FoldPlan


def smallest_squared_error(
    entries: Mapping[str, Recipe], frame: Frame, progress: Progress, noun: str = "pools"
) -> tuple[str, str]:
    """Return the name of the best entry and a sentence with every entry's error.

    The error is the mean squared residual on the model's own scale over 5 random folds of
    configurations; a refused prediction counts like the largest residual of that entry.
    """
    errors = {}
    for i, (name, recipe) in enumerate(entries.items()):
        share = part(progress, i / len(entries), (i + 1) / len(entries))
        errors[name] = _squared_error(recipe, frame, share)
    winner = min(errors, key=lambda name: errors[name])
    if not np.isfinite(errors[winner]):
        raise FitError(f"None of the {noun} {', '.join(entries)} can be cross-validated on {len(frame)} trials.")
    shown = ", ".join(f"{name} {error:.4g}" for name, error in errors.items())
    return winner, f"{noun} raced by cross-validated squared error: {shown}; {winner} is used"


def _squared_error(recipe: Recipe, frame: Frame, progress: Progress) -> float:
    folds = min(5, len(np.unique(frame.configuration)))
    try:
        residuals = cross_validate(recipe.fit, frame, FoldPlan("kfold", folds), 0, progress, PLAIN).residuals
    except FitError:
        return float("inf")
    known = np.isfinite(residuals)
    if not known.any():
        return float("inf")
    return float(np.mean(np.where(known, residuals, np.abs(residuals[known]).max()) ** 2))
