"""Eiger: components, clusters, and one stepwise model per cluster from a pool of basis functions."""

from dataclasses import replace
from functools import partial
from typing import Self

from core.errors import FitError
from core.models.parts.story import Stopping
from core.models.stepwise import Stepwise
from core.option import like, option
from core.passes.base import Pass
from core.passes.kmeans import KMeans
from core.passes.pca import PCA
from core.passes.rotations import EigerRotation, Varimax
from core.passes.scales import Log, Standardize
from core.pipeline import CLAMP, FLAG, FittedPipeline, Pipeline
from core.progress import Progress, part, silent
from core.recipes._train import best_of, completed
from core.recipes.base import Prepare, Recipe, Treated, unless_auto
from core.recipes.parts.nested import smallest_squared_error
from core.scale import HELP, RAW, logarithm_of
from core.trial import Frame
from core.validate.folds import FoldPlan, question_of
from core.validate.sharing import Fit

ORIGINAL = "eiger-1"
RIDGELINE, FORMER, PAPER = VARIANTS = ("ridgeline", "ridgeline-1", "paper")
FORMER_THRESHOLD = 0.003
AUTO = "auto"
METRICS = "metrics"


class Eiger(Recipe):
    """Forward stepwise over basis functions of principal components, one model per cluster.

    References
    ----------
    Kerr, Anger, Hendry, Yalamanchili 2012, Eiger: A Framework for the Automated Synthesis of
    Statistical Performance Models.
    """

    label = "Eiger"

    variant: str = option(RIDGELINE, choices=VARIANTS).says(
        "ridgeline chooses what is left open by predicting groups of trials held out; ridgeline-1 has the "
        "defaults that came before; paper is the paper to the letter: Table I, metrics and response as they are"
    )
    components: int | None = option(0, low=0, high=500, zero="Automatic").says(
        "Principal components to keep; 0 (an empty field) keeps as many as explain the share below "
        "(with the threshold auto, or the metrics themselves if groups held out are predicted better by them), none "
        "models the metrics themselves"
    )
    explained: float = option(0.95, low=0.01, high=1.0, label="Explained variance").says(
        "Share of the metrics' variance that the components must explain when their number is 0"
    )
    rotation: str = option("varimax", choices=("varimax", "none")).says(
        "Varimax turns the components so that each is made of few metrics"
    )
    clusters: int = option(1, low=1, high=100).says(
        "Groups of alike trials (k-means on the components), each with a model of its own"
    )
    pool: tuple[str, ...] = like(Stepwise, "pool", (), absent=AUTO).says(
        "Basis functions that may become terms: a named pool (signed, table1, linear, quadratic) "
        "or single functions such as log2, power:0.5, product; empty is signed, in the variant paper table1"
    )
    race: tuple[str, ...] = option((), label="Pools to race").says(
        "Named pools to try; the one with the smallest error on folds inside the trials is used instead of the "
        "pool above"
    )
    threshold: float | None = like(Stepwise, "threshold", None).says(
        "Least gain in adjusted R² that adds a term; smaller gives more terms. auto chooses the number of terms, "
        f"and how small their coefficients are held, by predicting groups held out (in other variants: "
        f"{FORMER_THRESHOLD})"
    )
    one_error: bool = like(Stepwise, "one_error")
    max_terms: int = like(Stepwise, "max_terms", 40, help="Stop at so many terms per cluster")
    metric_scale: str = like(Treated, "metric_scale", choices=("auto", "log", "raw"), expert=True).says(
        "auto takes the logarithm of metrics that are never negative and span more than a decade"
    )
    response_scale: str = like(Treated, "response_scale", expert=True).says(
        f"In the variant paper auto is raw, and with the threshold auto the logarithm of a positive response; "
        f"else {HELP}"
    )
    extrapolation: str = like(Treated, "extrapolation", expert=True).says(
        "clamp holds each metric at the edge of its trained range and warns, flag lets the formula run on "
        "and warns, refuse gives no prediction; auto is flag in the variant paper, and in the variant ridgeline where "
        "sizes or configurations held out are predicted better so, else clamp"
    )
    response_range: float | None = option(
        None, low=0.0, high=100.0, absent=AUTO, label="Room beyond the trained response", expert=True
    ).says(
        "Predictions are held within the trained range of the response, widened on both sides by this share of "
        "its span on the model's scale, and flagged where they are; auto is 0 in the variant ridgeline, but where "
        "sizes or configurations held out are predicted better without, and in the others lets them run on"
    )
    groups: str = option(AUTO, expert=True).says(
        "What is held out together where groups held out choose: application, machine, another label, or "
        "configuration; auto is what the folds hold out"
    )
    restarts: int = option(25, low=1, high=1000, expert=True).says(
        "k-means starts from so many random centres and keeps the tightest clusters"
    )
    least_cluster_trials: int = option(10, low=3, high=100000, label="Least trials per cluster", expert=True).says(
        "A cluster with fewer trials uses the model of all trials"
    )
    semantics: str = option("ridgeline", choices=("ridgeline", ORIGINAL), expert=True).says(
        "eiger-1 repeats the original program: raw rotated metrics, absolute values inside functions, no intercept"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of k-means' random starts")

    def asking(self, plan: FoldPlan) -> Self:
        """Return the recipe for what a plan holds out, if it chooses by that."""
        return replace(self, groups=question_of(plan)) if self._chooses and self.groups == AUTO else self

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame (section II)."""
        if self._chooses:
            return self._fit_best(frame, progress, prepare)
        if len(self.race) > 1:
            entries = {pool: replace(self, pool=(pool,), race=()) for pool in self.race}
            return smallest_squared_error(self, entries, frame, progress)  # II-B, model selection
        pipeline = self._original() if self.semantics == ORIGINAL else self._pipeline(self.components, self._pool)
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)

    @property
    def _chooses(self) -> bool:
        """Whether groups held out choose the number of terms, and what else is left open."""
        return self.variant == RIDGELINE and self.threshold is None and self.semantics != ORIGINAL

    @property
    def _pool(self) -> tuple[str, ...]:
        return self.race or self.pool or (("table1",) if self.variant == PAPER else ("signed",))

    def settled(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> Fit | None:
        """Return how it fits with space, pool and number of terms as they are chosen on these trials."""
        if not self._chooses or self.clusters > 1:
            return None
        ways = self._ways(self._scale(frame))
        pipeline, _, notes = best_of(ways, frame, prepare, Pipeline.settled, progress)
        return partial(self._fit_settled, pipeline, notes, prepare)

    def _fit_settled(
        self, pipeline: Pipeline, notes: tuple[str, ...], prepare: Prepare, frame: Frame, progress: Progress
    ) -> FittedPipeline:
        """Fit what was chosen on other trials, where these are on the same scale."""
        if self._scale(frame) != pipeline.response_scale:
            return self.fit(frame, progress, prepare)
        made = pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)
        return replace(made, notes=(*made.notes, *notes))

    def _fit_best(self, frame: Frame, progress: Progress, prepare: Prepare) -> FittedPipeline:
        """Fit in every space and with every pool that is left open, and take what predicts groups held out best."""
        ways, provenance = self._ways(self._scale(frame)), self.provenance(frame)
        share, rest = part(progress, 0.0, 0.8), part(progress, 0.8, 1.0)
        if self.clusters == 1:
            pipeline, prepared, notes = best_of(ways, frame, prepare, Pipeline.settled, share)
            made = pipeline.complete(prepared, provenance, rest)
        else:
            made, _, notes = best_of(ways, frame, prepare, partial(completed, provenance), share)
        return replace(made, notes=(*made.notes, *notes))

    def _scale(self, frame: Frame) -> str:
        """Return the scale of the response where it is left open."""
        return unless_auto(self.response_scale, logarithm_of(frame.y, frame.reference_values))

    def _ways(self, scale: str) -> dict[str, Pipeline]:
        """Return every space with every pool that is left open, by what they differ in."""
        spaces = {"components": 0, METRICS: None} if self.components == 0 else {"components": self.components}
        pools: list[tuple[str, ...]] = [(pool,) for pool in self.race] or [self._pool]
        found = {}
        for space, components in spaces.items():
            for pool in pools:
                names = [space] * (len(spaces) > 1) + [", ".join(pool)] * (len(pools) > 1)
                pipeline = replace(self._pipeline(components, pool), response_scale=scale)
                found[" with ".join(names) or space] = pipeline
        return found

    def stopping(self) -> Stopping[Recipe]:
        """Return the threshold, and the recipe without one where no pools are raced."""
        longest = None if len(self.race) > 1 else replace(self, threshold=0.0)
        judged = replace(self, threshold=None) if longest and self.variant == RIDGELINE else None
        return Stopping(self.threshold or 0.0, self.max_terms, longest, judged, self.threshold is not None)

    def is_quick(self, *, few: bool) -> bool:
        """Whether no pools are raced."""
        return len(self.race) <= 1

    def _pipeline(self, components: int | None, pool: tuple[str, ...]) -> Pipeline:
        partition = KMeans(clusters=self.clusters, restarts=self.restarts, seed=self.seed)  # II-A, clustering
        may_run_on = self.variant == RIDGELINE and self.response_range is None and self.extrapolation == AUTO
        return Pipeline(
            passes=self._passes(components),
            partition=partition if self.clusters > 1 else None,
            family=Stepwise(pool, self._threshold, self.max_terms, self.one_error),  # II-B, algorithm 1
            response_scale=unless_auto(self.response_scale, RAW if self._plain else AUTO),
            extrapolation=unless_auto(self.extrapolation, FLAG if self._plain else CLAMP),
            least_cluster_trials=self.least_cluster_trials,
            response_range=0.0 if self.response_range is None and self.variant == RIDGELINE else self.response_range,
            groups=self.groups,
            may_run_on=may_run_on,
        )

    def _passes(self, components: int | None) -> tuple[Pass, ...]:
        raw = self.metric_scale == "raw" or (self._plain and self.metric_scale == AUTO)
        scaled = () if raw else (Log(mode=self.metric_scale),)
        if components is None:
            return (*scaled, Standardize())
        fewer = self._chooses and self.components == 0
        pca = PCA(components=components, explained=self.explained, fewer=fewer)  # II-A, analysis: correlation, SVD
        return (*scaled, pca, Varimax()) if self.rotation == "varimax" else (*scaled, pca)

    @property
    def _plain(self) -> bool:
        """Whether metrics and response are taken as they are."""
        return self.variant == PAPER

    @property
    def _threshold(self) -> float | None:
        """The least gain that adds a term; None where groups held out choose."""
        return FORMER_THRESHOLD if self.threshold is None and not self._chooses else self.threshold

    def _original(self) -> Pipeline:
        """Return the original program's procedure (gtcasl/eiger v4), its quirks included."""
        rotate = self.rotation == "varimax"
        partition = KMeans(clusters=self.clusters, restarts=self.restarts, seed=self.seed, standardize=True)
        if self.components is None:
            raise FitError("The original Eiger always rotates: give components a number, 0 keeps all.")
        return Pipeline(
            passes=(EigerRotation(components=self.components, rotate=rotate),),
            partition=partition,
            family=Stepwise(pool=("eiger1",), threshold=self._threshold, max_terms=self.max_terms, semantics=ORIGINAL),
            response_scale=RAW,
            extrapolation=unless_auto(self.extrapolation, FLAG if self._plain else CLAMP),
            least_cluster_trials=self.least_cluster_trials,
            keep_constant=True,
        )
