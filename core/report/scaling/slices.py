"""Surfaces over many configurations, cut into curves along one axis and maps over two, through a configuration."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.report.shared.grouping import PALETTE
from core.report.shared.naming import HIGH_90, LOW_90
from core.report.space.whatif import Surface, ends_among
from core.space.design_space import Parameter
from core.space.plan import shown
from core.trial import Metric


class Line(Frozen):
    """A curve over the levels of an axis.

    Attributes
    ----------
    values : array of shape (n_levels,), NaN where nothing is known
    low, high : ends of an interval, arrays of the same shape, or None
    measured : whether points were measured, rather than predicted
    behind : whether it stands back behind the others
    """

    name: str
    values: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    measured: bool = False
    behind: bool = False


def cluster_colour(group: int) -> str:
    """Return the colour of a cluster, counted from 0, which is the same in curves, tree and table."""
    return PALETTE[group % len(PALETTE)]


class Panel(Frozen):
    """Curves over the levels of one axis.

    Attributes
    ----------
    what : what the curves show, with its unit
    at : where on the axis something is marked; NaN for nothing
    marked : value, low and high there; NaN for nothing
    colour : of all its curves; "" gives each in front one of its own
    """

    title: str
    axis: Parameter
    what: str
    lines: tuple[Line, ...]
    at: float = float("nan")
    marked: tuple[float, float, float] = (float("nan"), float("nan"), float("nan"))
    colour: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """Smallest and largest value of any curve, interval or mark."""
        parts = [v for line in self.lines for v in (line.values, line.low, line.high) if v is not None]
        return ends_among(*parts, np.array(self.marked))


def ends_of(panels: Sequence[Panel]) -> tuple[float, float]:
    """Return the smallest and largest value of several panels, so that they can share an axis."""
    pairs = [panel.ends for panel in panels] or [(0.0, 1.0)]
    return min(p[0] for p in pairs), max(p[1] for p in pairs)


def panels_table(panels: Sequence[Panel]) -> pd.DataFrame:
    """Return a row per panel, curve and level."""
    rows = [
        {
            "panel": panel.title,
            "axis": str(panel.axis),
            "level": level,
            "curve": line.name,
            panel.what: value,
            **({} if line.low is None or line.high is None else {LOW_90: line.low[i], HIGH_90: line.high[i]}),
        }
        for panel in panels
        for line in panel.lines
        for i, (level, value) in enumerate(zip(panel.axis.levels, line.values.tolist(), strict=True))
        if np.isfinite(value)
    ]
    return pd.DataFrame(rows)


def slice_along(grid: FloatArray, configuration: int, axis: int) -> IntArray:
    """Return the configurations that differ from one in an axis alone, ascending along it."""
    others = np.arange(grid.shape[1]) != axis
    same = np.flatnonzero((grid[:, others] == grid[configuration, others]).all(axis=1))
    return same[np.argsort(grid[same, axis])].astype(np.int64)


def slice_over(
    grid: FloatArray, configuration: int, first: int, second: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the configurations that differ from one in two axes alone, and the levels of both.

    Returns
    -------
    configurations, shape (n_levels of second, n_levels of first), -1 where there is none; levels of first and second
    """
    others = ~np.isin(np.arange(grid.shape[1]), (first, second))
    same = np.flatnonzero((grid[:, others] == grid[configuration, others]).all(axis=1))
    a, column = np.unique(grid[same, first], return_inverse=True)
    b, row = np.unique(grid[same, second], return_inverse=True)
    places = np.full((len(b), len(a)), -1, dtype=np.int64)
    places[row, column] = same
    return places, a, b


def parameter_of(axis: Metric, levels: FloatArray) -> Parameter:
    """Return an axis as a parameter with levels."""
    return Parameter(axis.name, tuple(float(x) for x in levels), axis.unit)


def map_over(
    what: Metric,
    axes: Sequence[Metric],
    grid: FloatArray,
    values: FloatArray,
    configuration: int,
    pair: tuple[int, int],
    said: str = "predicted",
) -> Surface:
    """Return values of shape (n_configurations,) as a map over two axes, the others as in a configuration."""
    first, second = pair
    places, a, b = slice_over(grid, configuration, first, second)
    cells = np.where(places >= 0, values[places], np.nan)
    row, column = (int(i[0]) for i in np.nonzero(places == configuration))
    across, up = parameter_of(axes[first], a), parameter_of(axes[second], b)
    return Surface(what, across, up, cells, (column, row), None, 0, said)


def moving(grid: FloatArray) -> tuple[int, ...]:
    """Return the axes that have more than one level."""
    return tuple(int(i) for i in np.flatnonzero(np.ptp(grid, axis=0) > 0))


def texts_of(grid: FloatArray, axes: Sequence[Metric]) -> tuple[str, ...]:
    """Return configurations as people write them, such as `core_mhz=1164, mem_mhz=3505`."""
    names = [axis.name for axis in axes]
    return tuple(", ".join(f"{n}={shown(x)}" for n, x in zip(names, row, strict=True)) for row in grid.tolist())
