"""Surfaces of training kernels: their mean or median, the nearest ones, or those that share leaves with a kernel."""

import numpy as np

from core.codec import FloatArray, IntArray
from core.option import like, option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores, Trees, as_trees, grown
from core.scaling.predictors.base import Asked, Learnt, Lesson, Predictor, hold
from core.scaling.predictors.trees import Forest
from core.scaling.surfaces import components


class MeanSurfaceLearnt(Learnt):
    """One surface.

    Attributes
    ----------
    mean : array of shape (n_configurations,), mean log surface
    """

    mean: FloatArray

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean for every kernel."""
        return np.tile(self.mean, (len(asked.features), 1))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the width."""
        hold(self.mean.shape == (n_configurations,), "its mean surface does not fit its grid")


class MeanSurface(Predictor):
    """What every predictor has to beat."""

    label = "Mean surface"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MeanSurfaceLearnt:
        """Average the log surfaces."""
        return MeanSurfaceLearnt(lesson.log.mean(axis=0))


class MedianSurfaceLearnt(MeanSurfaceLearnt):
    """One surface."""


class MedianSurface(Predictor):
    """A baseline that a few unusual kernels do not move."""

    label = "Median surface"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> MedianSurfaceLearnt:
        """Take the median of the log surfaces at each configuration."""
        return MedianSurfaceLearnt(np.median(lesson.log, axis=0))


class NearestKernelsLearnt(Learnt):
    """The training kernels themselves.

    Attributes
    ----------
    points : array of shape (n_kernels, n_plain)
    log : array of shape (n_kernels, n_configurations)
    neighbours : how many speak
    """

    points: FloatArray
    log: FloatArray
    neighbours: int

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the mean of the nearest surfaces, weighed by 1 / distance."""
        near, distance = nearest(self.points, asked.features[:, : self.points.shape[1]], self.neighbours)
        weight = 1.0 / np.maximum(distance, 1e-9)
        weight /= weight.sum(axis=1, keepdims=True)
        return np.asarray(np.einsum("nk,nkc->nc", weight, self.log[near]))

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the kernels."""
        points = self.points
        hold(points.ndim == 2 and 0 < points.shape[1] <= n_features, "its nearest kernels do not fit its features")
        hold(self.log.shape == (len(points), n_configurations) and self.neighbours > 0, "its kernels do not fit")


class NearestKernels(Predictor):
    """A new kernel scales like the kernels whose counters are most like its own."""

    label = "Nearest kernels"

    neighbours: int = option(3, low=1, high=100, help="How many kernels speak")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> NearestKernelsLearnt:
        """Keep the training kernels."""
        points = np.ascontiguousarray(lesson.features[:, : lesson.n_plain])
        return NearestKernelsLearnt(points, lesson.log, min(self.neighbours, len(points)))


def nearest(points: FloatArray, asked: FloatArray, n: int) -> tuple[IntArray, FloatArray]:
    """Return the n nearest points of each row and their distances, nearest first, ties by number."""
    square = (asked**2).sum(axis=1)[:, None] + (points**2).sum(axis=1) - 2 * asked @ points.T
    near = np.argsort(square, axis=1, kind="stable")[:, :n]
    distance = np.sqrt(np.maximum(np.take_along_axis(square, near, axis=1), 0.0))
    return near.astype(np.int64), distance


MEDIAN, MEAN = CENTRES = ("median", "mean")


class SharedLeavesLearnt(Learnt):
    """Trees, and the training kernels in their leaves.

    Attributes
    ----------
    trees : whose leaves hold 1 / (trees · training kernels in the leaf)
    leaf : array of shape (n_trees, n_kernels), the leaf of each training kernel
    log : array of shape (n_kernels, n_configurations)
    centre : median or mean
    """

    trees: Trees
    leaf: IntArray
    log: FloatArray
    centre: str

    def surfaces(self, asked: Asked) -> FloatArray:
        """Return the weighted median or mean of the training kernels at each configuration."""
        weights = self.weights(asked.features)
        return weights @ self.log if self.centre == MEAN else weighted_median(self.log, weights)

    def weights(self, features: FloatArray) -> FloatArray:
        """Return the weight of each training kernel, array of shape (n, n_kernels); rows sum to 1."""
        found = np.zeros((len(features), len(self.log)))
        for reached, leaf in zip(self.trees.leaves(features), self.leaf, strict=True):
            found += np.where(reached[:, None] == leaf, self.trees.values[reached], 0.0)
        return found

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold trees, leaves and surfaces together."""
        self.trees.check(n_features, 1)
        n = len(self.log)
        hold(n > 0 and self.log.shape == (n, n_configurations), "its surfaces do not fit its grid")
        hold(self.leaf.shape == (len(self.trees.roots), n), "its leaves do not fit its kernels")
        hold(set(np.unique(self.leaf)) == set(range(len(self.trees.values))), "its leaves do not fit its trees")
        hold(bool((self.trees.values > 0).all()), "the weight of a leaf is not positive")
        hold(self.centre in CENTRES, f"its centre is '{self.centre[:80]}'")


class SharedLeaves(Predictor):
    """Extremely randomised trees say which kernels are similar; these kernels' surfaces are the prediction.

    References
    ----------
    Meinshausen 2006, Quantile regression forests, equations 4 to 6; Geurts, Ernst, Wehenkel 2006,
    Extremely randomized trees.
    """

    label = "Kernels that share leaves"

    trees: int = like(Forest, "trees")
    max_features: float = like(Forest, "max_features", 0.33)
    min_leaf: int = like(Forest, "min_leaf", 2, label="Minimum kernels per leaf").says(
        "More makes smaller trees and averages more kernels"
    )
    components: int = like(Scores, "components").says(
        "How many principal components of the log surfaces the trees tell apart"
    )
    centre: str = option(MEDIAN, choices=CENTRES).says(
        "Weighted median or mean of the kernels; unusual kernels do not move the median"
    )
    seed: int = like(Forest, "seed")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> SharedLeavesLearnt:
        """Grow the trees, and note which training kernels lie in each leaf."""
        scores = components(lesson.log, self.components).scores(lesson.log)
        size = self.trees, self.seed, self.max_features, self.min_leaf
        forest = grown("ExtraTreesRegressor", lesson.features, scores, *size)
        grew = [estimator.tree_ for estimator in forest.estimators_]
        weights = [1.0 / (len(grew) * t.n_node_samples.astype(np.float64)[:, None]) for t in grew]
        trees = as_trees(grew, weights, np.zeros(1))  # whose leaves hold the weight of one of their training kernels
        return SharedLeavesLearnt(trees, trees.leaves(lesson.features), lesson.log, self.centre)


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the smallest value of each column up to which at least half of the weight lies.

    Parameters
    ----------
    values : array of shape (n_values, n_columns)
    weights : array of shape (n, n_values), rows sum to 1

    Returns
    -------
    array of shape (n, n_columns)
    """
    found, columns = np.empty((len(weights), values.shape[1])), np.arange(values.shape[1])
    for i, weight in enumerate(weights):
        own = values[heard := np.flatnonzero(weight)]  # the few that have any weight
        order = np.argsort(own, axis=0)  # equal values may stand in any order: they are one value
        below = np.cumsum(weight[heard][order], axis=0)
        middle = (below >= 0.5 * below[-1] - 1e-12).argmax(axis=0)
        found[i] = own[order[middle, columns], columns]
    return found
