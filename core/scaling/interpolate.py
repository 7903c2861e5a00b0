"""Between measured configurations: which of them speak for a point of the machine's parameters, and how much."""

from functools import reduce

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.validate.domain import learn_range


class Mixture(Frozen):
    """Configurations whose logs, weighed, give the log at a point.

    Attributes
    ----------
    why : "" inside the measured range; else what was moved to its edge
    back, times : outside, the point as far inside as it is outside, or so many times as near where the range ends
    """

    configurations: IntArray
    weights: FloatArray
    why: str = ""
    back: "Mixture | None" = None
    times: float = 1.0

    def of(self, log: FloatArray) -> FloatArray:
        """Return log surfaces of shape (..., n_configurations) at the point."""
        return log[..., self.configurations] @ self.weights

    def unknown(self, log: FloatArray) -> FloatArray:
        """Return how far the log may be off because the edge speaks: by what it changes as far inside."""
        return np.zeros(log.shape[:-1]) if self.back is None else self.times * np.abs(self.of(log) - self.back.of(log))


def mixture(grid: FloatArray, names: tuple[str, ...], point: FloatArray) -> Mixture:
    """Return how a point is made of measured configurations.

    On a complete grid the logarithm is linear along the logarithm of each axis between neighbouring
    levels (along the axis itself if a level is 0 or less). On an irregular one it is linear in the
    triangles between configurations, and the nearest configuration speaks where there is none.

    Raises
    ------
    OptionError
        If the point has another number of axes, or is not finite.
    """
    if point.shape != (grid.shape[1],) or not np.isfinite(point).all():
        raise OptionError(f"A configuration needs a finite value for each of {', '.join(names)}.")
    span = learn_range(grid)
    axes = zip(names, point, span.low, span.high, strict=True)
    moved = [f"{name} = {x:g} is outside the measured {a:g} to {b:g}" for name, x, a, b in axes if x < a or x > b]
    if not moved:
        return _inside(grid, point)
    beyond = span.reflected(point[None])
    edge, back = (_inside(grid, at[0]) for at in (beyond.edge, beyond.back))
    return Mixture(edge.configurations, edge.weights, "; ".join(moved), back, float(beyond.times[0]))


def _inside(grid: FloatArray, inside: FloatArray) -> Mixture:
    """Return how a point within the measured range is made of measured configurations."""
    near = np.flatnonzero((grid == inside).all(axis=1))
    if len(near):
        return Mixture(near[:1], np.ones(1))
    levels = [np.unique(column) for column in grid.T]
    if int(np.prod([len(level) for level in levels])) == len(grid):
        shares = (_shares(level, float(x)) for level, x in zip(levels, inside, strict=True))
        weights = reduce(np.multiply.outer, shares).ravel()  # configurations are in ascending order of the axes
    else:
        weights = _between_points(grid, inside)
    places = np.flatnonzero(weights > 0)
    return Mixture(places, weights[places])


def _shares(level: FloatArray, x: float) -> FloatArray:
    """Return how much each level of an axis speaks for a value, which lies at one or between two."""
    found = np.zeros(len(level))
    above = int(np.searchsorted(level, x))
    found[above] = 1.0
    if level[above] > x:
        a, b = level[above - 1], level[above]
        found[above] = (np.log(x / a) / np.log(b / a)) if a > 0 else (x - a) / (b - a)
        found[above - 1] = 1 - found[above]
    return found


def _between_points(grid: FloatArray, point: FloatArray) -> FloatArray:
    """Return how much each corner of the triangle that a point lies in speaks for it, or the nearest configuration."""
    from scipy.interpolate import LinearNDInterpolator
    from scipy.spatial import QhullError

    low, span = grid.min(axis=0), np.ptp(grid, axis=0)
    used = span > 0
    scaled, x = ((values - low)[..., used] / span[used] for values in (grid, point))
    each = np.eye(len(grid))
    try:
        found: FloatArray = LinearNDInterpolator(scaled, each)(x)[0]
    except (QhullError, ValueError):
        found = np.full(len(grid), np.nan)
    return found if np.isfinite(found).all() else each[((scaled - x) ** 2).sum(axis=1).argmin()]
