"""A model family on its own, on the scaled metrics, as the simplest of recipes."""

from dataclasses import dataclass, field

from core.models import FAMILIES
from core.models.base import RAW, Family
from core.models.stepwise import Stepwise
from core.passes.log import Log
from core.passes.standardize import Standardize
from core.pipeline import FittedPipeline, Pipeline
from core.progress import Progress, silent
from core.recipes.base import Prepare, Recipe
from core.trial import Frame


@dataclass(frozen=True)
class FamilyRecipe(Recipe):
    """One family on all metrics, prepared as it wants them: logarithms where they fit and standard scores, or raw."""

    family: Family = field(default_factory=Stepwise)

    @property
    def name(self) -> str:
        """The family's name."""
        return FAMILIES.name_of(type(self.family))

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame."""
        pipeline = self.pipeline
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)

    @property
    def pipeline(self) -> Pipeline:
        """What is learnt, in order; a family that wants raw metrics gets the raw response too."""
        if self.family.preparation == RAW:
            return Pipeline(passes=(), family=self.family, response_scale=RAW)
        return Pipeline(passes=(Log(), Standardize()), family=self.family)
