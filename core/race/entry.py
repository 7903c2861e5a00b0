"""An entry of the race: a family with the treatments that it may choose from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import OptionError
from core.pipeline import FittedPipeline, Pipeline
from core.progress import Progress, part, silent
from core.recipes._nested import MOST_FOLDS, best_of, inner_folds
from core.recipes.base import Prepare, Recipe
from core.trial import Frame
from core.validate.folds import FoldPlan, default_folds, parse_folds


@dataclass(frozen=True)
class Entry:
    """A family and what may be done to the trials before it; which of these is chosen anew in each training part.

    Attributes
    ----------
    name : the family's or recipe's name, as in the JSON
    label : for people
    treatments : recipes by what they are called, such as `log_ratio` or `ratio, relative weights`
    inner : most inner folds to choose on; fewer for families that take long
    non_negative : whether it is a sum that no metric can make smaller
    kind : entries of one kind are much alike; its own if empty
    slowness : rank of how long it takes, as of `Family`
    """

    name: str
    label: str
    treatments: Mapping[str, Recipe]
    inner: int = MOST_FOLDS
    non_negative: bool = False
    kind: str = ""
    slowness: int = 0

    def __post_init__(self) -> None:
        if not self.treatments:
            raise OptionError(f"The entry '{self.name}' has no treatment.")

    def chooser(self, plan: FoldPlan | None = None, seed: int = 0) -> "Nested":
        """Return the entry as a recipe, which chooses its treatment on honest folds inside what it is given."""
        return Nested(self.name, self.treatments, str(plan) if plan else "", self.inner, seed)


@dataclass(frozen=True)
class Nested(Recipe):
    """Several recipes as one: the one of smallest error on folds inside the training trials is fitted.

    Attributes
    ----------
    folds : the folds outside, whose question those inside repeat; the hardest possible if empty
    inner : most inner folds
    """

    entry: str
    treatments: Mapping[str, Recipe]
    folds: str = ""
    inner: int = MOST_FOLDS
    seed: int = 0

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.entry

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Choose, then learn from all trials of a frame."""
        if len(self.treatments) == 1:
            return next(iter(self.treatments.values())).fit(frame, progress, prepare)
        plan = parse_folds(self.folds) if self.folds else default_folds(frame)
        folds = inner_folds(frame, plan, self.seed, self.inner)
        best, found = best_of(self.treatments, frame, folds, part(progress, 0.0, 0.9))
        fitted = self.treatments[best].fit(frame, part(progress, 0.9, 1.0), prepare)
        shown = ", ".join(f"{name} {t.error:.4g}" for name, t in found.items())
        return replace(fitted, notes=(*fitted.notes, f"treatments by error on inner folds: {shown}; {best} is used"))
