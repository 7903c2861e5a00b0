"""Regressions from features to the components of the surface: ridge, and a Gaussian process."""

import warnings
from typing import Any

import numpy as np

from core.codec import FloatArray
from core.option import option
from core.progress import Progress, silent
from core.scaling.predictors._scores import Scores, ScoresLearnt
from core.scaling.predictors.base import Lesson, hold

PENALTIES = np.logspace(-2, 4, 25)


class RidgeLearnt(ScoresLearnt):
    """intercept + features · coefficients, held inside the training scores' range.

    Attributes
    ----------
    coefficients : array of shape (n_features, n_components)
    intercept, low, high : arrays of shape (n_components,)
    """

    coefficients: FloatArray
    intercept: FloatArray
    low: FloatArray
    high: FloatArray

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the linear function; a line that leaves the range of what was seen stops at its end."""
        return np.clip(self.intercept + features @ self.coefficients, self.low, self.high)

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the coefficients."""
        super().check(n_features, n_configurations)
        k = len(self.basis.axes)
        hold(self.coefficients.shape == (n_features, k), "its coefficients do not fit its features")
        hold(self.intercept.shape == (k,) == self.low.shape == self.high.shape, "its intercept does not fit")


class Ridge(Scores):
    """The penalty is chosen by generalised cross-validation on the training kernels."""

    label = "Ridge regression"

    def fit(self, lesson: Lesson, progress: Progress = silent) -> RidgeLearnt:
        """Solve once through the singular values, for all penalties."""
        basis, scores = self.basis(lesson)
        mean, middle = lesson.features.mean(axis=0), scores.mean(axis=0)
        u, s, vt = np.linalg.svd(lesson.features - mean, full_matrices=False)
        along = u.T @ (scores - middle)
        penalty = min(PENALTIES, key=lambda p: _gcv(s, along, scores - middle, u, float(p)))
        coefficients = vt.T @ ((s / (s**2 + penalty))[:, None] * along)
        intercept = middle - mean @ coefficients
        return RidgeLearnt(basis, np.ascontiguousarray(coefficients), intercept, scores.min(axis=0), scores.max(axis=0))


def _gcv(s: FloatArray, along: FloatArray, target: FloatArray, u: FloatArray, penalty: float) -> float:
    """Golub, Heath, Wahba 1979: mean squared residual over the squared share of free directions."""
    shrink = s**2 / (s**2 + penalty)
    rest = target - u @ (shrink[:, None] * along)
    return float((rest**2).mean() / (1 - (1 + shrink.sum()) / (len(target) + 1)) ** 2)


class GaussianProcessLearnt(ScoresLearnt):
    """Σ over training kernels of weight · k(features, point), k the Matérn covariance of order 3/2.

    Attributes
    ----------
    points : array of shape (n_kernels, n_features)
    weights : array of shape (n_components, n_kernels)
    length, size : arrays of shape (n_components,), of each component's covariance
    mean : array of shape (n_components,)
    """

    points: FloatArray
    weights: FloatArray
    length: FloatArray
    size: FloatArray
    mean: FloatArray

    def scores(self, features: FloatArray) -> FloatArray:
        """Return the mean of each component's process."""
        square = (features**2).sum(axis=1)[:, None] + (self.points**2).sum(axis=1) - 2 * features @ self.points.T
        distance = np.sqrt(3.0 * np.maximum(square, 0.0))
        found = np.empty((len(features), len(self.mean)))
        for j, (weights, length) in enumerate(zip(self.weights, self.length, strict=True)):
            r = distance / length
            found[:, j] = self.mean[j] + self.size[j] * ((1 + r) * np.exp(-r)) @ weights
        return found

    def check(self, n_features: int, n_configurations: int) -> None:
        """Hold the kernels and weights."""
        super().check(n_features, n_configurations)
        n, k = len(self.points), len(self.basis.axes)
        hold(self.points.shape == (n, n_features) and self.weights.shape == (k, n), "its process does not fit")
        hold(self.length.shape == (k,) == self.size.shape == self.mean.shape, "its process does not fit")
        hold(bool((self.length > 0).all()), "a length of its process is not positive")


class GaussianProcess(Scores):
    """One process per component, each with its own length, size and noise by maximum likelihood.

    References
    ----------
    Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, sections 4.2 and 5.4.
    """

    label = "Gaussian process"

    most_kernels: int = option(1000, low=10, high=10000, expert=True, help="The first so many are learnt from")

    def fit(self, lesson: Lesson, progress: Progress = silent) -> GaussianProcessLearnt:
        """Estimate each component's covariance, then the weights."""
        basis, scores = self.basis(lesson)
        points, scores = lesson.features[: self.most_kernels], scores[: self.most_kernels]
        parts = [_process(points, column) for column in scores.T]
        weights, length, size, mean = (np.array([p[i] for p in parts]) for i in range(4))
        return GaussianProcessLearnt(basis, points, weights.reshape(len(parts), len(points)), length, size, mean)


def _process(points: FloatArray, target: FloatArray) -> tuple[FloatArray, float, float, float]:
    """Return weights, length, size and mean of one component's process, in the component's own unit."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    mean, unit = float(target.mean()), float(target.std()) or 1.0
    kernel: Any = ConstantKernel(1.0, (1e-3, 1e3)) * Matern(np.sqrt(points.shape[1]), (0.1, 1e3), nu=1.5)
    process = GaussianProcessRegressor(kernel + WhiteKernel(0.1, (1e-4, 10.0)), alpha=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a bound that is reached is a fine answer here
        process.fit(points, (target - mean) / unit)
    found: Any = process.kernel_
    return unit * np.asarray(process.alpha_), float(found.k1.k2.length_scale), float(found.k1.k1.constant_value), mean
