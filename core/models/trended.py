"""Trended trees: a linear trend in all columns, and extremely randomised trees on what it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import ModelFileError
from core.models.base import Model, Parts, fixed, slope, within
from core.models.extra_trees import ExtraTreesModel
from core.models.parts.trees import AveragedTrees
from core.models.ridge import Ridge
from core.option import option
from core.progress import Progress, silent

WRITTEN = 6
"""Slopes that a formula writes out."""


@dataclass(frozen=True)
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
        if not fits or not within(self.columns, width):
            raise ModelFileError("The trended trees have slopes of columns that are not there.")
        self.trees.check(width)


@dataclass(frozen=True)
class Trended(AveragedTrees):
    """Ridge regression first, so that a machine or size beyond the trained ones moves the prediction; then trees.

    Trees alone say of everything beyond what they said at the edge.

    References
    ----------
    Hoerl, Kennard 1970, Ridge regression (the trend); Geurts, Ernst, Wehenkel 2006, Extremely randomized trees.
    """

    label: ClassVar[str] = "Linear trend and randomised trees"
    kind, slowness = "", 1
    raced_on, variants = "positive", fixed(**{"": {}})

    penalty: float = option(
        0.1,
        low=1e-9,
        high=1e6,
        label="Penalty of the trend",
        help="Of each slope's square, in units of one trial's squared error; more holds the trend flatter",
    )

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> TrendedModel:
        """Fit the trend, then grow the trees on what it leaves."""
        from sklearn.tree import ExtraTreeRegressor

        ridge = Ridge(penalty=self.penalty).fit(X, y)
        trees = self.grown(ExtraTreesModel, ExtraTreeRegressor, X, y - ridge.predict(X))
        return TrendedModel(ridge.intercept, ridge.first, ridge.coefficients, trees)
