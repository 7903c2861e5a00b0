"""Candidates of a readable formula: logarithms, squares, products and hinges of columns as they are."""

from collections.abc import Sequence
from itertools import combinations_with_replacement

import numpy as np

from core.codec import BoolArray, FloatArray, Frozen, IntArray
from core.models.parts.pool import LINEAR, Factor, Term, basis_of

LOG, LOG_HINGE, HINGE = "log2", "log2_above", "above"
LEVELS = 30
"""Different values up to which each of them may be a knot; with more, the quintiles are."""
QUINTILES = (0.2, 0.4, 0.6, 0.8)
LEAST_OF_LEVEL, ENOUGH = 3, 10
"""Trials with the rarer of two levels from which on products with it are tried, as a line through two fits anything;
and trials from which on this is asked."""
DECADE = 10.0
"""Largest over smallest positive value from which on a column with zeros has a logarithm of 1 + x."""
BELOW = 1024
"""Times smaller than any trained value down to which a logarithm runs on."""
MOST_PRODUCTS = 80
"""Columns whose products are tried; of more, those most alike to the response."""
MOST_CROSSED = 6000
"""Products of a hinge and another column beyond which none is tried."""


class Candidates(Frozen):
    """Terms as numbers of factors, and what they are on the training rows.

    Attributes
    ----------
    first, second : arrays of shape (n_candidates,), factors; second is -1 where there is one alone, as at first
    """

    factors: tuple[Factor, ...]
    first: IntArray
    second: IntArray

    def term(self, i: int) -> Term:
        """Return candidate i as data."""
        a, b = int(self.first[i]), int(self.second[i])
        return Term((self.factors[a],) if b < 0 else (self.factors[a], self.factors[b]))

    @np.errstate(over="ignore", invalid="ignore")
    def values(self, X: FloatArray) -> FloatArray:
        """Return every candidate at rows of X, shape (n_candidates, n): factors of one function together."""
        single = np.empty((len(self.factors), len(X)))
        for function in {factor.function for factor in self.factors}:
            own = [i for i, factor in enumerate(self.factors) if factor.function == function]
            some = [self.factors[i] for i in own]
            told = [(f.low, f.width, f.shift, -np.inf if f.floor is None else f.floor) for f in some]
            low, width, shift, floor = np.array(told).T[:, :, None]
            U = (X.T[[f.variable for f in some]] - low) / width + shift
            single[own] = basis_of(function).evaluate(np.where(U >= floor, U, np.nan))
        found: FloatArray = single[self.first]
        found[len(single) :] *= single[self.second[len(single) :]]
        return found


def candidates(X: FloatArray, y: FloatArray, *, crossed: bool) -> Candidates:
    """Return the candidates that training rows of shape (n, n_columns) suggest.

    Every column that varies is there by its logarithm, about its typical value, where it has one; hinges stand
    at its levels or quintiles; and there is the product of each two, squares included.

    Parameters
    ----------
    crossed : whether columns with a logarithm are there as they are, too, and hinges times other columns
    """
    levels = [np.unique(x) for x in X.T]
    used = [j for j, own in enumerate(levels) if len(own) > 1]
    mains = [_main(j, X[:, j], levels[j]) for j in used]
    plain = [_linear(f.variable, X[:, f.variable]) for f in mains if f.function == LOG] if crossed else []
    middle = np.quantile(X, QUINTILES, axis=0, method="nearest")
    hinges = [hinge for main in mains for hinge in _hinges(main, middle[:, main.variable], levels[main.variable])]
    strongest = combinations_with_replacement(_strongest(mains, X, y), 2)
    new = _is_new(X[:, used], [len(levels[j]) for j in used])
    whole = np.diagonal(new)
    pairs = [(i, k) for i, k in strongest if new[i, k] and (i != k or len(levels[mains[i].variable]) > 2)]
    start = len(mains) + len(plain)
    if crossed and len(hinges) * len(mains) <= MOST_CROSSED:
        every = ((h, i) for h in range(len(hinges)) for i in range(len(mains)) if whole[i])
        pairs += [(start + h, i) for h, i in every if mains[i].variable != hinges[h].variable]
    factors = (*mains, *plain, *hinges)
    alone = np.arange(len(factors), dtype=np.int64)
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    second = np.concatenate([np.full(len(factors), -1), both[:, 1]])
    return Candidates(factors, np.concatenate([alone, both[:, 0]]), second)


def _is_new(X: FloatArray, n_levels: Sequence[int]) -> BoolArray:
    """Return which products of two columns say what the columns alone do not, shape (n_columns, n_columns).

    Where two columns of two levels never meet in one of the four ways, as two texts of one kind do, all functions of
    them are sums of both. The diagonal says which column's products are tried at all: a line through two trials fits
    anything.
    """
    two = np.array(n_levels) == 2
    high = np.where(two, X == X.max(axis=0), 0.0).astype(np.float64)
    both, n = high.T @ high, high.sum(axis=0)
    met = np.minimum(np.minimum(both, n[:, None] - both), np.minimum(n - both, len(X) - n[:, None] - n + both)) > 0
    rare = two & (np.minimum(n, len(X) - n) < (LEAST_OF_LEVEL if len(X) >= ENOUGH else 0))
    new: BoolArray = (met | ~(two & two[:, None])) & ~rare & ~rare[:, None]
    np.fill_diagonal(new, ~rare)
    return new


def _strongest(mains: Sequence[Factor], X: FloatArray, y: FloatArray) -> list[int]:
    """Return the numbers of the columns whose products are tried, in order."""
    if len(mains) <= MOST_PRODUCTS:
        return list(range(len(mains)))
    rows = np.array([main.evaluate(X) for main in mains])
    rows -= rows.mean(axis=1)[:, None]
    alike = np.abs(rows @ (y - y.mean())) / np.maximum(np.sqrt(np.einsum("kn,kn->k", rows, rows)), 1e-300)
    return sorted(np.argsort(-alike, kind="stable")[:MOST_PRODUCTS].tolist())


def _main(j: int, x: FloatArray, levels: FloatArray) -> Factor:
    """Return a column on the scale that it is a term on: its logarithm, that of 1 + x, or itself."""
    if len(levels) > 2 and levels[0] > 0:
        typical = _rounded(float(np.exp(np.log(x).mean())))
        return Factor(LOG, j, width=typical, floor=float(levels[0]) / BELOW / typical)
    if len(levels) > 2 and levels[0] == 0 and levels[-1] >= DECADE * levels[1]:
        return Factor(LOG, j, width=float(levels[1]), shift=1.0, floor=0.5)
    return _linear(j, x)


def _linear(j: int, x: FloatArray) -> Factor:
    return Factor(LINEAR, j, low=_rounded(float(x.mean())))


def _hinges(main: Factor, quintiles: FloatArray, levels: FloatArray) -> list[Factor]:
    """Return what a column is above each of its knots, on its scale."""
    near = levels if len(levels) <= LEVELS else np.unique(quintiles)
    knots = [float(k) for k in near if levels[0] < k < levels[-1]]
    if main.function != LOG:
        return [Factor(HINGE, main.variable, low=k) for k in knots]
    low = -main.width if main.shift else 0.0  # log2((x + s) / (k + s)) where the scale is log2(1 + x / s)
    floor = (0.5 * main.width) if main.shift else float(levels[0]) / BELOW
    return [Factor(LOG_HINGE, main.variable, low=low, width=k - low, floor=floor / (k - low)) for k in knots]


def _rounded(value: float) -> float:
    """Return a number with three digits, to be read."""
    return float(f"{value:.3g}")
