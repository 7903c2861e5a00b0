"""What of a dataset can be scaled, and surfaces over configurations, relative to a base, as curves and maps."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.report.shared.naming import HIGH_90, LOW_90, PALETTE
from core.report.space.whatif import Surface, ends_among
from core.scaling.clusters import Behaviour, Behaviours
from core.scaling.outcome import SECONDS
from core.scaling.study import Study, is_speed, is_time
from core.scaling.surfaces import Surfaces, relative_surfaces
from core.space.design_space import Parameter
from core.space.plan import shown
from core.trial import Kind, Metric


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


class Relative(Frozen):
    """A response of a study's kernels against its value at a base; of a time the inverse, so that more is faster.

    Attributes
    ----------
    log : array of shape (n_kernels, n_configurations), logs against the base, holes estimated
    known : array of bool, same shape, what was measured
    """

    study: Study
    response: Metric
    surfaces: Surfaces
    log: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The kernels that were measured at the base."""
        return tuple(self.study.kernels[i] for i in self.surfaces.kernels)

    @property
    def quantity(self) -> str:
        """What is compared with the base: performance of a time, else the response itself."""
        return "performance" if is_time(self.response) else self.response.name

    @property
    def what(self) -> Metric:
        """What the curves show: times the value at the base."""
        return Metric(f"{self.quantity}, times the base", unit="")

    @property
    def bound(self) -> bool:
        """Whether kernels are bound by something: in their speed, not in a power or an energy."""
        return is_speed(self.response)

    @cached_property
    def behaviours(self) -> tuple[Behaviour, ...]:
        """What each kernel is bound by; of a power or an energy how it reacts alone."""
        found = Behaviours().of(self.study.axes, self.study.grid, self.log)
        return found if self.bound else tuple(replace(b, label="") for b in found)

    @property
    def centred(self) -> FloatArray:
        """Log surfaces of the response about their own mean: what clusters are formed from."""
        log = self.surfaces.log
        return np.asarray(log - log.mean(axis=1, keepdims=True))

    def of(self, name: str) -> int:
        """Return the place of a kernel; the first where there is none of this name."""
        return self.names.index(name) if name in self.names else 0

    def values(self, place: int) -> FloatArray:
        """Return a kernel's response against the base, NaN where it was not measured."""
        return np.where(self.surfaces.known[place], np.exp(self.log[place]), np.nan)

    def reach(self, place: int) -> tuple[float, float]:
        """Return the smallest and the largest of a kernel's values against the base."""
        values = self.values(place)
        return float(np.nanmin(values)), float(np.nanmax(values))


def relative(study: Study, response: str, base: int) -> Relative:
    """Return the kernels of a study against a base.

    Raises
    ------
    FitError
        If fewer than two kernels were measured there.
    """
    metric = study.responses[study.response(response)]
    found = relative_surfaces(study, response, base)
    return Relative(study, metric, found, -found.log if is_time(metric) else found.log)


def kernel_panels(of: Relative, names: Sequence[str], configuration: int) -> tuple[Panel, ...]:
    """Return a panel per axis with the measured curves of some kernels through a configuration."""
    study = of.study
    panels = []
    for axis in moving(study.grid):
        places = slice_along(study.grid, configuration, axis)
        lines = tuple(Line(name, of.values(of.of(name))[places], measured=True) for name in names)
        levels = study.grid[places, axis]
        at = float(study.grid[configuration, axis])
        panels.append(Panel(study.axes[axis].name, parameter_of(study.axes[axis], levels), str(of.what), lines, at))
    return tuple(panels)


def kernel_map(of: Relative, name: str, configuration: int, first: int, second: int) -> Surface:
    """Return one kernel's surface over two axes."""
    study = of.study
    return map_over(of.what, study.axes, study.grid, of.values(of.of(name)), configuration, (first, second), "measured")


def behaviour_table(of: Relative) -> pd.DataFrame:
    """Return a row per kernel: behaviour (of a speed), how it reacts to each axis, its whole range."""
    reach = np.array([of.reach(i) for i in range(len(of.names))])
    columns: dict[str, object] = {"kernel": of.names}
    if of.bound:
        columns["behaviour"] = [b.label for b in of.behaviours]
    for j, axis in enumerate(of.study.axes):
        columns[f"reacts to {axis.name}"] = [round(b.elasticity[j], 6) for b in of.behaviours]
    columns["largest ÷ smallest"] = reach[:, 1] / reach[:, 0]
    return pd.DataFrame(columns)


def behaviour_counts(of: Relative) -> dict[str, int]:
    """Return how many kernels show each behaviour, the most frequent first."""
    labels = [b.label for b in of.behaviours]
    return {name: labels.count(name) for name in sorted(set(labels), key=lambda name: (-labels.count(name), name))}


def axes_of(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the numbers that were set before a run."""
    return tuple(m.name for m in metrics if m.kind is Kind.PARAMETER)


def counters_of(metrics: Sequence[Metric], axes: Sequence[str], responses: Sequence[str]) -> tuple[str, ...]:
    """Return what a kernel can be recognised by."""
    kinds = (Kind.COUNTER, Kind.DETERMINISTIC)
    return tuple(m.name for m in metrics if m.kind in kinds and m.name not in (*axes, *responses))


def beside_of(metrics: Sequence[Metric], response: str) -> tuple[str, ...]:
    """Return the other responses, those that make energy of the first in front: power of a time, time of a power."""
    chosen = next((m for m in metrics if m.name == response), None)
    others = [m for m in metrics if m.kind is Kind.RESPONSE and m.name != response]
    wanted = SECONDS if chosen is not None and chosen.unit == "W" else ("W",)
    return tuple(m.name for m in sorted(others, key=lambda m: m.unit not in wanted))


def makes_energy(metrics: Sequence[Metric], names: Sequence[str]) -> bool:
    """Whether a time in seconds and a power in watts are among the responses."""
    units = {m.unit for m in metrics if m.name in names}
    return "W" in units and not units.isdisjoint(SECONDS)


def varies(study: Study, response: str) -> bool:
    """Whether a response differs between configurations for any kernel."""
    values = study.surface(response)
    return bool((np.nanmax(values, axis=1) > np.nanmin(values, axis=1)).any())
