"""A forest in place of the network: clusters recognised by trees, their surfaces mixed by the trees' votes."""

from dataclasses import dataclass
from typing import ClassVar

from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._clustered import Clustered
from core.scaling.predictors._clustered_trees import ClusteredTrees
from core.scaling.predictors._trees import averaged
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class ForestClassifierLearnt(ClusteredTrees):
    """Trees that vote for clusters."""


@dataclass(frozen=True)
class ForestClassifier(Clustered):
    """The paper's clusters with a random forest as the classifier."""

    label: ClassVar[str] = "Clusters and a forest"

    soft: bool = option(True, label="Mix clusters", help="Mix the clusters' surfaces by votes; else the first speaks")
    trees: int = option(100, low=1, high=5000, label="Trees", help="More are steadier, and slower")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestClassifierLearnt:
        """Cluster the surfaces and grow the trees."""
        from sklearn.ensemble import RandomForestClassifier

        found = self.clusters(lesson)
        forest = RandomForestClassifier(n_estimators=self.trees, random_state=self.seed)
        forest.fit(lesson.features, found.labels)
        return ForestClassifierLearnt(found.from_base(lesson.base), self.soft, averaged(forest, found.n_clusters))
