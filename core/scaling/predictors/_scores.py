"""What scaling predictors share: principal components as targets, trees as arrays, and surfaces of clusters."""

from abc import abstractmethod
from typing import Any

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import holder
from core.models.base import within
from core.models.parts.trees import Nodes, joined_nodes, single_precision
from core.option import option
from core.scaling.clusters import Clustering, Clusters
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold
from core.scaling.surfaces import Components, components

_hold_tree = holder("The model file does not hold together: a tree")


class ScoresLearnt(Learnt):
    """Components of log surfaces, and something that predicts their scores from features."""

    basis: Components

    @abstractmethod
    def scores(self, features: FloatArray) -> FloatArray:
        """Return the components' scores, array of shape (n, n_components)."""

    def surfaces(self, asked: Asked) -> FloatArray:
        """Rebuild the surfaces from their predicted components."""
        return self.basis.rebuilt(self.scores(asked.features))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the components."""
        self.basis.check(n_configurations)


class Scores(Predictor):
    """Options of regressions of surfaces."""

    components: int = option(6, low=1, high=100, help="How many principal components of the log surfaces are predicted")

    def basis(self, lesson: Lesson) -> tuple[Components, FloatArray]:
        """Return the components of the training surfaces, and their scores."""
        found = components(lesson.log, self.components)
        return found, found.scores(lesson.log)


class Trees(Nodes):
    """offset + Σ over trees of a leaf's values.

    Attributes
    ----------
    left : in a leaf its row of `values`
    values : array of shape (n_leaves, n_outputs)
    offset : array of shape (n_outputs,)
    """

    values: FloatArray
    offset: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the sum of the trees, array of shape (n, n_outputs)."""
        total = np.tile(self.offset, (len(X), 1))
        for leaves in self.leaves(X):
            total += self.values[leaves]
        return total

    def leaves(self, X: FloatArray) -> IntArray:
        """Return the row of `values` that each tree ends in, array of shape (n_trees, n)."""
        return self.left[self.leaves_of(single_precision(X))]

    def check(self, width: int, n_outputs: int) -> None:
        """Hold nodes and leaves together."""
        self.check_nodes(width, _hold_tree)
        hold(self.values.ndim == 2 and self.values.shape[1] == n_outputs == len(self.offset), "its leaves do not fit")
        _hold_tree(within(self.left[self.feature < 0], len(self.values)), "ends in a leaf that is not there")


def as_trees(trees: "list[Any]", values: "list[FloatArray]", offset: FloatArray) -> Trees:
    """Return fitted trees of scikit-learn with the values that their nodes have.

    Parameters
    ----------
    trees : scikit-learn's `tree_` of each
    values : per tree, array of shape (n_nodes, n_outputs)
    """
    nodes = joined_nodes(trees)
    leaf = nodes.feature < 0
    left = np.where(leaf, np.cumsum(leaf) - 1, nodes.left)
    return Trees(**{**vars(nodes), "left": left}, values=np.concatenate(values)[leaf], offset=offset)


def grown(
    grower: str, X: FloatArray, Y: FloatArray, trees: int, seed: int, max_features: float = 1.0, min_leaf: int = 1
) -> Any:
    """Return one of scikit-learn's forests, fitted to X of shape (n, n_features) and Y of shape (n, n_outputs)."""
    from sklearn import ensemble

    forest = getattr(ensemble, grower)(
        n_estimators=trees, max_features=max_features, min_samples_leaf=min_leaf, random_state=seed
    )
    return forest.fit(X, Y if Y.shape[1] > 1 else Y.ravel())


def averaged(forest: Any, n_outputs: int) -> Trees:
    """Return the mean of a forest's trees (values of a regression, shares of a classification)."""
    trees = [estimator.tree_ for estimator in forest.estimators_]
    return as_trees(trees, [_shares(t, n_outputs) / len(trees) for t in trees], np.zeros(n_outputs))


def _shares(tree: Any, n_outputs: int) -> FloatArray:
    """Return the values of a tree's nodes; those of a classification sum to 1."""
    if tree.n_outputs == n_outputs:
        return np.asarray(tree.value[:, :, 0], dtype=np.float64)
    counts = tree.value[:, 0, :]
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


class ClusteredLearnt(Learnt):
    """Clusters' surfaces and something that says how likely each cluster is.

    Attributes
    ----------
    of_clusters : array of shape (n_clusters, n_configurations), log surfaces relative to the base
    soft : whether surfaces are mixed by probability; the likeliest alone speaks if not
    """

    of_clusters: FloatArray
    soft: bool

    @abstractmethod
    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return how likely each cluster is, array of shape (n, n_clusters)."""

    def surfaces(self, asked: Asked) -> FloatArray:
        """Walk the likeliest cluster's surface, or the mixture of them all."""
        shares = self.probabilities(asked.features)
        return shares @ self.of_clusters if self.soft else self.of_clusters[shares.argmax(axis=1)]

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the surfaces."""
        shape = self.of_clusters.shape
        hold(len(shape) == 2 and shape[0] > 0 and shape[1] == n_configurations, "its clusters do not fit its grid")


class Clustered(Clustering, Predictor):
    """Options of predictors by clusters."""

    def clusters(self, lesson: Lesson) -> Clusters:
        """Group the training kernels by what does not depend on the base: each surface about its own mean."""
        return self.grouped(lesson.log - lesson.log.mean(axis=1, keepdims=True))


class ClusteredTrees(ClusteredLearnt):
    """Trees that say how likely each cluster is."""

    trees: Trees

    def probabilities(self, features: FloatArray) -> FloatArray:
        """Return the trees' sum."""
        return self.trees.predict(features)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the trees."""
        super().check(n_features, n_configurations)
        self.trees.check(n_features, len(self.of_clusters))
