"""Intervals learnt from what models said of trials they had not seen, and the same honestly measured."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.grouped import evenly
from core.validate.intervals import (
    LEARNT,
    LEVERAGE,
    NONE,
    PREDICTION,
    Interval,
    Shape,
    half_width,
    shape_of,
    spreads_of,
)

AUTO, PLAIN, CLUSTER = "auto", "plain", "cluster"
METHODS = (AUTO, PLAIN, CLUSTER, LEVERAGE, PREDICTION, LEARNT)
"""How wide intervals are: the best of as wide everywhere, each cluster its own, by leverage, by the prediction, and by
how unsure the model's parts are."""
LEAST_OWN = 100
"""Residuals from which on a cluster has a width of its own: the share that it covers then has a standard
deviation of 3 points, √(0.9 · 0.1 / (n + 2))."""
MOST_PARTS = 25
"""More folds are put together, dealt out in turn."""
MOST_LEARNT = 20_000
"""Residuals that widths are learnt from; of more evenly many, which tells a share of 0.9 to a fifth of a point."""
ROOM = 0.03
"""Of coverage, where the question is a new group: the next one may be unlike all that are known."""
LEAST_PARTS, TURNS = 4, 5
"""Folds from which on the method is chosen without those that it is scored on, this many parts of them at a time."""
_PARTS_OF_SHAPE = 5
_NEAR = 0.01
_GAIN = 0.98
_ABOVE = 0.06


class OutOfFold(Frozen):
    """What models said of trials they had not seen; all arrays of shape (n_trials,).

    Attributes
    ----------
    residuals, scaled : on the model's scale, NaN where there is no prediction
    leverage : in the domain of the model that had not seen the trial; None if it is not known
    fold_of_row : -1 for trials that were never held out
    cluster : by the model of all trials; None where there is one
    group : what is held out together, where the question is a new group; None where it is a new trial
    doubts : array of shape (n_trials, k), what tells how unsure the models were; None if nothing did
    """

    residuals: FloatArray
    scaled: FloatArray
    leverage: FloatArray | None
    fold_of_row: IntArray
    cluster: IntArray | None = None
    group: IntArray | None = None
    doubts: FloatArray | None = None

    @cached_property
    def part_of_row(self) -> IntArray:
        """The folds, at most 25 of them."""
        return np.where(self.fold_of_row >= 0, self.fold_of_row % MOST_PARTS, -1)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that these trials allow, but "auto"."""
        several = self.cluster is not None and len(np.unique(self.cluster[np.isfinite(self.residuals)])) > 1
        own = (PLAIN, *((CLUSTER,) if several else ()))
        far = (LEVERAGE,) if self.leverage is not None else ()
        return (*own, *far, PREDICTION, *((LEARNT,) if self.doubts is not None else ()))

    def difficulty(self, method: str) -> FloatArray | None:
        """Return what tells a method how hard trials are, shape (n_trials,) or (n_trials, k); None if nothing."""
        return {LEVERAGE: self.leverage, PREDICTION: self.scaled, LEARNT: self.doubts}.get(method)


class Measured(Frozen):
    """A method and the half widths that it gives each trial without the trial's own fold.

    Attributes
    ----------
    widths : array of shape (n_trials,), on the model's scale
    coverage : share of the trials within theirs
    loss : mean interval score (Gneiting, Raftery 2007, equation 43), on the model's scale: the width, and
        2 / (1 - nominal) times the distance of each miss
    """

    method: str
    widths: FloatArray
    coverage: float
    loss: float


def measure(known: OutOfFold, method: str, nominal: float) -> Measured:
    """Return the half widths that a method gives trials of each fold from the other folds, and what these cover.

    Everything is learnt without the fold (cross-conformal prediction); the shape of the difficulty is learnt
    without the trials that are divided by it too.

    Parameters
    ----------
    method : one of `METHODS`; "auto" is the one that `choose` finds, and its widths are those of the methods that
        it finds without the trials they are for

    References
    ----------
    Vovk 2015, Cross-conformal predictors, section 2.
    """
    return _chosen_apart(known, nominal) if method == AUTO else _measured(known, _possible(method, known), nominal)


def _chosen_apart(known: OutOfFold, nominal: float) -> Measured:
    """Return the method chosen on all folds, with the widths of what is chosen on the other folds of each."""
    every = {method: _measured(known, method, nominal) for method in known.methods}
    best = _best(known, every.values(), nominal)
    parts = np.unique(known.part_of_row[known.part_of_row >= 0])
    if len(parts) < LEAST_PARTS:
        return best
    turn = np.searchsorted(parts, known.part_of_row) % min(TURNS, len(parts) - 1)
    turn[known.part_of_row < 0] = -1
    widths = np.full(len(turn), np.nan)
    for own in np.unique(turn[turn >= 0]):
        others = replace(known, fold_of_row=np.where(turn == own, -1, known.fold_of_row))
        widths[turn == own] = every[choose(others, nominal).method].widths[turn == own]
    return _scored(known, best.method, widths, nominal)


def _measured(known: OutOfFold, method: str, nominal: float) -> Measured:
    return _scored(known, method, _widths(known, method, nominal), nominal)


def _widths(known: OutOfFold, method: str, nominal: float) -> FloatArray:
    """Return the half widths of each part's trials, learnt from the other parts."""
    size, part = np.abs(known.residuals), known.part_of_row
    widths = np.full(len(size), np.nan)
    usable = np.isfinite(size) & (part >= 0)
    for own in np.unique(part[part >= 0]):
        rows = np.flatnonzero(usable & (part != own))
        rows = rows[evenly(len(rows), MOST_LEARNT)]
        if len(rows):
            widths[part == own] = _Learnt(known, method, rows, nominal).half(np.flatnonzero(part == own))
    return widths


