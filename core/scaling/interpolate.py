"""Between measured configurations: which of them speak for a point of the machine's parameters, and how much."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError


@dataclass(frozen=True)
class Mixture:
    """Configurations whose logs, weighed, give the log at a point.

    Attributes
    ----------
    why : "" inside the measured range; else what was moved to its edge
    """

    configurations: IntArray
    weights: FloatArray
    why: str = ""

    def of(self, log: FloatArray) -> FloatArray:
        """Return log surfaces of shape (..., n_configurations) at the point."""
        return log[..., self.configurations] @ self.weights


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
    low, high = grid.min(axis=0), grid.max(axis=0)
    inside = np.clip(point, low, high)
    axes = zip(names, point, low, high, strict=True)
    moved = [f"{name} = {x:g} is outside the measured {a:g} to {b:g}" for name, x, a, b in axes if x < a or x > b]
    near = np.flatnonzero((grid == inside).all(axis=1))
    if len(near):
        return Mixture(near[:1], np.ones(1), "; ".join(moved))
    levels = [np.unique(column) for column in grid.T]
    if int(np.prod([len(level) for level in levels])) == len(grid):
        places, weights = _between_levels(levels, inside)
    else:
        places, weights = _between_points(grid, inside)
    return Mixture(places, weights, "; ".join(moved))


def _between_levels(levels: list[FloatArray], point: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the corners of the cell that a point lies in; configurations are in ascending order of the axes."""
    corners = [_corner(level, float(x)) for level, x in zip(levels, point, strict=True)]
    sizes = [len(level) for level in levels]
    places, weights = [], []
    for chosen in product(*corners):
        weight = float(np.prod([w for _, w in chosen]))
        if weight > 0:
            places.append(int(np.ravel_multi_index([i for i, _ in chosen], sizes)))
            weights.append(weight)
    return np.array(places, dtype=np.int64), np.array(weights)


def _corner(level: FloatArray, x: float) -> list[tuple[int, float]]:
    above = int(np.searchsorted(level, x))
    if above < len(level) and level[above] == x:
        return [(above, 1.0)]
    a, b = level[above - 1], level[above]
    share = float((np.log(x / a) / np.log(b / a)) if a > 0 else (x - a) / (b - a))
    return [(above - 1, 1 - share), (above, share)]


def _between_points(grid: FloatArray, point: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the corners of the simplex that a point lies in, or the nearest configuration."""
    span = np.ptp(grid, axis=0)
    used = np.flatnonzero(span > 0)
    scaled = (grid[:, used] - grid[:, used].min(axis=0)) / span[used]
    x = (point[used] - grid[:, used].min(axis=0)) / span[used]
    found = _simplex(scaled, x)
    return (np.array([int(((scaled - x) ** 2).sum(axis=1).argmin())]), np.ones(1)) if found is None else found


def _simplex(scaled: FloatArray, x: FloatArray) -> tuple[IntArray, FloatArray] | None:
    from scipy.spatial import Delaunay, QhullError

    try:
        mesh = Delaunay(scaled)
    except (QhullError, ValueError):
        return None
    cell = int(mesh.find_simplex(x))
    if cell < 0:
        return None
    change = mesh.transform[cell]
    first = change[:-1] @ (x - change[-1])
    return mesh.simplices[cell].astype(np.int64), np.maximum(np.r_[first, 1 - first.sum()], 0.0)
