"""Additive model with pairwise interactions: every effect a curve or a surface, as smooth as the data say."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from core.codec import FloatArray, IntArray
from core.errors import FitError, ModelFileError
from core.models._anova import Scaled, Shape, codes_of, scaled, together
from core.models._anova_likelihood import JITTER, MEAN, Likelihood
from core.models.base import Family, Model
from core.option import option
from core.progress import Progress, silent


@dataclass(frozen=True)
class AnovaModel(Model):
    """mean + Σ f_i(x_i) + Σ f_ij(x_i, x_j), each f of mean zero over the levels.

    Attributes
    ----------
    scale : standard deviation of the response, in which sizes are told
    interaction : size of interactions against the product of the main effects' sizes
    noise : standard deviation that no effect explains, in units of `scale`
    codes : array of shape (n_trials, n_axes), the training points by number of level
    weights : array of shape (n_trials,): f(x) = Σ weight · covariance(x, point)
    left_out : (column of X, why) of parameters that could not be used
    """

    mean: float
    scale: float
    axes: tuple[Scaled, ...]
    shapes: tuple[Shape, ...]
    interaction: float
    noise: float
    codes: IntArray
    weights: FloatArray
    left_out: tuple[tuple[int, str], ...]

    def predict(self, X: FloatArray) -> FloatArray:
        """Return mean + Σ effects + Σ interactions; NaN where a parameter has no logarithm."""
        value = np.empty(len(X))
        for start in range(0, len(X), 2048):
            rows = slice(start, start + 2048)
            value[rows] = together(self._tables(X[rows]), self.interaction) @ self.weights
        return self.constant + self.scale * value

    def variance(self, X: FloatArray) -> FloatArray:
        """Return the variance of the mean predicted at rows of X, on the model's scale, squared."""
        factor = self._covariance()
        across = together(self._tables(X), self.interaction) + MEAN
        own = together(self._own(X), self.interaction) + MEAN
        left = own - np.einsum("ij,ji->i", across, cho_solve(factor, across.T))
        found: FloatArray = self.scale**2 * np.maximum(left, 0.0)
        return found

    @property
    def constant(self) -> float:
        """What the weighted covariances are added to; the weights nearly cancel, and are added up exactly."""
        return self.mean + self.scale * MEAN * fsum(self.weights.tolist())

    @property
    def overall(self) -> float:
        """The mean over all combinations of levels, on the model's scale: what the effects are added to."""
        return self.constant

    def effect(self, axes: tuple[int, ...], points: Sequence[FloatArray]) -> FloatArray:
        """Return a main effect (one axis) or an interaction (two) on the grid of values given, in the model's scale.

        Parameters
        ----------
        axes : numbers of one or two axes
        points : per axis, values of the parameter
        """
        tables = [self._table(a, values) for a, values in zip(axes, points, strict=True)]
        if len(tables) == 1:
            found: FloatArray = self.scale * (tables[0] @ self.weights)
            return found
        surface: FloatArray = self.interaction**2 * self.scale * (tables[0] * self.weights) @ tables[1].T
        return surface

    @np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
    def importance(self) -> dict[tuple[int, ...], float]:
        """Return each effect's and interaction's share of the variance over all combinations of levels."""
        found: dict[tuple[int, ...], float] = {}
        for a in range(len(self.axes)):
            found[(a,)] = float(np.mean(self.effect((a,), [self.axes[a].levels]) ** 2))
        for a, b in combinations(range(len(self.axes)), 2):
            found[(a, b)] = float(np.mean(self.effect((a, b), [self.axes[a].levels, self.axes[b].levels]) ** 2))
        total = sum(found.values()) or 1.0
        return {axes: share / total for axes, share in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))}

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum with the effects that explain at least 0.1 % each."""
        return " + ".join([f"{self.overall:.4g}", *(f"f({t.replace(':', ', ')})" for t in self.terms(names))])

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the effects and interactions (a:b) that explain at least 0.1 %, the largest first."""
        shares = self.importance().items()
        return tuple(self.term_name(axes, names) for axes, share in shares if share >= 0.001)

    def term_name(self, axes: tuple[int, ...], names: Sequence[str]) -> str:
        """Return what an effect is called."""
        return ":".join(names[self.axes[a].column] for a in axes)

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows with a parameter that has no logarithm."""
        reasons: dict[int, str] = {}
        for axis in self.axes:
            for i in np.flatnonzero(X[:, axis.column] <= 0).tolist() if axis.log else ():
                reasons.setdefault(i, f"{names[axis.column]} = {X[i, axis.column]:.4g} has no logarithm")
        return reasons

    def check(self, width: int) -> None:
        """Hold axes, shapes, codes and weights against each other and the width."""
        n = len(self.axes)
        for axis in self.axes:
            axis.check(width)
        fits = len(self.shapes) == n > 0 and self.weights.ndim == 1 and self.codes.shape == (len(self.weights), n)
        _hold(fits, "has not one code per point and parameter")
        sizes = np.array([len(axis.levels) for axis in self.axes])
        _hold(bool(((self.codes >= 0) & (self.codes < sizes)).all()), "has a point of a level that is not there")
        _hold(all(s.length > 0 and s.size >= 0 and 0 <= s.rough <= 1 for s in self.shapes), "has an impossible shape")
        _hold(self.scale > 0 and self.noise >= 0, "has an impossible scale")
        _hold(all(0 <= c < width for c, _ in self.left_out), "tells of a column that is not there")

    def _table(self, a: int, values: FloatArray) -> FloatArray:
        """Return the covariance of one parameter between values and the training points."""
        axis = self.axes[a]
        levels = axis.positions(axis.levels)
        return self.shapes[a].centred(axis.positions(values), levels, levels)[:, self.codes[:, a]]

    def _tables(self, X: FloatArray) -> list[FloatArray]:
        return [self._table(a, X[:, axis.column]) for a, axis in enumerate(self.axes)]

    def _own(self, X: FloatArray) -> list[FloatArray]:
        """Return per axis the prior variance of each row."""
        found = []
        for shape, axis in zip(self.shapes, self.axes, strict=True):
            positions, levels = axis.positions(X[:, axis.column]), axis.positions(axis.levels)
            mean = shape.table(positions, levels).mean(axis=1)
            whole = shape.table(levels, levels).mean()
            found.append(shape.size**2 * (1 - mean * mean / whole))
        return found

    def _covariance(self) -> Any:
        """Return the Cholesky factor of the training points' covariance."""
        tables = []
        for a, axis in enumerate(self.axes):
            levels = axis.positions(axis.levels)
            own = self.shapes[a].centred(levels, levels, levels)
            tables.append(own[np.ix_(self.codes[:, a], self.codes[:, a])])
        K = together(tables, self.interaction) + MEAN + (self.noise**2 + JITTER) * np.eye(len(self.weights))
        return cho_factor(K, lower=True)


