"""The contract of a recipe: a paper's procedure as options, composed of passes and families."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from core import __version__
from core.codec import to_plain
from core.models.parts.story import Limits, Stopping
from core.option import Options
from core.pipeline import FittedPipeline, Pipeline, Prepared, Provenance
from core.progress import Progress, silent
from core.trial import Frame
from core.validate.folds import AUTO, FoldPlan
from core.validate.sharing import Fit


def unless_auto(chosen: str, otherwise: str) -> str:
    """Return what was chosen, or something else where that is left open."""
    return otherwise if chosen == AUTO else chosen


Prepare = Callable[[Pipeline, Frame], Prepared]


def in_passing(pipeline: Pipeline, frame: Frame) -> Prepared:
    """Prepare for a model that is asked at once and not kept."""
    return replace(pipeline.prepare(frame), passing=True)


def remembering() -> Prepare:
    """Return what prepares for models that are not kept, once for those in a row that prepare alike."""
    known: dict[str, Prepared] = {}

    def prepare(pipeline: Pipeline, frame: Frame) -> Prepared:
        key = f"{id(frame)} {pipeline.preparation}"
        if key not in known:
            known.clear()  # one is enough, and little memory
            known[key] = in_passing(pipeline, frame)
        return known[key]

    return prepare


@dataclass(frozen=True)
class Recipe(Options, ABC):
    """Options of a procedure; fitting gives a trained model."""

    paper: ClassVar[str] = ""

    @property
    def name(self) -> str:
        """What the recipe is called on the command line and in model files: its file's name, usually."""
        return type(self).__module__.rpartition(".")[2]

    @abstractmethod
    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame, and from nothing else.

        Parameters
        ----------
        prepare : does what `Pipeline.prepare` does; a page hands in one that remembers, so that a
            change of the models' options alone learns no components again

        Raises
        ------
        FitError
            If the trials do not allow it.
        """

    def asking(self, plan: FoldPlan) -> Self:
        """Return the recipe for what a plan holds out; those that choose nothing by held-out groups do not ask."""
        return self

    @property
    def light(self) -> Self:
        """The same at a fraction of the time, to tell how good it is: half the trees, say."""
        return self

    def settled(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> Fit | None:
        """Return how it fits once what it chooses by groups held out was chosen on a frame; None if it chooses nothing.

        Folds that are many share such choices, made on trials that none of them holds out.
        """
        return None

    def stopping(self) -> "Stopping[Recipe] | None":
        """Return what ends its selection of terms; None if it selects none step by step."""
        return None

    def limits(self) -> Limits | None:
        """Return what ends its selection in rounds; None if it selects nothing so."""
        return None

    def is_quick(self, *, few: bool) -> bool:
        """Whether a fit takes moments; `few` if there are so few trials that one fit of any family does."""
        return True

    def provenance(self, frame: Frame) -> Provenance:
        """Return what has to be known to make the same model again."""
        options = to_plain(self)
        return Provenance(
            recipe=self.name,
            options=options,
            seed=int(options.get("seed", 0)),
            version=__version__,
            trials_sha256=frame.digest(),
            n_trials=len(frame),
        )
