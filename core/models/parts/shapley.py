"""Shapley values of one row against background rows: exact for few columns and for trees, by permutations else.

The value of a set of columns is the mean prediction over the background rows with these columns taken from the row
(interventional: Janzing, Minorics, Blöbaum 2020, Feature relevance quantification in explainable AI).
"""

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from core.codec import FloatArray, IntArray
from core.models.parts.trees import TreesModel

Words = npt.NDArray[np.uint64]
Function = Callable[[FloatArray], FloatArray]
ROUNDS = 2
"""Least passes over the background by permutations."""
_STATES, _BITS = 200_000, 64


def of_few(f: Function, x: FloatArray, background: FloatArray) -> FloatArray:
    """Return the values of all columns of a function, shape (k,), by all sets of columns.

    Parameters
    ----------
    f : from (n, k) to (n,)
    x : array of shape (k,)
    background : array of shape (n_background, k)
    """
    k = len(x)
    worth: dict[frozenset[int], float] = {}
    for size in range(k + 1):
        for chosen in combinations(range(k), size):
            rows = background.copy()
            rows[:, chosen] = x[list(chosen)]
            worth[frozenset(chosen)] = float(f(rows).mean())
    found = np.zeros(k)
    for chosen_set, value in worth.items():
        size = len(chosen_set)
        for j in range(k):
            inside = j in chosen_set
            found[j] += (value if inside else -value) / (k * comb(k - 1, size - inside))
    return found


def by_permutations(
    f: Function, x: FloatArray, background: FloatArray, most: int, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Return the values of the columns, and their standard errors, both of shape (k,).

    Columns go over from each background row to the row in a random order and in its reverse; the mean of both is an
    observation. Every background row is used alike, so that the values add up to f(x) less the background's mean.

    Parameters
    ----------
    most : rows that f is asked for in all, but at least 2 passes over the background

    References
    ----------
    Mitchell, Cooper, Frank, Holmes 2022, Sampling permutations for Shapley value estimation (antithetic pairs).
    """
    n, k = background.shape
    rng, rounds = np.random.default_rng(seed), max(ROUNDS, most // (2 * n * (k + 1)))
    said = np.empty((rounds, n, k))
    for r in range(rounds):
        order = np.argsort(rng.random((n, k)), axis=1)
        said[r] = (_walked(f, x, background, order) + _walked(f, x, background, order[:, ::-1])) / 2
    spread = said.var(axis=0, ddof=1) / rounds
    return said.mean(axis=(0, 1)), np.sqrt(spread.sum(axis=0)) / n


def _walked(f: Function, x: FloatArray, background: FloatArray, order: IntArray) -> FloatArray:
    """Return per background row by how much f moves as each column goes over, in the row's order."""
    n, k = background.shape
    rows, found, place = background.copy(), np.empty((n, k)), np.arange(n)
    before = f(rows)
    for step in range(k):
        column = order[:, step]
        rows[place, column] = x[column]
        after = f(rows)
        found[place, column] = after - before
        before = after
    return found


def of_trees(trees: TreesModel, x: FloatArray, background: FloatArray) -> FloatArray:
    """Return the values of all columns, shape (n_columns,), of a sum or mean of trees.

    Row and background row go down each tree together and part where the tree sends them apart; the column there is
    then the one's or the other's for the rest of the way. A leaf reached with a columns of the row and c of the
    background's is worth its value exactly where all of the former and none of the latter have gone over, so each of
    the former gets value · (a - 1)! c! / (a + c)!, and each of the latter -value · a! (c - 1)! / (a + c)!.

    References
    ----------
    Lundberg et al. 2020, From local explanations to global understanding with explainable AI for trees, algorithm 3.
    """
    used = np.unique(trees.feature[trees.feature >= 0])
    found, most = np.zeros(len(x)), max(1, _STATES // max(8 * len(background), 1))
    if not len(used):
        return found
    place = np.zeros(len(x), dtype=np.int64)
    place[used] = np.arange(len(used))
    mine, others = trees._columns(x[None])[0], trees._columns(background)
    for start in range(0, len(trees.roots), most):
        found[used] += _down(trees, trees.roots[start : start + most], mine, others, place, len(used))
    return found * trees.share / len(background)


def _down(
    trees: TreesModel, roots: IntArray, mine: FloatArray, others: FloatArray, place: IntArray, n_used: int
) -> FloatArray:
    """Return the sums over some trees and all background rows, shape (n_used,); sets of columns are bits of words."""
    node = np.repeat(roots, len(others))
    row = np.tile(np.arange(len(others)), len(roots))
    sides = np.zeros((2, len(node), -(-n_used // _BITS)), dtype=np.uint64)  # the row's columns, and the background's
    total = np.zeros(n_used)
    while len(node):
        feature = trees.feature[node]
        ends = feature < 0
        if ends.any():
            total += _at_leaves(trees.value[node[ends]], sides[:, ends], n_used)
            node, row, sides, feature = node[~ends], row[~ends], sides[:, ~ends], feature[~ends]
        every, (word, bit), limit = np.arange(len(node)), np.divmod(place[feature], _BITS), trees.threshold[node]
        mask = np.uint64(1) << bit.astype(np.uint64)
        left, other = mine[feature] <= limit, others[row, feature] <= limit
        own, theirs = (side[every, word] & mask > 0 for side in sides)
        parted = np.flatnonzero((left != other) & ~theirs & ~own)
        goes = np.where(np.where(theirs, other, left), trees.left[node], trees.right[node])
        away = np.where(other[parted], trees.left[node[parted]], trees.right[node[parted]])
        split = sides[:, parted].copy()
        sides[0, parted, word[parted]] |= mask[parted]
        split[1, np.arange(len(parted)), word[parted]] |= mask[parted]
        node, row = np.concatenate([goes, away]), np.concatenate([row, row[parted]])
        sides = np.concatenate([sides, split], axis=1)
    return total


def _at_leaves(value: FloatArray, sides: Words, n_used: int) -> FloatArray:
    """Return what leaves that are reached add to each column, shape (n_used,)."""
    a, c = (np.bitwise_count(side).sum(axis=1, dtype=np.int64) for side in sides)
    share = _shares(int((a + c).max(initial=1)))
    gained, lost = value * share[a, c], value * share[c, a]
    own, theirs = (np.unpackbits(np.asarray(side, "<u8").view(np.uint8), axis=1, bitorder="little") for side in sides)
    return np.asarray(gained @ own[:, :n_used] - lost @ theirs[:, :n_used])


def _shares(most: int) -> FloatArray:
    """Return (a - 1)! c! / (a + c)! for a and c up to `most`; 0 where a is 0."""
    from scipy.special import beta

    a, c = np.arange(most + 1)[:, None], np.arange(most + 1)[None, :]
    return np.where(a > 0, beta(np.maximum(a, 1), c + 1), 0.0)
