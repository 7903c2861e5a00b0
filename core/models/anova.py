"""Additive model with pairwise interactions: every effect a curve or a surface, as smooth as the data say."""

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from math import fsum
from typing import Self

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, IntArray
from core.errors import FitError, holder
from core.models._inducing import Process, drawn, factor_fits, induce, parts_known
from core.models.base import Model, Parts, Piece, fixed, no_logarithms
from core.models.parts.anova import JITTER, Centre, Scaled, Shape, codes_of, scaled, thinned, together
from core.models.parts.anova_likelihood import MEAN, Likelihood, n_parameters, parts, prior
from core.models.parts.story import Importance, Joint, Tables, shares_of
from core.option import option
from core.progress import Progress, silent

_hold = holder("The additive model")

_FEW_STEPS = 15
"""Steps of the search where it is for choosing: beyond them errors of what is held out hardly fall, or rise."""
_AMONG = 1000
"""Trials that inducing points are chosen among, and most levels that an axis then keeps."""
_LEAST_SHARE = 0.001
"""Of the variance, that makes an effect one of the formula's terms."""


class AnovaModel(Model):
    """mean + Σ f_i(x_i) + Σ f_ij(x_i, x_j), each f of mean zero over the levels.

    Attributes
    ----------
    scale : standard deviation of the response, in which sizes are told
    interaction : size of interactions against the product of the main effects' sizes
    noise : standard deviation that no effect explains, in units of `scale`
    codes : array of shape (n_points, n_axes), the points by number of level: the trials, or inducing points
    weights : array of shape (n_points,): f(x) = Σ weight · covariance(x, point)
    left_out : (column of X, why) of parameters that could not be used
    factor : empty where points are the trials, else what `_inducing` says of the trials behind inducing points
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
    factor: FloatArray = field(default_factory=lambda: np.empty(0))

    noun = "effect"
    counted = "Curves of one metric and surfaces of two that explain at least 0.1 % each."
    curved = True

    def predict(self, X: FloatArray) -> FloatArray:
        """Return mean + Σ effects + Σ interactions; NaN where a parameter has no logarithm."""
        value = np.empty(len(X))
        for rows in row_blocks(len(X), len(self.weights)):
            value[rows] = together(self._tables(X[rows], self.codes), self.interaction) @ self.weights
        return self.constant + self.scale * value

    def parts_known(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return A and G so that the covariance of errors at rows of X is the function's own less A'A plus G'G.

        Both are in units of the model's scale, and have a column per row.
        """
        from scipy.linalg import cholesky, solve_triangular

        across, K = self.covariance(X, self.codes), self.among(self.codes)
        if len(self.factor):
            return parts_known(K, across, self.factor)
        L = cholesky(K + (self.noise**2 + JITTER) * np.eye(len(K)), lower=True)
        return solve_triangular(L, across.T, lower=True), np.zeros((0, len(X)))

    def covariance(self, X: FloatArray, codes: IntArray) -> FloatArray:
        """Return the covariance of the function, in units of the scale, between rows of X and points by their codes."""
        return together(self._tables(X, codes), self.interaction) + MEAN

    def among(self, codes: IntArray) -> FloatArray:
        """Return the covariance of the function, in units of the scale, among points by their codes."""
        own = zip(self._centres, codes.T, strict=True)
        return together((c.between(c.levels[at], at) for c, at in own), self.interaction) + MEAN

    def parts(self) -> Parts:
        """Return a piece per effect and interaction."""
        return Parts(tuple(map(self._piece, self._every(pairs=bool(self.interaction)))))

    def _every(self, *, pairs: bool) -> list[tuple[int, ...]]:
        """Return the axes of every main effect, and of every interaction if asked."""
        return [own for size in (1, 2)[: 1 + pairs] for own in combinations(range(len(self.axes)), size)]

    def shares(self, x: FloatArray, background: FloatArray) -> FloatArray:
        """Return the Shapley values of all columns, from sums over the axes and not pair by pair.

        With u and v an axis' covariances at the row and at a background row, and U and V their sums over axes, an axis
        gets (u - v)(1 + i²((U - u) + (V - v)) / 2), as of a product of two each gets its own step at the mean of the
        other's two values.
        """
        found = np.zeros(len(x))
        pairs = [tuple(self._tables(X, self.codes)) for X in (x[None], background)]
        whole = sum(pairs[0]) + sum(pairs[1])
        for axis, u, v in zip(self.axes, *pairs, strict=True):
            others = 1.0 + self.interaction**2 / 2 * (whole - u - v)
            found[axis.column] += self.scale * float((((u - v) * others) @ self.weights).mean())
        return found

    def _piece(self, own: tuple[int, ...]) -> Piece:
        size = self.scale * (1.0 if len(own) == 1 else self.interaction**2)

        def of(X: FloatArray) -> FloatArray:
            tables = [self._table(a, X[:, k], self.codes) for k, a in enumerate(own)]
            return np.asarray(size * (np.prod(tables, axis=0) @ self.weights))

        return Piece(tuple(self.axes[a].column for a in own), of)

    @property
    def constant(self) -> float:
        """The mean over all combinations of levels; the weights nearly cancel, and are added up exactly."""
        return self.mean + self.scale * MEAN * fsum(self.weights.tolist())

    def effect(self, axes: tuple[int, ...], points: Sequence[FloatArray]) -> FloatArray:
        """Return a main effect (one axis) or an interaction (two) on the grid of values given, in the model's scale.

        Parameters
        ----------
        axes : numbers of one or two axes
        points : per axis, values of the parameter
        """
        tables = [self._table(a, values, self.codes) for a, values in zip(axes, points, strict=True)]
        if len(tables) == 1:
            return self.scale * (tables[0] @ self.weights)
        return self.interaction**2 * self.scale * (tables[0] * self.weights) @ tables[1].T

    @np.errstate(over="ignore", invalid="ignore")  # a model file may hold any numbers
    def importance(self) -> dict[tuple[int, ...], float]:
        """Return by columns each effect's share of the variance over all combinations of levels, the largest first."""
        found = dict[tuple[int, ...], float]()
        for axes in self._every(pairs=True):
            effect = self.effect(axes, [self.axes[a].levels for a in axes])
            found[tuple(self.axes[a].column for a in axes)] = float(np.mean(effect**2))
        total = float(np.sum([*found.values()])) or 1.0
        return {own: share / total for own, share in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))}

    def factors(self) -> tuple[str, list[tuple[tuple[int, ...], float]]]:
        """Return the shares of the variance over all combinations of levels, the largest first."""
        return "Share of the variance over all levels", list(self.importance().items())

    def importances(self, names: Sequence[str]) -> Importance:
        """Return each effect's share of the variance."""
        meaning = (
            "How much of the prediction's variance, over all combinations of the levels measured, comes from each "
            "metric alone and from each pair (a:b) beyond its two metrics."
        )
        found = {_called(columns, names): share for columns, share in self.importance().items()}
        return shares_of("share of the variance", meaning, np.array(list(found.values())), list(found))

    def _shown(self) -> list[tuple[int, ...]]:
        """Return the columns of the effects that explain at least 0.1 %, the largest first."""
        return [columns for columns, share in self.importance().items() if share >= _LEAST_SHARE]

    def written(self) -> list[int]:
        """Return the columns of the effects that are written."""
        return [column for columns in self._shown() for column in columns]

    def surfaces(self) -> list[tuple[int, int]]:
        """Return the pairs whose interaction is written."""
        return [(columns[0], columns[1]) for columns in self._shown() if len(columns) == 2]

    def piece_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Name all effects, which `terms` gives by what they explain."""
        return tuple(_called(one.columns, names) for one in self.parts().pieces)

    def notation(self) -> tuple[str, ...]:
        """Explain f."""
        return (
            "f(x) is a curve that is 0 on average over the levels of x, and f(x, y) a surface of what the two do "
            "beyond their curves; those under 0.1 % of the variance are not written.",
        )

    def tables(self, values: Sequence[FloatArray], most: int) -> Tables | None:
        """Return a table per effect."""
        found = list[tuple[tuple[int, ...], FloatArray]]()
        for axes in self._every(pairs=self.interaction > 0):
            columns = tuple(self.axes[a].column for a in axes)
            own = [values[column] for column in columns]
            if len(own) == 2 and len(own[0]) * len(own[1]) > most:
                return None
            found.append((columns, self.effect(axes, own)))
        return self.constant, found

    def joint(self, X: FloatArray) -> Joint:
        """Return the posterior covariance of the mean at rows of X."""
        among = []
        for axis, shape in zip(self.axes, self.shapes, strict=True):
            values, place = np.unique(X[:, axis.column], return_inverse=True)
            points = axis.positions(values)
            among.append(shape.centred(points, points, axis.positions(axis.levels))[np.ix_(place, place)])
        known, unsure = self.parts_known(X)
        left = together(among, self.interaction) + MEAN - known.T @ known + unsure.T @ unsure
        return Joint(self.scale**2 * left, (self.noise * self.scale) ** 2, self.noise, len(self.codes))

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum with the effects that explain at least 0.1 % each."""
        effects = (f"f({', '.join(names[c] for c in columns)})" for columns in self._shown())
        return " + ".join([f"{self.constant:.4g}", *effects])

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the effects and interactions (a:b) that explain at least 0.1 %, the largest first."""
        return tuple(_called(columns, names) for columns in self._shown())

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows with a parameter that has no logarithm."""
        return no_logarithms(((axis.column, axis.log) for axis in self.axes), X, names)

    def check(self, width: int) -> None:
        """Hold axes, shapes, codes and weights against each other and the width."""
        n = len(self.axes)
        for axis in self.axes:
            axis.check(width)
        fits = len(self.shapes) == n > 0 and self.weights.ndim == 1 and self.codes.shape == (len(self.weights), n)
        _hold(fits, "has not one code per point and parameter")
        sizes = np.array([len(axis.levels) for axis in self.axes])
        _hold(factor_fits(self.factor, len(self.weights)), "has a factor of another size than its points")
        _hold(bool(((self.codes >= 0) & (self.codes < sizes)).all()), "has a point of a level that is not there")
        _hold(all(s.length > 0 and s.size >= 0 and 0 <= s.rough <= 1 for s in self.shapes), "has an impossible shape")
        _hold(self.scale > 0 and self.noise >= 0, "has an impossible scale")
        _hold(all(0 <= c < width for c, _ in self.left_out), "tells of a column that is not there")

    @cached_property
    def _centres(self) -> list[Centre]:
        pairs = zip(self.shapes, self.axes, strict=True)
        return [Centre.of(shape, axis.positions(axis.levels)) for shape, axis in pairs]

    def _table(self, a: int, values: FloatArray, codes: IntArray) -> FloatArray:
        """Return the covariance of one parameter between values and points by their codes."""
        return self._centres[a].between(self.axes[a].positions(values), codes[:, a])

    def _tables(self, X: FloatArray, codes: IntArray) -> Iterator[FloatArray]:
        return (self._table(a, X[:, axis.column], codes) for a, axis in enumerate(self.axes))


