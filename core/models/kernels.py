"""Kernels: a Gaussian process with a length per metric and a noise of its own, and support vectors in a tube."""

from collections.abc import Sequence
from dataclasses import field, replace
from math import fsum

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, IntArray
from core.errors import FitError, hold
from core.models._inducing import Process, drawn, factor_fits, induce, repeat_variance
from core.models.base import Family, Model, fixed
from core.models.parts.matern import BENDS, Likelihood, Matern, departure
from core.models.parts.story import Importance, ranked
from core.models.parts.trees import check_trials
from core.option import option
from core.progress import Progress, silent

_ORDERS = {"3/2": 1.5, "5/2": 2.5}
_AMONG = 2000
"""Trials that inducing points are chosen among."""
_ATTEMPTS = 8
"""Tenfold noise until the covariance can be inverted."""
_Solved = tuple[Matern, FloatArray, FloatArray, FloatArray]


class GaussianProcessModel(Model):
    """mean + scale · Σ weight · k(x, point), k a Matérn covariance.

    Attributes
    ----------
    low, span : arrays of shape (n_columns,); columns are compared as (x - low) / span
    lengths : array of shape (n_columns,), how far a column must move to matter
    size, noise : variances of the function and of what it does not explain, in units of scale²
    points : array of shape (n_points, n_columns), scaled: the trials, or inducing points
    weights : array of shape (n_points,)
    order : of the covariance, 1.5 or 2.5
    factor : empty where points are the trials, else what `_inducing` says of the trials behind inducing points
    """

    mean: float
    scale: float
    low: FloatArray
    span: FloatArray
    lengths: FloatArray
    size: float
    noise: float
    points: FloatArray
    weights: FloatArray
    order: float = 2.5
    factor: FloatArray = field(default_factory=lambda: np.empty(0))

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the mean of the process."""
        value = np.empty(len(X))
        points = self.points / self.lengths
        for rows in row_blocks(len(X), len(points)):
            value[rows] = departure((X[rows] - self.low) / self.span / self.lengths, points, self.order) @ self.weights
        return self.constant + self.scale * self.size * value

    @property
    def constant(self) -> float:
        """What Σ weight · (k(x, point) / size - 1) is added to.

        Weights nearly cancel where a length is long, and so would the digits of Σ weight · k(x, point).
        """
        return self.mean + self.scale * self.size * fsum(self.weights.tolist())

    def importances(self, names: Sequence[str]) -> Importance:
        """Return the length scales, the shortest first."""
        meaning = (
            "How far a metric must move, in its own trained ranges, before trials tell little of each other. Compare "
            "the metrics: the shortest bends the prediction most, and along one of 100, the most that is tried, it is "
            "all but straight or flat."
        )
        return ranked("length scale", "ranges", meaning, self.lengths, names, smaller=True)

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; a Gaussian process has no formula."""
        points = "inducing points" if len(self.factor) else "trials"
        return f"Gaussian process of {len(self.lengths)} columns over {len(self.weights)} {points}"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, those with the shortest length scale first."""
        return tuple(names[j] for j in np.argsort(self.lengths, kind="stable"))

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        n, columns = len(self.weights), (self.low, self.span, self.lengths)
        right = all(a.shape == (width,) for a in columns) and self.points.shape == (n, width)
        right = right and factor_fits(self.factor, n) and self.order in BENDS and self.size > 0 and self.noise >= 0
        right = right and bool((self.span > 0).all() and (self.lengths > 0).all())
        hold(right, "The Gaussian process has arrays that do not fit, or lengths that are not positive.")


class GaussianProcess(Process):
    """Kriging with a Matérn covariance and a length scale per column, by maximum likelihood.

    References
    ----------
    Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, sections 4.2 and 5.4; for many trials Titsias
    2009 (see `_inducing`).
    """

    label = "Gaussian process"
    slowness = 6
    raced = fixed(order="3/2", search_trials=200, evaluations=30)

    order: str = option("5/2", choices=("3/2", "5/2"), expert=True).says(
        "Of the Matérn covariance: functions of order 3/2 may bend sharply, those of 5/2 are smoother"
    )
    restarts: int = option(0, low=0, high=50, expert=True, help="Further random starts of the search for lengths")
    evaluations: int = option(100, low=1, high=10000, label="Search steps", expert=True).says(
        "How often at most the likelihood is worked out from each start"
    )

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> GaussianProcessModel:
        """Estimate lengths, size and noise, then the weights."""
        X, z, mean, scale, some = self._prepared(X, y, "A Gaussian process")
        low, span = _ranges(X)
        points = (X - low) / span
        size, noise, *lengths = self._searched(X, z, some, progress).tolist()
        process = Matern(_ORDERS[self.order], size, np.array(lengths), noise)
        if len(some) < len(z):
            process = replace(process, noise=max(process.noise, repeat_variance(points, z)))
        process, points, weights, factor = self._solved(process, points, z)
        learnt = (process.lengths, process.size, process.noise, points, weights, process.order, factor)
        return GaussianProcessModel(mean, scale, low, span, *learnt)

    def _searched(self, X: FloatArray, z: FloatArray, some: IntArray, progress: Progress) -> FloatArray:
        if len(self.found) == X.shape[1] + 2:
            return np.array(self.found)
        low, span = _ranges(X)
        problem = Likelihood(_ORDERS[self.order], ((X - low) / span)[some], z[some])
        process = problem.search(self.evaluations, self.restarts + 1, self.seed, progress)
        return np.array([process.size, process.noise, *process.lengths])

    def _solved(self, process: Matern, points: FloatArray, z: FloatArray) -> _Solved:
        """Return the process with as much noise as its covariance needs, its points, their weights and factor."""
        from scipy.linalg import cho_factor, cho_solve

        for _ in range(_ATTEMPTS):
            try:
                if len(z) > self.most_trials:
                    return process, *_induced(process, points, z, self.inducing, self.seed)
                weights = cho_solve(cho_factor(process.among(points), lower=True), z)
                return process, points, weights, np.empty(0)
            except np.linalg.LinAlgError:
                process = replace(process, noise=10 * process.noise)
        raise FitError(
            "Trials are too much alike for a Gaussian process: its covariance cannot be inverted. "
            "Take the median of repeats, or another family."
        )


def _ranges(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where columns begin and how far they reach, 1 where one never varies."""
    span = np.ptp(X, axis=0)
    return X.min(axis=0), np.where(span == 0, 1.0, span)


