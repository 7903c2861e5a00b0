"""Trees in place of the network: clusters recognised by boosting or a forest, their surfaces mixed by probability."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Clustered, ClusteredTrees, as_trees, averaged
from core.scaling.predictors.base import Lesson


@dataclass(frozen=True)
class BoostingClassifierLearnt(ClusteredTrees):
    """Trees whose sum is the log odds of each cluster."""

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the softmax of the trees' sums."""
        return _softmax(self.trees.predict(features))


@dataclass(frozen=True)
class BoostingClassifier(Clustered):
    """The paper's clusters with gradient boosting as the classifier: trees of all clusters together."""

    label: ClassVar[str] = "Clusters and boosting"

    soft: bool = option(True, label="Mix clusters", help="Mix the clusters' surfaces; else the likeliest speaks")
    rounds: int = option(60, low=1, high=1000, help="How many trees")
    rate: float = option(0.1, low=0.001, high=1.0, label="Learning rate", help="How much of each tree is taken")
    depth: int = option(4, low=1, high=20, help="Of each tree")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BoostingClassifierLearnt:
        """Cluster the surfaces and boost the odds."""
        found = self.clusters(lesson)
        k = found.n_clusters
        hit = (found.labels[:, None] == np.arange(k)).astype(np.float64)
        offset = np.log(np.maximum(hit.mean(axis=0), 1e-6))
        odds = np.tile(offset, (len(hit), 1))
        rng, trees, values = np.random.default_rng(self.seed), [], []
        for step in range(self.rounds):
            progress(step / self.rounds, f"round {step + 1} of {self.rounds}")
            rest = hit - _softmax(odds)
            tree, leaf = self._grow(lesson.features, rest, int(rng.integers(2**31 - 1)))
            steps = self.rate * _newton(rest, leaf, tree.node_count)
            odds = odds + steps[leaf]
            trees.append(tree)
            values.append(steps)
        return BoostingClassifierLearnt(found.from_base(lesson.base), self.soft, as_trees(trees, values, offset))

    def _grow(self, features: FloatArray, rest: FloatArray, seed: int) -> tuple[Any, IntArray]:
        """Return a tree of all clusters' residuals together, and each kernel's leaf."""
        from sklearn.tree import DecisionTreeRegressor

        tree = DecisionTreeRegressor(max_depth=self.depth, max_features=0.5, random_state=seed).fit(features, rest)
        return tree.tree_, tree.apply(features).astype(np.int64)


def _softmax(odds: FloatArray) -> FloatArray:
    raised = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _newton(rest: FloatArray, leaf: IntArray, n_nodes: int) -> FloatArray:
    """Return each leaf's step, array of shape (n_nodes, n_clusters): Friedman 2001, algorithm 6, line 7."""
    k = rest.shape[1]
    up, down = np.zeros((n_nodes, k)), np.zeros((n_nodes, k))
    np.add.at(up, leaf, rest)
    np.add.at(down, leaf, np.abs(rest) * (1 - np.abs(rest)))
    return np.asarray((k - 1) / k * np.divide(up, down, out=np.zeros_like(up), where=down > 1e-6))


@dataclass(frozen=True)
class ForestClassifierLearnt(ClusteredTrees):
    """Trees that vote for clusters."""


@dataclass(frozen=True)
class ForestClassifier(Clustered):
    """The paper's clusters with a random forest as the classifier."""

    label: ClassVar[str] = "Clusters and a forest"

    soft: bool = option(True, label="Mix clusters", help="Mix the clusters' surfaces by votes; else the first speaks")
    trees: int = option(100, low=1, high=5000, help="More are steadier, and slower")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestClassifierLearnt:
        """Cluster the surfaces and grow the trees."""
        from sklearn.ensemble import RandomForestClassifier

        found = self.clusters(lesson)
        forest = RandomForestClassifier(self.trees, random_state=self.seed).fit(lesson.features, found.labels)
        return ForestClassifierLearnt(found.from_base(lesson.base), self.soft, averaged(forest, found.n_clusters))
