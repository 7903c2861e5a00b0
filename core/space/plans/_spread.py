"""Even points of the unit cube, snapped to allowed points and made distinct."""

from collections.abc import Callable

import numpy as np

from core.codec import FloatArray, IntArray
from core.space._allowed import allowed_points, check_count, first_places
from core.space.design_space import DesignSpace

_ROUNDS = 30

Cube = Callable[[int], FloatArray]
"""Called with a number of points; returns the next ones, shape (n, n_parameters)."""


def snapped(space: DesignSpace, n: int, cube: Cube, taken: IntArray, seed: int) -> IntArray:
    """Return the codes of n different allowed points.

    Points that fall on one already there are replaced by the next of the sequence; where a few
    remain missing after many rounds, because the space is nearly used up, they are drawn at random.

    Parameters
    ----------
    taken : ranks of points that are not to be used
    """
    points = allowed_points(space)
    if points.listed:
        check_count(n, points.size, len(taken))
    found = np.empty(0, dtype=np.int64)
    for _ in range(_ROUNDS):
        codes = points.at(cube(n - len(found)))
        ranks = space.ranks(codes if points.listed else codes[space.allowed(codes)])
        ranks = ranks[first_places(ranks, np.concatenate([found, taken]))]
        found = np.concatenate([found, ranks])
        if len(found) >= n:
            return space.codes(found[:n])
    rest = points.draw(n - len(found), np.random.default_rng(seed), np.concatenate([found, taken]))
    return np.vstack([space.codes(found), rest])