def _induced(
    process: Matern, points: FloatArray, z: FloatArray, most: int, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    among = drawn(len(z), _AMONG, seed)
    chosen, weights, factor = induce(lambda a, b: process.between(points[a], points[b]), among, z, process.noise, most)
    return points[chosen], weights, factor


class SupportVectorsModel(Model):
    """level + Σ weight · exp(-gamma · |x - point|²).

    Attributes
    ----------
    points : array of shape (n_points, n_columns), the trials that matter
    weights : array of shape (n_points,)
    """

    level: float
    gamma: float
    points: FloatArray
    weights: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the sum over the points."""
        value = np.full(len(X), self.level)
        for rows in row_blocks(len(X), len(self.points)):
            value[rows] += np.exp(-self.gamma * _squares(X[rows], self.points)) @ self.weights
        return value

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; support vectors have no formula."""
        return f"sum over {len(self.weights)} support vectors of {', '.join(names)}"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, which all matter alike."""
        return tuple(names)

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        fits = self.points.shape == (len(self.weights), width) and self.gamma > 0
        hold(fits, "The support vectors have points that do not fit, or a reach that is not positive.")


class SupportVectors(Family):
    """Errors count by their size and only beyond a tolerance, so that a few odd trials do not bend the function.

    References
    ----------
    Drucker, Burges, Kaufman, Smola, Vapnik 1997, Support vector regression machines.
    """

    label = "Support vectors"
    linear = False
    variants = fixed(
        **{
            "cost 1": {"cost": 1.0},
            "cost 3": {"cost": 3.0},
            "cost 0.1, smooth": {"cost": 0.1, "reach": 0.06},
            "cost 10, smooth": {"cost": 10.0, "reach": 0.06},
        }
    )
    """A smaller cost is steadier far from the trials, a smaller reach nearer to a plane."""

    reach: float = option(0.2, low=1e-6, high=1e3).says(
        "Of gamma = reach / number of metrics; less is smoother and looks further beyond the trials"
    )
    cost: float = option(10.0, low=1e-6, high=1e6, help="Of an error beyond the tolerance; more fits closer")
    tolerance: float = option(0.1, low=0.0, high=10.0).says(
        "Errors up to so many standard deviations of the response are none"
    )
    most_trials: int = option(5000, low=10, high=100000, expert=True).says(
        "More are refused, as time grows with their second to third power"
    )

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> SupportVectorsModel:
        """Find the points that matter, and their weights."""
        from sklearn.svm import SVR

        check_trials(X, y, self.least_trials, "Support vector regression")
        if len(y) > self.most_trials:
            raise FitError(
                f"Support vector regression takes at most {self.most_trials} trials, got {len(y)}. "
                "Filter the trials, or raise most_trials."
            )
        mean, scale = float(y.mean()), float(y.std())
        gamma = self.reach / X.shape[1]
        found = SVR(C=self.cost, epsilon=self.tolerance, gamma=gamma, tol=1e-4, cache_size=100)
        found.fit(X, (y - mean) / scale)
        weights = scale * np.asarray(found.dual_coef_, dtype=np.float64)[0]
        level = mean + scale * float(found.intercept_[0])
        return SupportVectorsModel(level, gamma, np.asarray(found.support_vectors_, dtype=np.float64), weights)


def _squares(A: FloatArray, B: FloatArray) -> FloatArray:
    """Return squared distances, array of shape (len(A), len(B))."""
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        found: FloatArray = (A * A).sum(axis=1)[:, None] + (B * B).sum(axis=1)[None, :] - 2 * A @ B.T
    return np.maximum(found, 0.0)
