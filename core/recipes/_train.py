"""Train for use: fit to all trials, validate on folds, and give the model its interval."""

import math
from dataclasses import asdict, dataclass, replace

from core.pipeline import FittedPipeline
from core.progress import Progress, part, silent
from core.recipes.base import Recipe
from core.trial import Frame
from core.validate.crossval import NOMINAL, Validation, cross_validate
from core.validate.folds import FoldPlan, default_folds
from core.validate.intervals import Interval


@dataclass(frozen=True)
class Trained:
    """A model ready for use, and the validation behind its interval."""

    model: FittedPipeline
    validation: Validation


def train(
    recipe: Recipe,
    frame: Frame,
    plan: FoldPlan | None = None,
    seed: int = 0,
    dataset: str = "",
    progress: Progress = silent,
) -> Trained:
    """Fit a recipe to a frame and validate it on the plan's folds (by default the hardest ones).

    Raises
    ------
    FitError
        If the trials allow no model, or no validation.
    """
    chosen = plan or default_folds(frame)
    model = recipe.fit(frame, part(progress, 0.0, 0.1))
    validation = cross_validate(recipe.fit, frame, chosen, seed, part(progress, 0.1, 1.0))
    return Trained(with_validation(model, validation, seed, dataset), validation)


def with_validation(model: FittedPipeline, validation: Validation, seed: int, dataset: str) -> FittedPipeline:
    """Return the model with the interval and the scores that a validation found."""
    held = int((validation.fold_of_row >= 0).sum())
    width = validation.half_width
    interval = Interval(width, NOMINAL, held, validation.folds) if math.isfinite(width) else None
    known = replace(model, provenance=replace(model.provenance, dataset=dataset))
    report = {"folds": validation.folds, "seed": seed, "scores": asdict(validation.scores)}
    return known.with_interval(interval, report)
