"""Trees: forests and boosting of surfaces' components, as classifiers of the paper's clusters, and both together."""

from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import like, option
from core.progress import Progress, part, silent
from core.registry import companion
from core.scaling.predictors._scores import (
    Clustered,
    ClusteredTrees,
    Scores,
    ScoresLearnt,
    Trees,
    as_trees,
    averaged,
    grown,
)
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor


class ForestLearnt(ScoresLearnt):
    """Trees whose leaves are scores of the components."""

    trees: Trees

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the trees' sum; for a mean, the leaves were divided when they were learnt."""
        return self.trees.predict(features)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees."""
        super().check(n_features, n_configurations)
        self.trees.check(n_features, len(self.basis.axes))


class Forest(Scores):
    """Many deep trees, each on kernels drawn with replacement.

    References
    ----------
    Breiman 2001, Random forests.
    """

    label = "Random forest"
    grower = "RandomForestRegressor"

    trees: int = option(100, low=1, high=5000, help="More are steadier, and slower")
    max_features: float = option(0.4, low=0.01, high=1.0, label="Share of features per split").says(
        "Of how many features each split may choose"
    )
    min_leaf: int = option(1, low=1, high=1000, label="Least kernels per leaf").says(
        "More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestLearnt:
        """Grow the trees."""
        basis, scores = self.basis(lesson)
        trees = grown(self.grower, lesson.features, scores, self.trees, self.seed, self.max_features, self.min_leaf)
        return companion(type(self), ForestLearnt)(basis, averaged(trees, scores.shape[1]))


class ExtraTreesLearnt(ForestLearnt):
    """The mean of the trees."""


class ExtraTrees(Forest):
    """Many deep trees whose splits are drawn at random; each leaf is a training kernel's surface.

    References
    ----------
    Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label = "Extremely randomised trees"
    grower = "ExtraTreesRegressor"

    max_features: float = like(Forest, "max_features", 1.0)


class BoostingLearnt(ForestLearnt):
    """The sum of the trees."""


class Boosting(Scores):
    """Small trees, each on what the ones before leave.

    References
    ----------
    Friedman 2001, Greedy function approximation: a gradient boosting machine; 2002, Stochastic gradient boosting.
    """

    label = "Gradient boosting"

    rounds: int = option(150, low=1, high=5000, help="Trees per component")
    rate: float = option(0.1, low=0.001, high=1.0, label="Learning rate", help="How much of each tree is taken")
    depth: int = option(3, low=1, high=20, help="Of each tree")
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BoostingLearnt:
        """Boost each component."""
        from sklearn.ensemble import GradientBoostingRegressor

        basis, scores = self.basis(lesson)
        k = scores.shape[1]
        trees, values = [], []
        for j, target in enumerate(scores.T):
            progress(j / k, f"boosting component {j + 1} of {k}")
            model = GradientBoostingRegressor(
                n_estimators=self.rounds,
                learning_rate=self.rate,
                max_depth=self.depth,
                subsample=0.7,
                max_features=0.5,
                random_state=self.seed,
            ).fit(lesson.features, target)
            for tree in (estimator.tree_ for estimator in model.estimators_[:, 0]):
                trees.append(tree)
                values.append(np.outer(self.rate * tree.value[:, 0, 0], np.arange(k) == j))
        return BoostingLearnt(basis, as_trees(trees, values, scores.mean(axis=0)))


class BoostingClassifierLearnt(ClusteredTrees):
    """Trees whose sum is the log odds of each cluster."""

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the softmax of the trees' sums."""
        return _softmax(self.trees.predict(features))


class BoostingClassifier(Clustered):
    """The paper's clusters with gradient boosting as the classifier: trees of all clusters together."""

    label = "Clusters and boosting"

    soft: bool = option(True, label="Mix clusters", help="Mix the clusters' surfaces; else the likeliest speaks")
    rounds: int = option(60, low=1, high=1000, help="How many trees")
    rate: float = option(0.1, low=0.001, high=1.0, label="Learning rate", help="How much of each tree is taken")
    depth: int = option(4, low=1, high=20, help="Of each tree")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BoostingClassifierLearnt:
        """Cluster the surfaces and boost the odds."""
        found = self.clusters(lesson)
        hit = (found.labels[:, None] == np.arange(found.n_clusters)).astype(np.float64)
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


class ForestClassifierLearnt(ClusteredTrees):
    """Trees that vote for clusters."""


class ForestClassifier(Clustered):
    """The paper's clusters with a random forest as the classifier."""

    label = "Clusters and a forest"

    soft: bool = option(True, label="Mix clusters", help="Mix the clusters' surfaces by votes; else the first speaks")
    trees: int = option(100, low=1, high=5000, help="More are steadier, and slower")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> ForestClassifierLearnt:
        """Cluster the surfaces and grow the trees."""
        from sklearn.ensemble import RandomForestClassifier

        found = self.clusters(lesson)
        forest = RandomForestClassifier(self.trees, random_state=self.seed).fit(lesson.features, found.labels)
        return ForestClassifierLearnt(found.from_base(lesson.base), self.soft, averaged(forest, found.n_clusters))


class BlendLearnt(Learnt):
    """Both."""

    trees: ForestLearnt
    clusters: BoostingClassifierLearnt

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean of both log surfaces."""
        return (self.trees.surfaces(asked) + self.clusters.surfaces(asked)) / 2

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold both."""
        self.trees.check(n_features, n_configurations)
        self.clusters.check(n_features, n_configurations)


class Blend(Predictor):
    """Errors of unlike predictors cancel in part."""

    label = "Mean of trees and boosted clusters"

    n_clusters: int = like(BoostingClassifier, "n_clusters")
    trees: int = like(Forest, "trees")
    seed: int = like(BoostingClassifier, "seed")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> BlendLearnt:
        """Fit both."""
        trees = ExtraTrees(trees=self.trees, seed=self.seed).fit(lesson, part(progress, 0.0, 0.5))
        clusters = BoostingClassifier(n_clusters=self.n_clusters, seed=self.seed)
        return BlendLearnt(trees, clusters.fit(lesson, part(progress, 0.5, 1.0)))