def _scored(known: OutOfFold, method: str, widths: FloatArray, nominal: float) -> Measured:
    """Return how widths did."""
    size = np.abs(known.residuals)
    scored = np.isfinite(size) & (known.part_of_row >= 0) & np.isfinite(widths)
    if not scored.any():
        return Measured(method, widths, 0.0, float("inf"))
    miss = size[scored] - widths[scored]
    loss = 2 * widths[scored] + 2 / (1 - nominal) * np.maximum(miss, 0.0)
    return Measured(method, widths, float(np.mean(miss <= 0)), float(loss.mean()))


def choose(known: OutOfFold, nominal: float) -> Measured:
    """Return the method of smallest mean interval score among those that cover what they should.

    These are the ones within one point of the nominal share, or else the nearest to it; where the question is a new
    group, six points more are as good. Plain intervals give way only to a score that is at least 2 % smaller.
    """
    return _best(known, [_measured(known, method, nominal) for method in known.methods], nominal)


def _best(known: OutOfFold, found: Collection[Measured], nominal: float) -> Measured:
    above = 0.0 if known.group is None else _ABOVE
    apart = [max(nominal - one.coverage, one.coverage - nominal - above) for one in found]
    good = [one for one, far in zip(found, apart, strict=True) if far <= max(_NEAR, min(apart))]
    return min(good, key=lambda one: one.loss * (_GAIN if one.method == PLAIN else 1.0))


def learn_interval(known: OutOfFold, method: str, nominal: float, folds: str, n_clusters: int) -> Interval | None:
    """Return the interval of a method, learnt from all folds; None without residuals.

    Parameters
    ----------
    folds : as users write them
    n_clusters : of the model
    """
    usable = np.flatnonzero(np.isfinite(known.residuals) & (known.fold_of_row >= 0))
    rows = usable[evenly(len(usable), MOST_LEARNT)]
    if not len(rows):
        return None
    learnt = _Learnt(known, _possible(method, known), rows, nominal)
    widths = np.array([learnt.own.get(i, learnt.width) for i in range(n_clusters)])
    if (shape := learnt.shape) is None:
        return Interval(widths, NONE, np.empty(0), np.empty(0), nominal, len(usable), folds)
    flat = _Learnt(known, PLAIN, rows, nominal).width if method == LEARNT else 0.0
    spreads = replace(shape.spreads, flat=flat)
    return Interval(widths, method, shape.knots, shape.factors, nominal, len(usable), folds, spreads)


