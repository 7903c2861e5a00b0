"""The mean of two unlike predictors: trees over the surface's components, and clusters recognised by boosting."""

from dataclasses import dataclass
from typing import ClassVar

from core.codec import FloatArray
from core.option import like
from core.progress import Progress, part, silent
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor
from core.scaling.predictors.boosting_classifier import BoostingClassifier, BoostingClassifierLearnt
from core.scaling.predictors.forest import ExtraTrees, Forest, ForestLearnt


@dataclass(frozen=True)
class BlendLearnt(Learnt):
    """Both."""

    trees: ForestLearnt
    clusters: BoostingClassifierLearnt

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean of both log surfaces."""
        return (self.trees.surfaces(asked) + self.clusters.surfaces(asked)) / 2

    def cluster(self, asked: Asked) -> tuple[int, ...]:
        """Return each kernel's likeliest cluster."""
        return self.clusters.cluster(asked)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold both."""
        self.trees.check(n_features, n_configurations)
        self.clusters.check(n_features, n_configurations)


@dataclass(frozen=True)
class Blend(Predictor):
    """Errors of unlike predictors cancel in part."""

    label: ClassVar[str] = "Mean of trees and boosted clusters"

    n_clusters: int = like(BoostingClassifier, "n_clusters")
    trees: int = like(Forest, "trees")
    seed: int = like(BoostingClassifier, "seed")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BlendLearnt:
        """Fit both."""
        trees = ExtraTrees(trees=self.trees, seed=self.seed).fit(lesson, part(progress, 0.0, 0.5))
        clusters = BoostingClassifier(n_clusters=self.n_clusters, seed=self.seed)
        return BlendLearnt(trees, clusters.fit(lesson, part(progress, 0.5, 1.0)))
