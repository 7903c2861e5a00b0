"""The contract of a recipe, a paper's procedure as options; and a family with a treatment as one."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from typing import Self

from core import __version__
from core.codec import to_plain
from core.models import FAMILIES
from core.models.base import OWN, RAW, Family
from core.models.parts.story import Limits, Stopping
from core.models.stepwise import Stepwise
from core.option import Options, option, specs
from core.passes.base import Pass
from core.passes.pca import PCA
from core.passes.products import Pairs, Whole
from core.passes.scales import Log, Standardize
from core.pipeline import CLAMP, EXTRAPOLATION, FLAG, FittedPipeline, Pipeline, Prepared, Provenance
from core.progress import Progress, silent
from core.scale import CHOICES, HELP, logarithm_of
from core.trial import Frame
from core.validate.folds import AUTO, FoldPlan, asks_for_new, question_of
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


class Recipe(Options, ABC):
    """Options of a procedure; fitting gives a trained model."""

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
    def least_trials(self) -> int:
        """Fewest trials that it can be fitted to."""
        return Family.least_trials

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


AS_THEY_ARE = RAW
POSITIVE, PRODUCTS, WHOLE = "positive", "products", "whole"


class Treated(Recipe):
    """One family on all metrics, which are prepared as the family needs them: scaled, or raw."""

    family: Family = field(default_factory=Stepwise)
    response_scale: str = option("auto", choices=CHOICES, help=HELP)
    metric_scale: str = option("auto", choices=("auto", POSITIVE, PRODUCTS, WHOLE, "log", "raw")).says(
        "auto takes the logarithm of metrics that are never negative and span more than a decade, positive of "
        "every one that is never negative, products beside these the products of every two, whole beside both how "
        "round whole numbers are for hardware: odd parts, and products of two filled up to multiples of 32 and 64"
    )
    explained: float | None = option(None, low=0.01, high=1.0, label="Explained variance").says(
        "Fit to the principal components that explain this share of the metrics' variance; none fits to the "
        "metrics themselves"
    )
    extrapolation: str = option(AUTO, choices=(AUTO, *EXTRAPOLATION), label="Outside the trained range").says(
        "clamp holds each metric at the edge of its trained range and warns, flag lets the formula run on "
        "and warns, refuse gives no prediction; auto is flag where no scale is chosen either, else clamp, and "
        "predictions for a new application or machine stay within the trained responses"
    )
    hold: bool = option(False, label="Hold predictions", expert=True).says(
        "Within the range of the trained responses, of their ratios with a host"
    )

    groups: str = AUTO

    @property
    def name(self) -> str:
        """The family's name."""
        return FAMILIES.name_of(type(self.family))

    @property
    def least_trials(self) -> int:
        """Those of the family."""
        return self.family.least_trials

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame."""
        pipeline = self._pipeline(frame)
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)

    def settled(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> Fit | None:
        """Return how it fits with what its family leaves open as it is chosen on these trials."""
        if type(self.family).settled is Family.settled:
            return None
        pipeline = self._pipeline(frame)
        prepared = prepare(pipeline, frame)
        return partial(self._fit_settled, pipeline.settled(prepared, progress)[0], prepared.features.names, prepare)

    def _fit_settled(
        self, pipeline: Pipeline, names: tuple[str, ...], prepare: Prepare, frame: Frame, progress: Progress
    ) -> FittedPipeline:
        """Fit what was chosen on other trials, where these have the same features on the same scale."""
        own = self._pipeline(frame)
        prepared = prepare(own, frame)
        alike = (own.response_scale, prepared.features.names) == (pipeline.response_scale, names)
        made = replace(own, family=pipeline.family) if alike else own
        return made.complete(prepared, self.provenance(frame), progress)

    def _pipeline(self, frame: Frame) -> Pipeline:
        stays = self.extrapolation == AUTO and asks_for_new(frame, self.groups)
        return Pipeline(
            self._passes(),
            self.family,
            None,
            self._scale(frame),
            unless_auto(self.extrapolation, FLAG if self._untreated and self.family.preparation != OWN else CLAMP),
            response_range=0.0 if self.family.preparation == OWN or self.hold or stays else None,
            groups=self.groups,
            may_run_on=not self.hold and self.extrapolation == AUTO,
        )

    @property
    def _untreated(self) -> bool:
        """Whether nothing but the family is chosen."""
        return self == Treated(family=self.family, groups=self.groups)

    def _scale(self, frame: Frame) -> str:
        if self.response_scale == AUTO and self.family.preparation == OWN:
            return logarithm_of(frame.y, frame.reference_values)
        return RAW if self._untreated and self.family.preparation == RAW else self.response_scale

    @property
    def light(self) -> Self:
        """The same at a fraction of the time, for choosing, where the family takes long."""
        return replace(self, family=self.family.light)

    def stopping(self) -> Stopping[Recipe] | None:
        """Return what ends the family's selection."""
        own = self.family.stopping()
        return None if own is None else own.within(lambda family: replace(self, family=family))

    def limits(self) -> Limits | None:
        """Return what ends the family's selection."""
        return self.family.limits()

    def is_quick(self, *, few: bool) -> bool:
        """Whether the family is, or there are few trials."""
        return self.family.quick or few

    def asking(self, plan: FoldPlan) -> Self:
        """Return the recipe for what a plan holds out: its family may choose by that, and predictions be held."""
        return replace(self, groups=question_of(plan)) if self.groups == AUTO else self

    def _passes(self) -> tuple[Pass, ...]:
        """Return logarithms where they fit and standard scores or components, or nothing at all.

        Families that hold coefficients at or above 0 take metrics as they are: on standard scores a
        coefficient's sign is no longer that of the metric's effect from 0 on.
        """
        if self.family.preparation in (AS_THEY_ARE, OWN):
            return ()
        scaled = () if self.metric_scale == "raw" else (self._log(),)
        scaled = (*scaled, Pairs()) if self.metric_scale in (PRODUCTS, WHOLE) else scaled
        scaled = (Whole(), *scaled) if self.metric_scale == WHOLE else scaled
        return (*scaled, Standardize() if self.explained is None else PCA(explained=self.explained))

    def _log(self) -> Log:
        return Log(span=1.0) if self.metric_scale in (POSITIVE, PRODUCTS, WHOLE) else Log(mode=self.metric_scale)


TREATMENT = tuple(spec.name for spec in specs(Treated))
"""Options that every family takes besides its own: the scales it is fitted on."""
