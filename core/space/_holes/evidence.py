"""How sure a rule about holes is, by what chance would leave empty; and boxes where no short rule explains what is."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, reduce

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.space._holes.rules import LEAST_EXPECTED, Rule, condition
from core.space.design_space import DesignSpace

_MOST = 1 << 20
"""Combinations up to which all are looked at."""
_DRAWN = 1 << 18
"""Combinations that stand for a larger space."""
_CHANCE = 1e-3
"""Probability that any rule at all is taken where there is none."""
_SUREST = 0.99


Numbering = Callable[[tuple[int, ...]], IntArray]


class Population(Frozen):
    """The combinations of a space, or a sample of them, with what is still allowed.

    Attributes
    ----------
    codes : array of shape (n, n_parameters)
    shape : how many levels each parameter has
    shares : per parameter, how often its levels were measured, of a sum of 1
    weight : of each combination, were every parameter varied on its own
    allowed : which of them no rule forbids so far
    scale : combinations of the space per row
    n_seen : distinct combinations that were measured
    """

    codes: IntArray
    shape: tuple[int, ...]
    shares: tuple[FloatArray, ...]
    weight: FloatArray
    allowed: BoolArray
    scale: float
    n_seen: int

    @property
    def complete(self) -> bool:
        """Whether everything that is allowed was measured."""
        return self.scale == 1.0 and int(self.allowed.sum()) == self.n_seen

    def places(self, rule: Rule) -> BoolArray:
        """Return which rows a rule forbids."""
        return rule.forbidden.ravel()[self._number(rule.group)]

    def without(self, rule: Rule) -> "Population":
        """Return the population with what a rule forbids taken away."""
        return replace(self, allowed=self.allowed & ~self.places(rule))

    @cached_property
    def _number(self) -> Numbering:
        return numbering(self.codes, self.shape)

    @cached_property
    def _expected(self) -> FloatArray:
        """Per row the expected number of measurements, 0 where it is not allowed."""
        total = self.scale * float(self.weight[self.allowed].sum())
        return self.weight * self.allowed * (self.n_seen / total)

    def evidence(self, group: tuple[int, ...]) -> "Evidence":
        """Return what speaks for rules on a group of parameters."""
        if self.allowed.all():
            sizes = tuple(self.shape[j] for j in group)
            counts = np.full(sizes, len(self.codes) * self.scale / math.prod(sizes))
            expected = self.n_seen * reduce(np.multiply.outer, (self.shares[j] for j in group))
        else:
            counts = self._projected(self.allowed.astype(np.float64), group)
            expected = self._projected(self._expected, group)
        return Evidence(self, group, counts, expected)

    def _projected(self, values: FloatArray, group: tuple[int, ...]) -> FloatArray:
        """Return the sums of values over all other parameters, array of one axis per parameter of the group."""
        shape = tuple(self.shape[j] for j in group)
        return np.bincount(self._number(group), values * self.scale, math.prod(shape)).astype(np.float64).reshape(shape)


def numbering(codes: IntArray, shape: Sequence[int]) -> Numbering:
    """Return what numbers each row's combination of a group of parameters, in the order of `numpy.ravel`.

    Groups that begin alike are soonest one after another.

    Parameters
    ----------
    codes : array of shape (n, n_parameters), soonest where columns are contiguous
    """

    @lru_cache(maxsize=8)
    def number(group: tuple[int, ...]) -> IntArray:
        last = codes[:, group[-1]]
        return number(group[:-1]) * shape[group[-1]] + last if len(group) > 1 else last

    return number


class Evidence(Frozen):
    """What speaks for rules on a group of parameters, each array with one axis per parameter.

    Attributes
    ----------
    counts : allowed combinations
    expected : measurements that would be expected of them
    """

    population: Population
    group: tuple[int, ...]
    counts: FloatArray
    expected: FloatArray

    @cached_property
    def log_missed(self) -> FloatArray:
        """The logarithm of the probability that none would be measured."""
        return self.population._projected(np.log1p(-np.minimum(self.population._expected, _SUREST)), self.group)

    def gain(self, rule: Rule) -> float:
        """Return how many allowed combinations a rule forbids."""
        return float(self.counts[rule.forbidden].sum())

    def supports(self, rule: Rule, n_candidates: float, strict: bool) -> bool:
        """Return whether chance would leave what a rule forbids empty too rarely to be the reason.

        Two counts are asked: n distinct combinations drawn evenly from what is allowed (hypergeometric), and each
        combination drawn with its parameters' own frequencies (Bernoulli), because trials are rarely drawn evenly.

        Parameters
        ----------
        n_candidates : how many rules were tried, for which the probability pays (Bonferroni)
        strict : whether the second count must exclude chance too; else 3 expected trials are enough
        """
        limit = math.log(_CHANCE) - math.log(n_candidates)
        if float(self.expected[rule.forbidden].sum()) < LEAST_EXPECTED:
            return False
        n_allowed, n_seen = float(self.population.allowed.sum()) * self.population.scale, self.population.n_seen
        left = max(n_allowed - self.gain(rule), float(n_seen))
        log_chance = math.lgamma(left + 1) - math.lgamma(left - n_seen + 1)
        log_chance -= math.lgamma(n_allowed + 1) - math.lgamma(n_allowed - n_seen + 1)
        if log_chance > limit:
            return False
        return not strict or float(self.log_missed[rule.forbidden].sum()) <= limit


def population_of(space: DesignSpace, seen: IntArray) -> Population:
    """Return the population of a space, of which the distinct combinations `seen` were measured."""
    n = space.n_combinations
    if n <= _MOST:
        codes, scale = space.codes(np.arange(n, dtype=np.int64)), 1.0
    else:
        rng = np.random.default_rng(0)
        codes = np.column_stack([rng.integers(0, size, _DRAWN) for size in space.shape])
        scale = n / _DRAWN
    shares = tuple(np.bincount(seen[:, j], minlength=size) / len(seen) for j, size in enumerate(space.shape))
    weight = np.prod([share[codes[:, j]] for j, share in enumerate(shares)], axis=0)
    codes, allowed = np.asfortranarray(codes), np.ones(len(codes), dtype=bool)
    return Population(codes, space.shape, shares, weight, allowed, scale, len(seen))


_MOST_LEAVES = 64
_LONGEST = 900


class _Leaf(Frozen):
    """Some rows and the levels between which they lie, array of shape (n_parameters, 2), ends included."""

    rows: IntArray
    ends: IntArray


def boxes(space: DesignSpace, population: Population, seen: IntArray) -> Iterator[tuple[Rule, float]]:
    """Yield ranges without a measured combination and the number of ranges that were possible, the largest first.

    They are leaves of a tree that tells measured from allowed combinations, grown where it separates them most.

    References
    ----------
    Breiman, Friedman, Olshen, Stone 1984, Classification and Regression Trees.
    """
    rows = population.codes[population.allowed]
    measured = np.isin(space.ranks(rows), space.ranks(seen))
    empty = [leaf for leaf in _leaves(space, rows, measured) if not measured[leaf.rows].any()]
    for leaf in sorted(empty, key=lambda leaf: (-len(leaf.rows), leaf.ends.tolist())):
        rule = _rule(space, leaf)
        if rule.group and len(rule.text) <= _LONGEST:
            yield rule, math.exp(min(len(rule.group) * math.log(2 * sum(space.shape)), 600.0))


def _leaves(space: DesignSpace, rows: IntArray, measured: BoolArray) -> list[_Leaf]:
    ends = np.array([[0, size - 1] for size in space.shape], dtype=np.int64)
    open_leaves = [_Leaf(np.arange(len(rows), dtype=np.int64), ends)]
    closed: list[_Leaf] = []
    while open_leaves and len(open_leaves) + len(closed) < _MOST_LEAVES:
        leaf = open_leaves.pop(int(np.argmax([_impurity(measured[leaf.rows]) for leaf in open_leaves])))
        split = _split(leaf, rows, measured)
        if split is None:
            closed.append(leaf)
        else:
            open_leaves += split
    return [*open_leaves, *closed]


def _impurity(measured: BoolArray) -> float:
    n, there = len(measured), int(measured.sum())
    return there * (n - there) / max(n, 1)


def _split(leaf: _Leaf, rows: IntArray, measured: BoolArray) -> list[_Leaf] | None:
    """Return the two parts that differ most in how much of them was measured; None if no split tells more."""
    best, gain = None, 1e-9
    whole = _impurity(measured[leaf.rows])
    for j, (low, high) in enumerate(leaf.ends.tolist()):
        codes = rows[leaf.rows, j] - low
        n = np.cumsum(np.bincount(codes, minlength=high - low + 1))[:-1].astype(np.float64)
        there = np.cumsum(np.bincount(codes, measured[leaf.rows], high - low + 1))[:-1]
        n_right, there_right = len(codes) - n, float(measured[leaf.rows].sum()) - there
        left = there * (n - there) / np.maximum(n, 1)
        right = there_right * (n_right - there_right) / np.maximum(n_right, 1)
        gains = whole - left - right
        if len(gains) and gains.max() > gain:
            best, gain = (j, low + int(gains.argmax())), float(gains.max())
    return None if best is None else [_part(leaf, rows, *best, side) for side in (0, 1)]


def _part(leaf: _Leaf, rows: IntArray, j: int, cut: int, side: int) -> _Leaf:
    """Return what lies at or below a cut of parameter j (side 0), or above it."""
    below = rows[leaf.rows, j] <= cut
    ends = leaf.ends.copy()
    ends[j, 1 - side] = cut + side
    return _Leaf(leaf.rows[below if side == 0 else ~below], ends)


def _rule(space: DesignSpace, leaf: _Leaf) -> Rule:
    inside = [
        (np.arange(size) >= low) & (np.arange(size) <= high)
        for size, (low, high) in zip(space.shape, leaf.ends.tolist(), strict=True)
    ]
    group = tuple(j for j, chosen in enumerate(inside) if not chosen.all())
    forbidden = reduce(np.logical_and.outer, (inside[j] for j in group), np.array(True))
    texts = (condition(space.parameters[j], ~inside[j]) for j in group)
    return Rule(" or ".join(f"({t})" if " and " in t else t for t in texts), group, forbidden)
