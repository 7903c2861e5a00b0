"""A model family on its own, on the scaled metrics, as the simplest of recipes."""

from dataclasses import dataclass, field, replace
from typing import Self

from core.models import FAMILIES
from core.models.base import OWN, RAW, Family
from core.models.stepwise import Stepwise
from core.passes.log import Log
from core.passes.standardize import Standardize
from core.pipeline import CLAMP, FittedPipeline, Pipeline
from core.progress import Progress, silent
from core.recipes.base import Prepare, Recipe
from core.scale import logarithm_of
from core.trial import Frame
from core.validate.folds import AUTO, FoldPlan, question_of


@dataclass(frozen=True)
class FamilyRecipe(Recipe):
    """One family on all metrics, prepared as it wants them: logarithms where they fit and standard scores, or raw."""

    family: Family = field(default_factory=Stepwise)
    groups: str = AUTO

    @property
    def name(self) -> str:
        """The family's name."""
        return FAMILIES.name_of(type(self.family))

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame."""
        pipeline = self.pipeline_of(frame)
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)

    def asking(self, plan: FoldPlan) -> Self:
        """Return the recipe for what a plan holds out, if its family chooses by that."""
        return replace(self, groups=question_of(plan)) if self.family.grouped and self.groups == AUTO else self

    def pipeline_of(self, frame: Frame) -> Pipeline:
        """Return what is learnt of a frame, in order; a family that wants raw metrics gets the raw response too."""
        if self.family.preparation == RAW:
            return Pipeline(passes=(), family=self.family, response_scale=RAW)
        if self.family.preparation == OWN:
            scale = logarithm_of(frame.y, frame.reference_values)
            return Pipeline((), self.family, None, scale, CLAMP, response_range=0.0, groups=self.groups)
        return Pipeline(passes=(Log(), Standardize()), family=self.family, groups=self.groups)
