"""Means of deep trees: grown on random draws of the trials, with random splits, or on what a linear trend leaves."""

from collections.abc import Sequence

import numpy as np

from core.codec import BoolArray, FloatArray, IntArray
from core.errors import hold
from core.models.base import Model, Parts, fixed, slope, within
from core.models.parts.trees import AveragedTrees, TreesModel, times_drawn
from core.models.ridge import Ridge
from core.option import option
from core.progress import Progress, silent

RANDOM = "ExtraTreeRegressor"
"""What scikit-learn calls a tree whose splits are drawn at random."""


class ForestModel(TreesModel):
    """The mean of the trees."""

    def total(self, X: FloatArray, counted: BoolArray) -> FloatArray:
        """Return the sum of the trees that count for each row; `counted` is of shape (n_trees, n)."""
        return self._over_trees(X, lambda each, rows: np.where(counted[:, rows], each, 0.0).sum(axis=0))


class Forest(AveragedTrees):
    """Many deep trees, averaged.

    References
    ----------
    Breiman 2001, Random Forests.
    """

    label = "Random forest"
    slowness = 4

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ForestModel:
        """Grow the trees."""
        return self.grown(ForestModel, "DecisionTreeRegressor", X, y, drawn=True)

    def out_of_bag(self, model: Model, X: FloatArray) -> FloatArray | None:
        """Return what the trees of `fit` say of each trial that was not drawn for them, array of shape (n_trials,).

        NaN for a trial that was drawn for every tree. Which were drawn follows from the seed.

        References
        ----------
        Breiman 2001, section 3.1.
        """
        if not isinstance(model, ForestModel):
            return None
        rng = np.random.RandomState()
        left = np.array([times_drawn(rng, seed, len(X)) == 0 for seed in self._seeds()])
        total, n = model.total(X, left), left.sum(axis=0)
        return np.asarray(np.divide(total, n, out=np.full(len(X), np.nan), where=n > 0))


class ExtraTreesModel(TreesModel):
    """The mean of the trees."""

    def spread_among(self, X: FloatArray) -> FloatArray | None:
        """Return the standard deviation over the trees."""
        return self.spread(X)


class ExtraTrees(AveragedTrees):
    """Many deep trees, averaged.

    References
    ----------
    Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label = "Extremely randomised trees"
    slowness = 1

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> ExtraTreesModel:
        """Grow the trees."""
        return self.grown(ExtraTreesModel, RANDOM, X, y)


def resampled(X: FloatArray, y: FloatArray, trees: int, seed: int) -> ExtraTreesModel:
    """Return trees each grown on trials drawn with replacement, so that they disagree about trials that they know, too.

    Raises
    ------
    FitError
        If there are too few trials, or nothing to predict.
    """
    return ExtraTrees(trees=trees, seed=seed).grown(ExtraTreesModel, RANDOM, X, y, drawn=True)


WRITTEN = 6
"""Slopes that a formula writes out."""


class TrendedModel(Model):
    """level + Σ slope · column + the mean of the trees.

    Attributes
    ----------
    columns : array of shape (n_slopes,), columns of X
    slopes : array of shape (n_slopes,)
    trees : of what the trend leaves
    """

    level: float
    columns: IntArray
    slopes: FloatArray
    trees: ExtraTreesModel

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the trend and what the trees add to it."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
            trend: FloatArray = self.level + X[:, self.columns] @ self.slopes
        return trend + self.trees.predict(X)

    def parts(self) -> Parts:
        """Return a piece per slope, and the trees."""
        pairs = zip(self.columns.tolist(), self.slopes.tolist(), strict=True)
        return Parts(tuple(slope(j, c) for j, c in pairs), (self.trees,))

    def spread_among(self, X: FloatArray) -> FloatArray | None:
        """Return the standard deviation over the trees."""
        return self.trees.spread(X)

    @property
    def trees_and_nodes(self) -> tuple[int, int]:
        """Those of its trees."""
        return self.trees.trees_and_nodes

    def formula(self, names: Sequence[str]) -> str:
        """Return the trend with its steepest slopes; the trees have no formula."""
        order = np.argsort(-np.abs(self.slopes), kind="stable")[:WRITTEN]
        parts = [f"{self.slopes[i]:+.4g}·{names[self.columns[i]]}" for i in order.tolist()]
        more = [f"+ {len(self.slopes) - WRITTEN} more"] if len(self.slopes) > WRITTEN else []
        return " ".join([f"{self.level:.4g}", *parts, *more, f"+ mean of {len(self.trees.roots)} trees"])

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns, the steepest first, then what the trees alone split on."""
        order = np.argsort(-np.abs(self.slopes), kind="stable").tolist()
        return tuple(dict.fromkeys((*(names[self.columns[i]] for i in order), *self.trees.terms(names))))

    def check(self, width: int) -> None:
        """Hold slopes and trees against the width."""
        fits = self.columns.shape == self.slopes.shape and self.columns.ndim == 1
        hold(fits and within(self.columns, width), "The trended trees have slopes of columns that are not there.")
        self.trees.check(width)


class Trended(AveragedTrees):
    """Ridge regression first, so that a machine or size beyond the trained ones moves the prediction; then trees.

    Trees alone say of everything beyond what they said at the edge.

    References
    ----------
    Hoerl, Kennard 1970, Ridge regression (the trend); Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label = "Linear trend and randomised trees"
    kind, slowness = "", 1
    raced_on, variants = "positive", fixed(**{"": {}})

    penalty: float = option(0.1, low=1e-9, high=1e6, label="Penalty of the trend").says(
        "Of each slope's square, in units of one trial's squared error; more holds the trend flatter"
    )

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> TrendedModel:
        """Fit the trend, then grow the trees on what it leaves."""
        ridge = Ridge(penalty=self.penalty).fit(X, y)
        trees = self.grown(ExtraTreesModel, RANDOM, X, y - ridge.predict(X))
        return TrendedModel(ridge.intercept, ridge.first, ridge.coefficients, trees)
