"""Gaussian process: a smooth function of all columns together, with a length scale for each."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar

import numpy as np

from core.codec import FloatArray
from core.errors import FitError, ModelFileError
from core.models._trees import check_trials
from core.models.base import Family, Model
from core.option import option
from core.progress import Progress, silent


@dataclass(frozen=True)
class GaussianProcessModel(Model):
    """mean + scale · Σ weight · k(x, point), k the Matérn covariance of order 5/2.

    Attributes
    ----------
    low, span : arrays of shape (n_columns,); columns are compared as (x - low) / span
    lengths : array of shape (n_columns,), how far a column must move to matter
    size, noise : variances of the function and of what it does not explain, in units of scale²
    points : array of shape (n_trials, n_columns), scaled
    weights : array of shape (n_trials,)
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

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the mean of the process."""
        value = np.empty(len(X))
        for start in range(0, len(X), 1024):
            rows = slice(start, start + 1024)
            value[rows] = _departure((X[rows] - self.low) / self.span, self.points, self.lengths) @ self.weights
        return self.constant + self.scale * self.size * value

    @property
    def constant(self) -> float:
        """What Σ weight · (k(x, point) / size - 1) is added to.

        Weights nearly cancel where a length is long, and so would the digits of Σ weight · k(x, point).
        """
        return self.mean + self.scale * self.size * fsum(self.weights.tolist())

    def variance(self, X: FloatArray) -> FloatArray:
        """Return the variance of the mean at rows of X."""
        from scipy.linalg import cho_factor, cho_solve

        K = _matern(self.points, self.points, self.lengths, self.size) + self.noise * np.eye(len(self.points))
        across = self._across(X)
        explained = np.einsum("ij,ji->i", across, cho_solve(cho_factor(K, lower=True), across.T))
        found: FloatArray = self.scale**2 * np.maximum(self.size - explained, 0.0)
        return found

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; a Gaussian process has no formula."""
        return f"Gaussian process of {len(self.lengths)} columns over {len(self.weights)} trials"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, those with the shortest length scale first."""
        return tuple(names[j] for j in np.argsort(self.lengths, kind="stable"))

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        columns = (self.low, self.span, self.lengths)
        right = all(a.shape == (width,) for a in columns) and self.points.shape == (len(self.weights), width)
        if not right or not (self.span > 0).all() or not (self.lengths > 0).all() or self.size <= 0 or self.noise < 0:
            raise ModelFileError("The Gaussian process has arrays that do not fit, or lengths that are not positive.")

    def _across(self, X: FloatArray) -> FloatArray:
        return _matern((X - self.low) / self.span, self.points, self.lengths, self.size)


@dataclass(frozen=True)
class GaussianProcess(Family):
    """Kriging with a Matérn covariance of order 5/2 and a length scale per column, by maximum likelihood.

    References
    ----------
    Rasmussen, Williams 2006, Gaussian Processes for Machine Learning, sections 4.2 and 5.4.
    """

    label: ClassVar[str] = "Gaussian process"

    restarts: int = option(
        0, low=0, high=50, label="Restarts", expert=True, help="Further random starts of the search for lengths"
    )
    most_trials: int = option(
        1500, low=10, high=10000, label="Most trials", expert=True,
        help="More are refused, as time grows with their third power",
    )  # fmt: skip
    search_trials: int = option(
        10000, low=10, high=10000, label="Trials of the search", expert=True,
        help="Lengths are searched on at most so many trials, drawn at random, and all others are used with them",
    )  # fmt: skip
    seed: int = option(0, low=0, high=2**31 - 1, label="Seed", expert=True, help="Of the restarts and the draw")

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> GaussianProcessModel:
        """Estimate lengths, size and noise, then the weights."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        check_trials(X, y, self.least_trials, "A Gaussian process")
        if len(y) > self.most_trials:
            raise FitError(
                f"A Gaussian process takes at most {self.most_trials} trials, got {len(y)}. "
                "Filter the trials, or raise most_trials."
            )
        low, span = X.min(axis=0), np.ptp(X, axis=0)
        span[span == 0] = 1.0
        points = (X - low) / span
        mean, scale = float(y.mean()), float(y.std())
        kernel: Any = ConstantKernel(1.0, (1e-4, 1e4)) * Matern(np.ones(X.shape[1]), (0.02, 100.0), nu=2.5)
        process = GaussianProcessRegressor(
            kernel + WhiteKernel(1e-2, (1e-10, 10.0)), n_restarts_optimizer=self.restarts, random_state=self.seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a bound that is reached is a fine answer here
            try:
                found, weights = self._searched(process, points, (y - mean) / scale)
            except np.linalg.LinAlgError:
                raise FitError(
                    "Trials are too much alike for a Gaussian process: its covariance cannot be inverted. "
                    "Take the median of repeats, or another family."
                ) from None
        lengths = np.broadcast_to(np.asarray(found.k1.k2.length_scale, dtype=np.float64), (X.shape[1],)).copy()
        size, noise = float(found.k1.k1.constant_value), float(found.k2.noise_level) + process.alpha
        return GaussianProcessModel(mean, scale, low, span, lengths, size, noise, points, weights)

    def _searched(self, process: Any, points: FloatArray, z: FloatArray) -> tuple[Any, FloatArray]:
        """Return the likeliest kernel and the weights of all points."""
        if len(z) <= self.search_trials:
            process.fit(points, z)
            return process.kernel_, np.asarray(process.alpha_)
        some = np.sort(np.random.default_rng(self.seed).choice(len(z), self.search_trials, replace=False))
        process.fit(points[some], z[some])
        process.set_params(kernel=process.kernel_, optimizer=None, n_restarts_optimizer=0)
        process.fit(points, z)
        return process.kernel_, np.asarray(process.alpha_)


def _departure(A: FloatArray, B: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return (1 + r + r²/3) exp(-r) - 1 between rows of A and B, to all digits also where it is nearly 0."""
    square = np.zeros((len(A), len(B)))
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        for a, b in zip((A / lengths).T, (B / lengths).T, strict=True):
            square += (a[:, None] - b) ** 2
        r = np.sqrt(5.0 * square)
        found: FloatArray = (1 + r + r * r / 3) * np.exp(-r) - 1
        near = r < 1
        s = r[near]
        rest = np.ones(len(s))
        for k in range(18, 3, -1):
            rest = 1 + rest * s * (1 / k)
        found[near] = -np.exp(-s) * (s * s / 6 + s * s * s / 6 * rest)  # exp(s) - 1 - s - s²/3, as a series
    return found


def _matern(A: FloatArray, B: FloatArray, lengths: FloatArray, size: float) -> FloatArray:
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
        a, b = A / lengths, B / lengths
        square = np.maximum((a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None, :] - 2 * a @ b.T, 0.0)
        r = np.sqrt(5.0 * square)
        found: FloatArray = size * (1 + r + r * r / 3) * np.exp(-r)
    return found
