"""Eiger: components, clusters, and one stepwise model per cluster from a pool of basis functions."""

from dataclasses import dataclass, replace
from typing import ClassVar

from core.errors import FitError
from core.models.stepwise import Stepwise
from core.option import option
from core.passes.base import Pass
from core.passes.eiger_rotation import EigerRotation
from core.passes.kmeans import KMeans
from core.passes.log import Log
from core.passes.pca import PCA
from core.passes.standardize import Standardize
from core.passes.varimax import Varimax
from core.pipeline import EXTRAPOLATION, FittedPipeline, Pipeline
from core.progress import Progress, part, silent
from core.recipes._race import smallest_squared_error
from core.recipes.base import Prepare, Recipe
from core.scale import CHOICES, HELP
from core.trial import Frame

ORIGINAL = "eiger-1"


@dataclass(frozen=True)
class Eiger(Recipe):
    """Forward stepwise over basis functions of principal components, one model per cluster.

    References
    ----------
    Kerr, Anger, Hendry, Yalamanchili 2012, Eiger: A Framework for the Automated Synthesis of
    Statistical Performance Models.
    """

    label: ClassVar[str] = "Eiger"
    paper: ClassVar[str] = "Kerr, Anger, Hendry, Yalamanchili 2012"

    components: int | None = option(
        0, low=0, high=500, label="Components",
        help="Principal components to keep; 0 keeps as many as explain the share below, "
        "none models the metrics themselves",
    )  # fmt: skip
    explained: float = option(
        0.95, low=0.01, high=1.0, label="Explained variance",
        help="Share of the metrics' variance that the components must explain when their number is 0",
    )  # fmt: skip
    rotation: str = option(
        "varimax", choices=("varimax", "none"), label="Rotation",
        help="Varimax turns the components so that each is made of few metrics",
    )  # fmt: skip
    clusters: int = option(
        1, low=1, high=100, label="Clusters",
        help="Groups of alike trials (k-means on the components), each with a model of its own",
    )  # fmt: skip
    pool: tuple[str, ...] = option(
        ("signed",), label="Pool",
        help="Basis functions that may become terms: a named pool (signed, table1, linear, quadratic) "
        "or single functions such as log2, power:0.5, product",
    )  # fmt: skip
    race: tuple[str, ...] = option(
        (), label="Pools to race",
        help="Named pools to try; the one with the smallest cross-validated squared error "
        "is used instead of the pool above",
    )  # fmt: skip
    threshold: float = option(
        0.003, low=0.0, high=1.0, label="Threshold",
        help="Least gain in adjusted R² that adds a term; smaller gives more terms",
    )  # fmt: skip
    max_terms: int = option(40, low=1, high=500, label="Most terms", help="Stop at so many terms per cluster")
    metric_scale: str = option(
        "auto", choices=("auto", "log", "raw"), label="Metric scale", expert=True,
        help="auto takes the logarithm of metrics that are never negative and span more than a decade",
    )  # fmt: skip
    response_scale: str = option(
        "auto", choices=CHOICES, label="Response scale", expert=True,
        help=HELP,
    )  # fmt: skip
    extrapolation: str = option(
        "clamp", choices=EXTRAPOLATION, label="Outside the trained range", expert=True,
        help="clamp holds each metric at the edge of its trained range and warns, flag lets the formula run on "
        "and warns, refuse gives no prediction",
    )  # fmt: skip
    restarts: int = option(
        25, low=1, high=1000, label="Restarts", expert=True,
        help="k-means starts from so many random centres and keeps the tightest clusters",
    )  # fmt: skip
    least_cluster_trials: int = option(
        10, low=3, high=100000, label="Least trials per cluster", expert=True,
        help="A cluster with fewer trials uses the model of all trials",
    )  # fmt: skip
    semantics: str = option(
        "ridgeline", choices=("ridgeline", ORIGINAL), label="Semantics", expert=True,
        help="eiger-1 repeats the original program: raw rotated metrics, absolute values inside functions, "
        "no intercept",
    )  # fmt: skip
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of k-means' random starts")

    @property
    def name(self) -> str:
        """The recipe's name."""
        return "eiger"

    def fit(self, frame: Frame, progress: Progress = silent, prepare: Prepare = Pipeline.prepare) -> FittedPipeline:
        """Learn from all trials of a frame (section II)."""
        if len(self.race) > 1:
            return self._fit_raced(frame, progress)
        pipeline = self._original() if self.semantics == ORIGINAL else self._pipeline()
        return pipeline.complete(prepare(pipeline, frame), self.provenance(frame), progress)

    def _pipeline(self) -> Pipeline:
        partition = KMeans(clusters=self.clusters, restarts=self.restarts, seed=self.seed)  # II-A, clustering
        return Pipeline(
            passes=self._passes(),
            partition=partition if self.clusters > 1 else None,
            family=self._family(self.race or self.pool),  # II-B, algorithm 1
            response_scale=self.response_scale,
            extrapolation=self.extrapolation,
            least_cluster_trials=self.least_cluster_trials,
        )

    def _passes(self) -> tuple[Pass, ...]:
        scaled = () if self.metric_scale == "raw" else (Log(mode=self.metric_scale),)
        if self.components is None:
            return (*scaled, Standardize())
        pca = PCA(components=self.components, explained=self.explained)  # II-A, analysis: correlation, SVD
        return (*scaled, pca, Varimax()) if self.rotation == "varimax" else (*scaled, pca)

    def _family(self, pool: tuple[str, ...]) -> Stepwise:
        return Stepwise(pool=pool, threshold=self.threshold, max_terms=self.max_terms)

    def _original(self) -> Pipeline:
        """Return the original program's procedure (gtcasl/eiger v4), its quirks included."""
        rotate = self.rotation == "varimax"
        partition = KMeans(clusters=self.clusters, restarts=self.restarts, seed=self.seed, standardize=True)
        if self.components is None:
            raise FitError("The original Eiger always rotates: give components a number, 0 keeps all.")
        return Pipeline(
            passes=(EigerRotation(components=self.components, rotate=rotate),),
            partition=partition,
            family=Stepwise(pool=("eiger1",), threshold=self.threshold, max_terms=self.max_terms, semantics=ORIGINAL),
            response_scale="raw",
            extrapolation=self.extrapolation,
            least_cluster_trials=self.least_cluster_trials,
            keep_constant=True,
        )

    def _fit_raced(self, frame: Frame, progress: Progress) -> FittedPipeline:
        """Fit with the pool of smallest squared error on inner folds of these trials (II-B, model selection)."""
        entries = {pool: replace(self, pool=(pool,), race=()) for pool in self.race}
        winner, note = smallest_squared_error(entries, frame, part(progress, 0.0, 0.9))
        fitted = entries[winner].fit(frame, part(progress, 0.9, 1.0))
        return replace(fitted, notes=(*fitted.notes, note), provenance=self.provenance(frame))