def covering_level(sizes: FloatArray, part: IntArray, nominal: float, weight: FloatArray | None = None) -> float:
    """Return the level whose conformal quantile covers the nominal share of parts that it was not made from.

    A trial is covered by the quantile of level l of the m sizes of the other parts if l > r / (m + 1), r of them
    being smaller than its own; so the level is the nominal quantile of r / (m + 1). For parts that are alike this
    is the nominal share itself; where whole applications or machines are held out and differ, it is higher.

    Parameters
    ----------
    weight : array of shape (n,), of mean 1, that each size counts by; 1 if None
    """
    parts, place = np.unique(part, return_inverse=True)
    w = np.ones(len(sizes)) if weight is None else weight
    if len(parts) < 3:
        return nominal
    order, rest = np.argsort(sizes, kind="stable"), np.zeros((len(parts), len(sizes) + 1))
    np.cumsum(w[order] * (place[order] != np.arange(len(parts))[:, None]), axis=1, out=rest[:, 1:])
    below, whole = rest[place, np.searchsorted(sizes[order], sizes)], rest[place, -1]
    needed = np.where(below < whole, (below + 0.5) / (whole + 1), 1.0)
    level = weighted_quantile(needed, w, nominal)
    return min(max(level, nominal), 1.0)


def weighted_quantile(values: FloatArray, weight: FloatArray, level: float) -> float:
    """Return the smallest value up to which the level's share of the weight lies."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / weight.sum()
    return float(values[order[min(int(np.searchsorted(share, level - 1e-9)), len(order) - 1)]])


def equal_groups(group: IntArray) -> FloatArray:
    """Return weights of mean 1 by which every group counts the same, however many trials it has.

    References
    ----------
    Dunn, Wasserman, Ramdas 2022, Distribution-free prediction sets for two-layer hierarchical models (groups
    instead of trials as what is exchangeable).
    """
    place, count = np.unique(group, return_inverse=True, return_counts=True)[1:]
    return len(group) / (len(count) * count[place])


class _Learnt:
    """What some rows teach: the shape of the difficulty, one width for all, and own ones of clusters."""

    def __init__(self, known: OutOfFold, method: str, rows: IntArray, nominal: float) -> None:
        self.known, self.difficulty = known, known.difficulty(method)
        size, part = np.abs(known.residuals[rows]), known.part_of_row[rows]
        self.shape: Shape | None = None
        if self.difficulty is not None:
            own = self.difficulty[rows]
            self.shape = _shape(size, own, nominal, method)
            size = size / _apart(size, own, part, nominal, method)
        if known.group is None:
            level = covering_level(size, part, nominal)
            self.width = half_width(size, level)
        else:
            weight = equal_groups(known.group[rows])
            level = covering_level(size, part, nominal + ROOM, weight)
            self.width = weighted_quantile(size, weight, level)
        self.own: dict[int, float] = {}
        if method == CLUSTER and known.cluster is not None:
            cluster = known.cluster[rows]
            several = [i for i in np.unique(cluster).tolist() if int((cluster == i).sum()) >= LEAST_OWN]
            self.own = {i: half_width(size[cluster == i], level) for i in several}

    def half(self, rows: IntArray) -> FloatArray:
        """Return the half widths of rows."""
        widths = np.full(len(rows), self.width)
        if self.own and self.known.cluster is not None:
            widths = np.array([self.own.get(i, self.width) for i in self.known.cluster[rows].tolist()])
        return (
            widths if self.shape is None or self.difficulty is None else widths * self.shape.of(self.difficulty[rows])
        )


def _shape(size: FloatArray, hard: FloatArray, nominal: float, method: str) -> Shape | None:
    """Return the factors of widths by what tells how hard a row is; None where they are all 1."""
    if method == LEARNT:
        return spreads_of(size, hard)
    return shape_of(size, hard, nominal, rising=method == LEVERAGE)


def _apart(size: FloatArray, hard: FloatArray, part: IntArray, nominal: float, method: str) -> FloatArray:
    """Return each row's factor by a shape that was learnt without the row's part.

    A shape divides the sizes that it was learnt from by more than it should; quantiles of these would be too small.
    """
    turn = np.searchsorted(np.unique(part), part) % _PARTS_OF_SHAPE
    found = np.ones(len(size))
    for one in np.unique(turn):
        own = turn == one
        if not own.all() and (shape := _shape(size[~own], hard[~own], nominal, method)) is not None:
            found[own] = shape.of(hard[own])
    return found


def _possible(method: str, known: OutOfFold) -> str:
    if method not in METHODS[1:]:
        raise OptionError(f"The interval must be one of {', '.join(METHODS)}, got '{method}'.")
    return method if method in known.methods else PLAIN
