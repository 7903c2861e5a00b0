"""What no short rule explains: ranges of several parameters within which nothing was measured."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from core.codec import IntArray
from core.space._holes.evidence import Population
from core.space._holes.rules import Rule, condition
from core.space.design_space import BoolArray, DesignSpace

_MOST_LEAVES = 64
_LONGEST = 900


@dataclass(frozen=True)
class _Leaf:
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
