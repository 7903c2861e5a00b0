"""Ensembles of regression trees as arrays: learnt by scikit-learn, kept and evaluated as plain numbers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

import numpy as np

from core.blocks import row_blocks
from core.codec import FloatArray, Frozen, IntArray
from core.errors import FitError, holder
from core.models.base import Family, Model, Parts, fixed, weightiest, within
from core.models.parts.story import Importance, shares_of
from core.option import option
from core.scale import check_response

_hold = holder("The forest")

_TOGETHER, _LEVELS = 1 << 14, 3
"""Walks that are taken together, and levels after which those that ended are left behind."""

THIRDS = fixed(**{"": {}, "a third of the metrics": {"max_features": 0.33}})
"""Of all metrics, or a third of them, each split of a tree may choose."""

M = TypeVar("M", bound="TreesModel")


class Nodes(Frozen):
    """Trees, whatever their leaves hold: node i goes to `left` if its feature is at most its threshold, else `right`.

    Attributes
    ----------
    roots : array of shape (n_trees,), the first node of each tree
    feature : array of shape (n_nodes,), column of X; -1 in a leaf
    threshold : array of shape (n_nodes,)
    left, right : arrays of shape (n_nodes,), numbers of nodes
    """

    roots: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray

    def leaves_of(self, columns: "np.ndarray[Any, Any]") -> IntArray:
        """Return the node that each tree ends in, array of shape (n_trees, n).

        Some trees walk together, so few that what they need stays near the processor.
        """
        n, width = columns.shape
        found, flat = np.repeat(self.roots, n), np.ravel(columns)
        most = max(1, _TOGETHER // max(n, 1))
        begins = np.tile(np.arange(n) * width, most)
        for start in range(0, len(found), len(begins) or 1):
            out = found[start : start + len(begins)]
            self._walk(flat, begins[: len(out)], out)
        return found.reshape(len(self.roots), n)

    def _walk(self, cells: "np.ndarray[Any, Any]", begins: IntArray, out: IntArray) -> None:
        """Take each entry of `out`, a node, to the leaf below it for the row of cells that begins where it is said."""
        places, node = np.arange(len(out)), out
        while len(places):
            for _ in range(_LEVELS):
                feature = self.feature.take(node)
                below = cells.take(begins + np.maximum(feature, 0)) <= self.threshold.take(node)
                node = np.where(feature < 0, node, np.where(below, self.left.take(node), self.right.take(node)))
            inner = np.flatnonzero(self.feature.take(node) >= 0)
            if 4 * len(inner) <= 3 * len(node):
                out[places] = node
                places, node, begins = places[inner], node[inner], begins[inner]

    def check_nodes(self, width: int, hold: Callable[[bool, str], None]) -> None:
        """Hold the arrays together; every walk must end in a leaf."""
        n = len(self.feature)
        fits = all(a.shape == (n,) for a in (self.threshold, self.left, self.right))
        hold(n > 0 and len(self.roots) > 0 and fits, "has arrays that do not fit")
        hold(within(self.roots, n), "begins at a node that is not there")
        hold(bool((self.feature < width).all()), "splits on a column that is not there")
        inner = np.flatnonzero(self.feature >= 0)
        for child in (self.left[inner], self.right[inner]):
            hold(bool(((child > inner) & (child < n)).all()), "has a branch that leads back or nowhere")


def joined_nodes(trees: Sequence[Any]) -> Nodes:
    """Return fitted trees of scikit-learn (each one's `tree_`) one after another, children renumbered."""
    starts = np.cumsum([0, *(t.node_count for t in trees)])
    leaf = np.concatenate([t.children_left < 0 for t in trees])
    shift = np.repeat(starts[:-1], np.diff(starts))

    def of(name: str, at_leaf: float, moved: "IntArray | int" = 0) -> "np.ndarray[Any, Any]":
        return np.where(leaf, at_leaf, np.concatenate([getattr(t, name) for t in trees]) + moved)

    children = (of(name, -1, shift).astype(np.int64) for name in ("children_left", "children_right"))
    return Nodes(starts[:-1].astype(np.int64), of("feature", -1).astype(np.int64), of("threshold", 0.0), *children)


class TreesModel(Nodes, Model):
    """The mean of trees.

    Attributes
    ----------
    value : array of shape (n_nodes,)
    importance : array of shape (n_columns,), share of the squared error that splits on a column take away
    """

    value: FloatArray
    importance: FloatArray

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the mean of the trees, in single precision of X as scikit-learn compares it."""
        return self._over_trees(X, lambda each, _: np.add.reduce(each, axis=0) / len(each))

    def parts(self) -> Parts:
        """Return itself."""
        return Parts(trees=(self,))

    @property
    def share(self) -> float:
        """What a tree's leaf adds to the prediction, per unit of its value."""
        return 1 / len(self.roots)

    def spread(self, X: FloatArray) -> FloatArray:
        """Return the standard deviation over the trees, array of shape (n,)."""
        return self._over_trees(X, lambda each, _: each.std(axis=0))

    def used(self, width: int) -> list[int]:
        """Return the columns that together have nine tenths of the importance."""
        return weightiest(self.importance)

    def importances(self, names: Sequence[str]) -> Importance:
        """Return each column's share of the squared error that splits take away."""
        meaning = (
            "How much of the squared error the splits on each metric take away in training. Metrics that go together "
            "share what they take away."
        )
        return shares_of("share of the error taken away", meaning, self.importance, names)

    @property
    def trees_and_nodes(self) -> tuple[int, int]:
        """How many trees it has, and how many nodes."""
        return len(self.roots), len(self.feature)

    def formula(self, names: Sequence[str]) -> str:
        """Say what it is; a forest has no formula."""
        return f"mean of {len(self.roots)} trees with {int((self.feature < 0).sum()):,} leaves"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that any tree splits on, the most important first."""
        order = np.argsort(-self.importance, kind="stable")
        return tuple(names[j] for j in order if self.importance[j] > 0)

    def check(self, width: int) -> None:
        """Hold the arrays together."""
        self.check_nodes(width, _hold)
        _hold(self.value.shape == self.feature.shape, "has not one value per node")
        _hold(self.importance.shape == (width,), "has not one importance per column")

    def _over_trees(self, X: FloatArray, summary: Callable[[FloatArray, slice], FloatArray]) -> FloatArray:
        """Return a summary of the trees' predictions of some rows, which it is told, computed some rows at a time."""
        found = np.empty(len(X))
        for rows in row_blocks(len(X), len(self.roots)):
            found[rows] = summary(self._each(X[rows]), rows)
        return found

    def _columns(self, X: FloatArray) -> "np.ndarray[Any, Any]":
        """Return X as it is compared with thresholds: in single precision, as scikit-learn's forests do."""
        return single_precision(X)

    def _each(self, X: FloatArray) -> FloatArray:
        """Return each tree's prediction, array of shape (n_trees, n)."""
        return self.value[self.leaves_of(self._columns(X))]


def single_precision(X: FloatArray) -> "np.ndarray[Any, Any]":
    """Return X as scikit-learn's trees compare it."""
    with np.errstate(over="ignore"):  # too large for single precision is larger than every threshold
        return X.astype(np.float32)


def learnt(cls: type[M], estimators: Sequence[Any], unit: float = 1.0) -> M:
    """Return what fitted trees of scikit-learn hold, times a unit, as a model of class `cls`."""
    trees = [estimator.tree_ for estimator in estimators]
    gain = np.mean([t.compute_feature_importances() for t in trees], axis=0)
    value = np.concatenate([t.value[:, 0, 0] for t in trees]).astype(np.float64) * unit
    return cls(**vars(joined_nodes(trees)), value=value, importance=gain / (gain.sum() or 1.0))


def check_trials(X: FloatArray, y: FloatArray, least: int, noun: str, *, squares: bool = True) -> None:
    """Raise FitError unless a family of this noun can learn from these trials; `squares` if it needs the response's."""
    if len(y) < least:
        raise FitError(f"{noun} needs at least {least} trials, got {len(y)}. Import more trials.")
    with np.errstate(all="ignore"):
        sums = np.ones(len(X)) @ X  # finite only where all is; of numbers near the largest they may not be
    if not (np.isfinite(sums).all() or np.isfinite(X).all()) or not np.isfinite(y).all():
        raise FitError("A metric or the response is not a finite number in a trial. Leave that trial out.")
    if np.ptp(y) == 0:
        raise FitError(f"The response is {y[0]:g} in every trial: there is nothing to predict.")
    if squares:
        check_response(y)


def times_drawn(rng: np.random.RandomState, seed: int, n: int) -> FloatArray:
    """Return how often each of n trials is drawn for the tree of a seed, as in scikit-learn's forests."""
    rng.seed(seed)
    return np.bincount(rng.randint(0, n, n, dtype=np.int32), minlength=n).astype(np.float64)


def span_of(y: FloatArray) -> float:
    """Return the power of 2 that the span of a response is divided by, exactly, before trees are grown.

    scikit-learn's trees stop at a variance of 2.2e-16, whatever the unit, and boost in single precision.
    """
    return float(2.0 ** np.floor(np.log2(np.ptp(y))))


class AveragedTrees(Family):
    """A family whose model is the mean of deep trees."""

    kind = "forest"
    raced = fixed(trees=100)
    linear, raced_on, variants = False, "raw", THIRDS

    trees: int = option(200, low=1, high=5000, help="More are steadier, and slower")
    max_features: float = option(1.0, low=0.01, high=1.0, label="Share of metrics per split").says(
        "Of how many metrics each split may choose"
    )
    min_leaf: int = option(1, low=1, high=1000, label="Least trials per leaf").says(
        "More makes smaller, smoother trees"
    )
    seed: int = option(0, low=0, high=2**31 - 1, expert=True, help="Of the random draws")

    @property
    def light(self) -> Self:
        """The same with half the trees."""
        return replace(self, trees=-(-self.trees // 2))

    def _seeds(self) -> list[int]:
        """Return the seed of each tree, as scikit-learn's forests draw them."""
        rng = np.random.RandomState(self.seed)
        return [int(rng.randint(np.iinfo(np.int32).max)) for _ in range(self.trees)]

    def grown(self, cls: type[M], kind: str, X: FloatArray, y: FloatArray, *, drawn: bool = False) -> M:
        """Return trees of scikit-learn as its forests grow them, each on a draw of trials if asked; no bookkeeping."""
        from sklearn import config_context, tree

        check_trials(X, y, self.least_trials, "A forest")
        columns, unit = single_precision(X), span_of(y)
        rng, grown = np.random.RandomState(), []  # seeding one anew takes a hundredth of the time of a new one
        with config_context(skip_parameter_validation=True):
            for seed in self._seeds():
                weight = times_drawn(rng, seed, len(y)) if drawn else None
                rng.seed(seed)
                one = getattr(tree, kind)(
                    random_state=rng, max_features=self.max_features, min_samples_leaf=self.min_leaf
                )
                grown.append(one.fit(columns, y / unit, sample_weight=weight, check_input=False))
            return learnt(cls, grown, unit)
