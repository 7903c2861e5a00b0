"""How sure a rule is: what chance would leave empty in as many trials, by two counts of what to expect."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
from scipy.special import gammaln

from core.codec import FloatArray, IntArray
from core.space._holes.rules import LEAST_EXPECTED, Rule
from core.space.design_space import BoolArray, DesignSpace

_MOST = 1 << 20
"""Combinations up to which all are looked at."""
_DRAWN = 1 << 18
"""Combinations that stand for a larger space."""
_CHANCE = 1e-3
"""Probability that any rule at all is taken where there is none."""
_SUREST = 0.99


@dataclass(frozen=True)
class Population:
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
        return rule.forbidden[tuple(self.codes[:, j] for j in rule.group)]

    def without(self, rule: Rule) -> "Population":
        """Return the population with what a rule forbids taken away."""
        return replace(self, allowed=self.allowed & ~self.places(rule))

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
        place = np.ravel_multi_index(tuple(self.codes[:, j] for j in group), shape)
        return np.bincount(place, values * self.scale, math.prod(shape)).astype(np.float64).reshape(shape)


@dataclass(frozen=True)
class Evidence:
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
        log_chance = gammaln(left + 1) - gammaln(left - n_seen + 1)
        log_chance -= gammaln(n_allowed + 1) - gammaln(n_allowed - n_seen + 1)
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
    return Population(codes, space.shape, shares, weight, np.ones(len(codes), dtype=bool), scale, len(seen))
