"""Ridge regression of the metrics' roots."""

from typing import ClassVar

from core.models.ridge import Ridge
from core.option import like
from core.passes.scales import Standardize
from core.passes.signed_root import SignedRoot
from core.pipeline import FittedPipeline, Pipeline
from core.progress import Progress, silent
from core.recipes.base import Prepare, Recipe
from core.trial import Frame


class Rooted(Recipe):
    """Signed roots, standard scores, then ridge regression."""

    label: ClassVar[str] = "Rooted"
    paper: ClassVar[str] = "none; the guide's example"

    penalty: float = like(Ridge, "penalty")

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame."""
        pipeline = Pipeline((SignedRoot(), Standardize()), Ridge(penalty=self.penalty))
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)