def _called(columns: Sequence[int], names: Sequence[str]) -> str:
    """Return what an effect is called: a, or a:b."""
    return ":".join(names[c] for c in columns)


class Anova(Process):
    """Main effects and pairwise interactions of parameters, with sizes and smoothness by maximum likelihood.

    References
    ----------
    Duvenaud, Nickisch, Rasmussen 2011, Additive Gaussian Processes; Durrande et al. 2013 (see `_anova`).
    """

    label = "Additive with interactions"
    least_trials = 5
    slowness, raced = 7, fixed(iterations=20)

    interactions: bool = option(True, help="Surfaces of two parameters beside their curves")
    iterations: int = option(60, low=1, high=1000, label="Search steps", expert=True).says(
        "Most steps of the search for the likeliest sizes"
    )

    @property
    def light(self) -> Self:
        """The same with fewer trials and fewer steps of the search."""
        return replace(super().light, iterations=min(_FEW_STEPS, self.iterations))

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> AnovaModel:
        """Estimate sizes, lengths and roughness, then the effects."""
        X, z, mean, scale, some = self._prepared(X, y, "An additive model")
        axes = _axes(X)
        if not axes:
            raise FitError("No parameter varies. Measure more levels of some parameter.")
        likeliest = self._likeliest(axes, X[some], z[some], progress)
        shapes, interaction, noise = parts(likeliest, len(axes), interactions=self.interactions)
        vary = {axis.column for axis in axes}
        left_out = tuple((j, "it never varies") for j in range(X.shape[1]) if j not in vary)
        none = np.empty((0, len(axes)), dtype=np.int64)
        model = AnovaModel(mean, scale, axes, shapes, interaction, noise, none, np.empty(0), left_out)
        return self._told_through(model, X, z) if len(y) > self.most_trials else _exact(model, X, z)

    def _searched(self, X: FloatArray, z: FloatArray, some: IntArray, progress: Progress) -> FloatArray:
        return self._likeliest(_axes(X), X[some], z[some], progress)

    def _likeliest(self, axes: tuple[Scaled, ...], X: FloatArray, z: FloatArray, progress: Progress) -> FloatArray:
        if len(self.found) == n_parameters(len(axes)):
            return np.array(self.found)
        problem = Likelihood(axes, codes_of(axes, X), z, interactions=self.interactions)
        return problem.search(self.iterations, progress)

    def _told_through(self, model: AnovaModel, X: FloatArray, z: FloatArray) -> AnovaModel:
        """Return the model with inducing points."""
        among = drawn(len(z), _AMONG, self.seed)
        axes = tuple(thinned(axis, X[among, axis.column], _AMONG) for axis in model.axes)
        model = replace(model, axes=axes)
        chosen, weights, factor = induce(
            lambda a, b: model.covariance(X[a], codes_of(axes, X[b])), among, z, model.noise**2 + JITTER, self.inducing
        )
        return replace(model, codes=codes_of(axes, X[chosen]), weights=weights, factor=factor)


def _axes(X: FloatArray) -> tuple[Scaled, ...]:
    """Return the axes of the columns that vary."""
    made = (scaled(j, X[:, j]) for j in range(X.shape[1]))
    return tuple(axis for axis in made if axis is not None)


def _exact(model: AnovaModel, X: FloatArray, z: FloatArray) -> AnovaModel:
    """Return the model with the trials as its points."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.linalg.lapack import dtpttr

    codes, n = codes_of(model.axes, X), len(z)
    K = dtpttr(n, prior(model.axes, model.shapes, codes, model.interaction), uplo="L")[0]
    K[np.diag_indices(n)] += model.noise**2 + JITTER
    return replace(model, codes=codes, weights=cho_solve(cho_factor(K, lower=True, overwrite_a=True), z))