@dataclass(frozen=True)
class Anova(Family):
    """Main effects and pairwise interactions of parameters, with sizes and smoothness by maximum likelihood.

    References
    ----------
    Duvenaud, Nickisch, Rasmussen 2011, Additive Gaussian Processes; Durrande et al. 2013 (see `_anova`).
    """

    label: ClassVar[str] = "Additive with interactions"

    interactions: bool = option(True, label="Interactions", help="Surfaces of two parameters beside their curves")
    iterations: int = option(
        60, low=1, high=1000, label="Search steps", expert=True, help="Most steps of the search for the likeliest sizes"
    )
    most_trials: int = option(
        2000, low=10, high=10000, label="Most trials", expert=True,
        help="More are refused, as time grows with their third power",
    )  # fmt: skip

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> AnovaModel:
        """Estimate sizes, lengths and roughness, then the effects."""
        self._check(X, y)
        made = [scaled(j, X[:, j]) for j in range(X.shape[1])]
        axes = tuple(axis for axis in made if axis is not None)
        if not axes:
            raise FitError("No parameter varies. Measure more levels of some parameter.")
        mean, scale = float(y.mean()), float(y.std())
        problem = Likelihood(axes, codes_of(axes, X), (y - mean) / scale, interactions=self.interactions)
        found = problem.search(self.iterations, progress)
        shapes, interaction, noise = problem.parts(found)
        return AnovaModel(
            mean=mean,
            scale=scale,
            axes=axes,
            shapes=shapes,
            interaction=interaction,
            noise=noise,
            codes=problem.codes,
            weights=problem.weights(found),
            left_out=tuple((j, "it never varies") for j, axis in enumerate(made) if axis is None),
        )

    def _check(self, X: FloatArray, y: FloatArray) -> None:
        if len(y) < self.least_trials:
            raise FitError(f"The additive model needs at least {self.least_trials} trials, got {len(y)}. Measure more.")
        if len(y) > self.most_trials:
            raise FitError(
                f"The additive model takes at most {self.most_trials} trials, got {len(y)}. "
                "Filter the trials, raise most_trials, or use splines."
            )
        if not np.isfinite(X).all() or not np.isfinite(y).all():
            raise FitError("A parameter or the response is not a finite number in a trial. Leave that trial out.")
        if np.ptp(y) == 0:
            raise FitError(f"The response is {y[0]:g} in every trial: there is nothing to predict.")

    @property
    def least_trials(self) -> int:
        """Fewest trials that this family can be fitted to."""
        return 5


def _hold(holds: bool, what: str) -> None:
    if not holds:
        raise ModelFileError(f"The additive model {what}.")
