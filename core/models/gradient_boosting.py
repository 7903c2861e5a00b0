"""Gradient boosting: shallow trees added up, each grown on what those before it leave."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from core.codec import FloatArray
from core.errors import hold
from core.models._linear_design import LinearFamily
from core.models.base import Family, fixed, need_positive
from core.models.parts.trees import THIRDS, AveragedTrees, TreesModel, check_trials, span_of
from core.option import like, option
from core.progress import Progress, silent
from core.threads import one_thread

MANY_SMALL = fixed(trees=400, leaves=8, min_leaf=3, rate=0.1, max_features=1.0, penalty=0.0)
"""What suits a few hundred designs of a few parameters."""


class GradientBoostingModel(TreesModel):
    """baseline + Σ trees; values in the leaves have the learning rate in them."""

    baseline: float

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the sum, added up in the order in which the trees were grown."""
        return self._over_trees(X, lambda each, _: self._sum(each))

    share = 1.0
    """All of it."""

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; boosted trees have no formula."""
        return f"sum of {len(self.roots)} trees with {int((self.feature < 0).sum()):,} leaves"

    def check(self, width: int) -> None:
        """Hold the arrays together."""
        super().check(width)
        hold(bool(np.isfinite(self.baseline)), "The boosted trees have a baseline that is not finite.")

    def _sum(self, each: FloatArray) -> FloatArray:
        total = np.full(each.shape[1], self.baseline)
        for tree in each:
            total += tree
        return total

    def _columns(self, X: FloatArray) -> FloatArray:
        """Compare in double precision, as scikit-learn does for this family."""
        return X


class GradientBoosting(Family):
    """Trees of a few leaves, each a step towards what is still unexplained.

    References
    ----------
    Friedman 2001, Greedy function approximation: a gradient boosting machine; Ke et al. 2017, LightGBM
    (splits found in histograms), as scikit-learn's HistGradientBoostingRegressor has them.
    """

    label = "Gradient boosting"
    kind, slowness = "boosting", 3
    linear, raced_on, raced = False, "raw", fixed(bins=64)
    variants = fixed(**THIRDS, **{"many small trees": MANY_SMALL})

    trees: int = option(200, low=1, high=5000, help="More fit closer; with a lower rate, take more")
    rate: float = option(0.05, low=0.001, high=1.0, label="Learning rate").says(
        "Share of each tree that is added; less is steadier"
    )
    leaves: int = option(12, low=2, high=1000, help="Most leaves per tree; more make deeper interactions")
    min_leaf: int = like(AveragedTrees, "min_leaf", 5)
    max_features: float = like(AveragedTrees, "max_features", 0.5)
    penalty: float = option(1.0, low=0.0, high=1e6, expert=True).says(
        "Of large values in leaves (L2); more is smoother"
    )
    bins: int = option(255, low=2, high=255, expert=True).says(
        "Of how many values of a metric, at most, splits lie between; fewer take less time with many metrics"
    )
    weights: str = like(LinearFamily, "weights").says(
        "relative weighs each trial by 1 / response², for a response on the raw scale or a ratio"
    )
    seed: int = like(AveragedTrees, "seed")

    @property
    def light(self) -> Self:
        """The same with half the trees in steps twice as long."""
        return replace(self, trees=-(-self.trees // 2), rate=min(1.0, 2 * self.rate))

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> GradientBoostingModel:
        """Grow the trees, on one thread so that sums have one order."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        check_trials(X, y, self.least_trials, "Gradient boosting")
        weight, unit = _weights(self.weights, y), span_of(y)
        found = HistGradientBoostingRegressor(
            max_iter=self.trees,
            learning_rate=self.rate,
            max_leaf_nodes=self.leaves,
            min_samples_leaf=self.min_leaf,
            max_features=self.max_features,
            l2_regularization=self.penalty,
            max_bins=self.bins,
            early_stopping=False,
            random_state=self.seed,
        )
        with one_thread("openmp"):
            found.fit(X, y / unit, sample_weight=weight)
        return _learnt(found, X.shape[1], unit)


def _weights(name: str, y: FloatArray) -> FloatArray | None:
    if name == "none":
        return None
    need_positive(y)
    return (np.median(y) / y) ** 2


def _learnt(found: Any, width: int, unit: float) -> GradientBoostingModel:
    """Return what scikit-learn's value holds, times a unit: its trees one after another, children renumbered."""
    nodes = np.concatenate([stage[0].nodes for stage in found._predictors])
    sizes = [len(stage[0].nodes) for stage in found._predictors]
    starts = np.cumsum([0, *sizes])[:-1]
    leaf, shift = nodes["is_leaf"].astype(bool), np.repeat(starts, sizes)
    gain = np.bincount(nodes["feature_idx"][~leaf], weights=np.maximum(nodes["gain"][~leaf], 0.0), minlength=width)
    total = gain.sum()
    return GradientBoostingModel(
        roots=starts.astype(np.int64),
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]),
        left=np.where(leaf, -1, nodes["left"].astype(np.int64) + shift),
        right=np.where(leaf, -1, nodes["right"].astype(np.int64) + shift),
        value=np.where(leaf, nodes["value"] * unit, 0.0),
        importance=np.asarray(gain / total if total > 0 else gain, dtype=np.float64),
        baseline=float(np.asarray(found._baseline_prediction).ravel()[0]) * unit,
    )
