"""Roofline: work divided by what machines can do, and boosted trees for what such a sum leaves."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Self

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import FitError, holder
from core.models.base import RAW, Family, Model, fixed, within
from core.models.gradient_boosting import GradientBoosting, GradientBoostingModel
from core.models.parts.trees import check_trials
from core.option import like, option
from core.progress import Progress, silent
from core.trial import Kind, Metric

_hold = holder("The roofline")

ONE = -1
"""Stands for the number 1 in place of a column: work that every run has, or a capacity that no machine metric tells."""
MOST_QUOTIENTS = 1200
MOST_RATIOS = 12
"""Columns of work up to which the trees also get the ratio of each two."""
WRITTEN = 6
"""Quotients that a formula writes out."""


class RooflineModel(Model):
    """Σ weight · work / capacity, times exp of the trees (plus the trees where responses are not positive).

    Attributes
    ----------
    work, capacity : arrays of shape (n_quotients,), columns of X; -1 stands for 1
    weights : array of shape (n_quotients,), positive
    factor : whether the trees' exponential multiplies, or the trees add
    columns : array of shape (n_own,), columns that the trees see, before the logarithm of the sum
    first, second : arrays of shape (n_ratios,), columns of which the trees see ln((1 + first) / (1 + second))
    """

    work: IntArray
    capacity: IntArray
    weights: FloatArray
    factor: bool
    columns: IntArray
    first: IntArray
    second: IntArray
    trees: GradientBoostingModel

    def predict(self, X: FloatArray) -> FloatArray:
        """Return the prediction, NaN where the sum is not positive."""
        roof = self._roof(X)
        good = np.isfinite(roof) & ((roof > 0) | (not self.factor))
        safe = np.where(good, roof, 1.0)
        rest = self.trees.predict(_seen(X, safe, self.columns, self.first, self.second, factor=self.factor))
        with np.errstate(over="ignore"):
            value = safe * np.exp(rest) if self.factor else safe + rest
        return np.where(good, value, np.nan)

    def refuse(self, X: FloatArray, names: Sequence[str]) -> dict[int, str]:
        """Return the rows whose sum of quotients is not a positive number."""
        roof = self._roof(X)
        bad = ~np.isfinite(roof) | ((roof <= 0) & self.factor)
        return {int(i): "its work divided by its machine's capacity is no positive number" for i in np.flatnonzero(bad)}

    def used(self, width: int) -> list[int]:
        """Return the columns of its quotients."""
        return list(dict.fromkeys(j for j in np.column_stack([self.work, self.capacity]).ravel().tolist() if j >= 0))

    @property
    def trees_and_nodes(self) -> tuple[int, int]:
        """Those of its trees."""
        return self.trees.trees_and_nodes

    def formula(self, names: Sequence[str]) -> str:
        """Return the sum with its weightiest quotients; the trees have no formula."""
        texts = self._texts(names)
        parts = [f"{w:.4g}·{t}".removesuffix("·1") for w, t in zip(self.weights[:WRITTEN], texts, strict=False)]
        more = [f"{len(texts) - WRITTEN} more"] if len(texts) > WRITTEN else []
        how = "· exp of" if self.factor else "+"
        return f"({' + '.join([*parts, *more])}) {how} a sum of {len(self.trees.roots)} trees"

    def terms(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the quotients, those that make up most of the sum first, and then what the trees split on."""
        weight = self.trees.importance[: len(self.columns)]
        split = [names[self.columns[i]] for i in np.argsort(-weight, kind="stable") if weight[i] > 0]
        return tuple(dict.fromkeys((*self._texts(names), *split)))

    def _texts(self, names: Sequence[str]) -> tuple[str, ...]:
        pairs = zip(self.work.tolist(), self.capacity.tolist(), strict=True)
        shown = [("1" if i == ONE else names[i], "" if j == ONE else f" / {names[j]}") for i, j in pairs]
        return tuple(a + b for a, b in shown)

    def check(self, width: int) -> None:
        """Hold the arrays against each other and the width."""
        n = len(self.weights)
        fits = self.work.shape == self.capacity.shape == (n,) and n > 0 and self.first.shape == self.second.shape
        _hold(fits and bool((self.weights >= 0).all()), "has quotients that do not fit")
        columns = (self.columns, self.first, self.second)
        _hold(all(within(c, width) for c in columns), "tells of a column that is not there")
        _hold(all(within(c, width, ONE) for c in (self.work, self.capacity)), "divides what is not there")
        self.trees.check(len(self.columns) + 1 + len(self.first))

    def _roof(self, X: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused with a reason
            return np.asarray(_quotients(X, self.work, self.capacity) @ self.weights)


class Roofline(Family):
    """A sum of work over capacity with weights that are not negative, corrected by trees that see no machine.

    What a machine can do enters through the sum alone, so that a machine beyond the trained ones is met
    by division and not by trees, which know nothing outside their training.

    References
    ----------
    Williams, Waterman, Patterson 2009, Roofline: an insightful visual performance model (work over
    capacity); Friedman 2001 (the trees).
    """

    label = "Roofline and boosted trees"
    kind, slowness, raced = "boosting", 5, fixed(bins=64)
    preparation = RAW

    machine: tuple[str, ...] = option((), label="Machine columns", expert=True).says(
        "Numbers of the columns that say what a machine can do; those of machine metrics if empty"
    )
    trees: int = like(GradientBoosting, "trees", 150, help="More fit closer to what the quotients leave")
    rate: float = like(GradientBoosting, "rate", 0.1, help="Share of each tree that is added")
    leaves: int = like(GradientBoosting, "leaves", 31, help="Most leaves per tree")
    min_leaf: int = like(GradientBoosting, "min_leaf")
    bins: int = like(GradientBoosting, "bins")

    light = GradientBoosting.light

    def told(self, metrics: Sequence[Metric]) -> Self:
        """Return the family with the machine metrics' columns."""
        own = tuple(str(j) for j, m in enumerate(metrics) if m.kind is Kind.MACHINE)
        return self if self.machine else replace(self, machine=own)

    def fit(self, X: FloatArray, y: FloatArray, progress: Progress = silent) -> RooflineModel:
        """Weigh the quotients, then grow trees on what they leave."""
        check_trials(X, y, self.least_trials, "A roofline")
        machine = self._machine(X.shape[1])
        columns = np.setdiff1d(np.arange(X.shape[1]), machine).astype(np.int64)
        work, capacity = _pool(X, y, columns, machine)
        Q = _quotients(X, work, capacity)
        unit = float(2.0 ** np.floor(np.log2(np.abs(y).max())))
        weights = _weights(Q, y / unit) * unit
        roof = Q @ weights
        order = np.argsort(-weights * Q.mean(axis=0), kind="stable")
        order = order[weights[order] > 0]
        factor = bool(y.min() > 0)
        first, second = _pairs(X, columns)
        rest = np.log(y / roof) if factor else y - roof
        if np.ptp(rest) == 0:
            rest = rest + 1e-12 * np.arange(len(rest))
        told = {name: getattr(self, name) for name in ("trees", "rate", "leaves", "min_leaf", "bins")}
        boosting = GradientBoosting(**told, max_features=1.0)
        trees = boosting.fit(_apart(_seen(X, roof, columns, first, second, factor=factor)), rest, progress)
        return RooflineModel(work[order], capacity[order], weights[order], factor, columns, first, second, trees)

    def _machine(self, width: int) -> IntArray:
        try:
            found = np.array(sorted({int(text) for text in self.machine}), dtype=np.int64)
        except ValueError:
            raise FitError(f"Machine columns are numbers from 0, got {', '.join(self.machine)}.") from None
        if len(found) and not 0 <= found[0] <= found[-1] < width:
            raise FitError(f"There are {width} columns, numbered from 0; got machine column {found[-1]}.")
        if len(found) == width:
            raise FitError("Every metric is a machine's: there is no work to divide by what machines can do.")
        return found


def _pool(X: FloatArray, y: FloatArray, columns: IntArray, machine: IntArray) -> tuple[IntArray, IntArray]:
    """Return all pairs of work (or 1) and capacity (or 1), as column numbers.

    Of more pairs than are weighed, those of the work whose ranks go with the response's most.
    """
    capacity = [ONE, *(j for j in machine.tolist() if X[:, j].min() > 0)]
    usable = np.array([j for j in columns.tolist() if X[:, j].min() >= 0 and X[:, j].max() > 0], dtype=np.int64)
    most = max(1, MOST_QUOTIENTS // len(capacity) - 1)
    if len(usable) > most:
        usable = np.sort(usable[np.argsort(-_alike(X[:, usable], y), kind="stable")[:most]])
    work = np.array([ONE, *usable.tolist()], dtype=np.int64)
    return np.repeat(work, len(capacity)), np.tile(np.array(capacity, dtype=np.int64), len(work))


def _alike(X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the size of each column's rank correlation with the response, array of shape (n_columns,)."""
    from scipy.stats import rankdata

    ranks = rankdata(np.column_stack([X, y]), axis=0)
    with np.errstate(invalid="ignore"):  # a column that does not vary goes with nothing
        found = np.atleast_2d(np.corrcoef(ranks, rowvar=False))[-1, :-1]
    return np.nan_to_num(np.abs(found))


def _quotients(X: FloatArray, work: IntArray, capacity: IntArray) -> FloatArray:
    """Return work / capacity, array of shape (n, n_quotients)."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above = np.where(work == ONE, 1.0, X[:, np.maximum(work, 0)])
        found: FloatArray = above / np.where(capacity == ONE, 1.0, X[:, np.maximum(capacity, 0)])
    return found


def _weights(Q: FloatArray, y: FloatArray) -> FloatArray:
    """Return weights ≥ 0 of least relative squared error (squared error where a response is not positive)."""
    from scipy.optimize import nnls

    A, b = (Q / y[:, None], np.ones(len(y))) if y.min() > 0 else (Q, y)
    largest = np.abs(A).max(axis=0)
    largest[largest == 0] = 1.0  # divided out first: of responses over very many decades the squares are no numbers
    size = largest * np.sqrt(((A / largest) ** 2).mean(axis=0))
    A = A / np.where(size > 0, size, 1.0)
    G = A.T @ A
    factor = np.linalg.cholesky(G + 1e-9 * np.trace(G) / len(G) * np.eye(len(G)))
    found, _ = nnls(factor.T, np.linalg.solve(factor, A.T @ b), maxiter=100 * len(G))
    weights: FloatArray = np.where(size > 0, found / np.where(size > 0, size, 1.0), 0.0)
    if not (Q @ weights > 0).all():
        weights[0] += float(np.median(np.abs(y))) * 1e-6 + np.finfo(float).tiny  # the quotient 1 / 1
    return weights


def _pairs(X: FloatArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return each two columns of work that are never negative, if they are few."""
    own = [j for j in columns.tolist() if X[:, j].min() >= 0]
    pairs = list(combinations(own, 2)) if len(own) <= MOST_RATIOS else []
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _seen(
    X: FloatArray, roof: FloatArray, columns: IntArray, first: IntArray, second: IntArray, *, factor: bool
) -> FloatArray:
    """Return what the trees see: no machine, but the logarithm of the sum."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(roof) if factor else roof
        ratios = np.log1p(X[:, first]) - np.log1p(X[:, second])
    return np.column_stack([X[:, columns], log, np.nan_to_num(ratios, nan=0.0)])


def _apart(seen: FloatArray) -> FloatArray:
    """Return what trees see to ten digits.

    Equal ratios of unequal counters differ in their last digit, by each program's logarithm; no split is to lie there.
    """
    share, exponent = np.frexp(seen)
    return np.ldexp(np.round(share * 2.0**33) / 2.0**33, exponent)
