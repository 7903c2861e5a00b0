"""What a scaling model says of a kernel: at a target, along each axis, over two, and which configurations are best."""

from collections.abc import Mapping
from itertools import chain

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.report.scaling.kernels import Line, Panel, Relative, map_over, moving, parameter_of, slice_along
from core.report.space.whatif import Surface as Map
from core.scaling.outcome import EDP, ENERGY, SECONDS, Outcome, outcome
from core.scaling.scaling_model import Kernel, Predicted, ScalingModel, Surface
from core.scaling.study import Study
from core.trial import Kind, Metric

ENERGY_METRIC, EDP_METRIC = Metric("energy", Kind.RESPONSE, "J"), Metric("energy-delay", Kind.RESPONSE, "J s")
Ends = tuple[float, float, float]


class AtTarget(Frozen):
    """What is said of a kernel at one configuration, measured or between.

    Attributes
    ----------
    values : by response: value, low and high
    energy_j, edp_js : NaN without a time and a power
    why : what makes the prediction doubtful; "" if nothing does
    nearest : the measured configuration nearest to the target
    """

    point: Mapping[str, float]
    values: Mapping[str, Ends]
    energy_j: float
    edp_js: float
    why: str
    nearest: int


def at_target(model: ScalingModel, of: Predicted, point: Mapping[str, float]) -> AtTarget:
    """Return what is said at a point."""
    place = model.place(point)
    values = {name: surface.at(place) for name, surface in of.surfaces.items()}
    time, power = time_and_power(of)
    energy = edp = float("nan")
    if time is not None and power is not None:
        seconds = values[time.response.name][0] * SECONDS[time.response.unit]
        energy = seconds * values[power.response.name][0]
        edp = energy * seconds
    why = "; ".join(part for part in (of.why, place.why) if part)
    return AtTarget(point, values, energy, edp, why, nearest_to(model, point))


def nearest_to(model: ScalingModel, point: Mapping[str, float]) -> int:
    """Return the measured configuration nearest to a point, each axis measured by its range."""
    span = np.ptp(model.grid, axis=0)
    x = np.array([point[axis.name] for axis in model.axes])
    return int((((model.grid - x) / np.where(span > 0, span, 1.0)) ** 2).sum(axis=1).argmin())


def time_and_power(of: Predicted) -> tuple[Surface | None, Surface | None]:
    """Return the surfaces that energy is made of, None where there is none."""
    found = list(of.surfaces.values())
    time = next((s for s in found if s.response.unit in SECONDS), None)
    return time, next((s for s in found if s.response.unit == "W"), None)


def times_segments(model: ScalingModel) -> str:
    """Return "time" or "cycles" if a model's response tells how long a segment takes, "" if none does."""
    units = [a.response.unit for a in model.answers]
    if any(unit in SECONDS for unit in units):
        return "time"
    return "cycles" if any(unit in ("cycle", "cycles") for unit in units) else ""


def typical_seconds(model: ScalingModel, study: Study, clock_ghz: float = float("nan")) -> float:
    """Return what a kernel of a study typically takes at the base; 1 ms where nobody knows."""
    for answer in model.answers:
        unit = answer.response.unit
        size = 1e-9 / clock_ghz if unit in ("cycle", "cycles") else SECONDS.get(unit, float("nan"))
        if np.isfinite(size):
            return float(np.nanmedian(study.surface(answer.response.name)[:, model.base])) * size
    return 1e-3


def outcome_of(of: Predicted) -> Outcome | None:
    """Return time, power, energy and energy-delay over all configurations; None without time and power."""
    time, power = time_and_power(of)
    return None if time is None or power is None else outcome(time.response, time.value, power.value)


def target_levels(model: ScalingModel, axis: int, between: bool) -> tuple[float, ...]:
    """Return the values of an axis that a target can have: what was measured, and three between each two."""
    levels = np.unique(model.grid[:, axis])
    if not between or len(levels) < 2:
        return tuple(levels.tolist())
    steps = np.linspace(levels[:-1], levels[1:], 5)[:-1].T.tolist()
    digits = (3 - np.floor(np.log10(np.diff(levels)))).astype(int).tolist()
    made = [(low, *(round(x, n) for x in between)) for (low, *between), n in zip(steps, digits, strict=True)]
    return (*chain.from_iterable(made), float(levels[-1]))


def start_point(model: ScalingModel) -> dict[str, float]:
    """Return the configuration that sliders begin with: the measured one nearest to the middle."""
    levels = [np.unique(column) for column in model.grid.T]
    middle = {axis.name: float(level[len(level) // 2]) for axis, level in zip(model.axes, levels, strict=True)}
    return model.point(nearest_to(model, middle))


def predicted_panels(
    model: ScalingModel,
    of: Predicted,
    response: str,
    at: AtTarget,
    beside: Mapping[str, FloatArray] | None = None,
    measured: FloatArray | None = None,
) -> tuple[Panel, ...]:
    """Return a panel per axis: what is predicted as it moves from the target, with its interval.

    Parameters
    ----------
    beside : surfaces of other kernels, which stand back
    measured : array of shape (n_configurations,), what was measured of the kernel itself, or None
    """
    surface = of.surfaces[response]
    panels = []
    for axis in moving(model.grid):
        places = slice_along(model.grid, at.nearest, axis)
        levels = model.grid[places, axis]
        ends = _along(model, surface, at.point, axis, levels)
        if ends is None:
            ends = np.vstack([v[places] for v in (surface.value, surface.low, surface.high)])
        lines = [Line(name, values[places], behind=True) for name, values in (beside or {}).items()]
        lines.append(Line("predicted", ends[0], ends[1], ends[2]))
        if measured is not None:
            lines.append(Line("measured", measured[places], measured=True, behind=True))
        name = model.axes[axis].name
        along, title = parameter_of(model.axes[axis], levels), f"{response} over {name}"
        panels.append(Panel(title, along, str(surface.response), tuple(lines), at.point[name], at.values[response]))
    return tuple(panels)


def _along(
    model: ScalingModel, surface: Surface, point: Mapping[str, float], axis: int, levels: FloatArray
) -> FloatArray | None:
    """Return value, low and high at levels of an axis, the others as in the point; None on an irregular grid."""
    if int(np.prod([len(np.unique(column)) for column in model.grid.T])) != len(model.grid):
        return None
    name = model.axes[axis].name
    return np.array([surface.at(model.place({**point, name: float(x)})) for x in levels]).T


def objectives(of: Predicted) -> dict[str, tuple[Metric, FloatArray]]:
    """Return what can be drawn over two axes: responses, energy and energy-delay, each with what it is measured in."""
    responses = {name: (surface.response, surface.value) for name, surface in of.surfaces.items()}
    found = outcome_of(of)
    made = {} if found is None else {ENERGY: (ENERGY_METRIC, found.energy_j), EDP: (EDP_METRIC, found.edp_js)}
    return {**responses, **made, **responses}


def predicted_map(
    model: ScalingModel, of: Predicted, objective: str, configuration: int, first: int, second: int
) -> Map:
    """Return a response, the energy or the energy-delay product over two axes."""
    metric, values = objectives(of)[objective]
    return map_over(metric, model.axes, model.grid, values, configuration, (first, second))


def known_kernel(study: Study, kernel: int, model: ScalingModel) -> Kernel:
    """Return a kernel of a study as a model wants it: at the base, and where it asks for more."""
    base = study.nearest(model.grid[model.base])
    counts = dict(zip((m.name for m in study.counters), study.counts_at(base)[kernel].tolist(), strict=True))
    at_base = {m.name: float(study.values[r, kernel, base]) for r, m in enumerate(study.responses)}
    wanted = np.isin(np.arange(study.n_configurations), model.wants)
    measured = {m.name: np.where(wanted, study.values[r, kernel], np.nan) for r, m in enumerate(study.responses)}
    return Kernel(study.kernels[kernel], counts, at_base, measured)


def askable(study: Study, model: ScalingModel) -> tuple[str, ...]:
    """Return the kernels of a study that a model can be asked for; none if it is of other axes, grid or responses."""
    names = [m.name for m in study.responses]
    wanted = dict.fromkeys([*model.responses, *(m.name for m in model.inputs)])
    same = [a.name for a in study.axes] == [a.name for a in model.axes] and np.array_equal(study.grid, model.grid)
    if not same or not set(wanted) <= set(names):
        return ()
    places = np.array([model.base, *model.wants], dtype=np.int64)
    measured = [np.isfinite(study.values[names.index(n)][:, places]).all(axis=1) for n in wanted]
    known = np.logical_and.reduce(measured)
    return tuple(name for name, there in zip(study.kernels, known.tolist(), strict=True) if there)


def without_kernel(study: Study, kernel: int) -> Study:
    """Return a study without one of its kernels."""
    return study.take(np.delete(np.arange(study.n_kernels), kernel))


def nearest_surfaces(study: Study, model: ScalingModel, of: Predicted, response: str) -> dict[str, FloatArray]:
    """Return the measured surfaces of the nearest kernels, scaled to begin where the predicted one does."""
    found: dict[str, FloatArray] = {}
    start = of.surfaces[response].value[model.base]
    for name, _ in of.nearest:
        if name in study.kernels and name != of.name:
            values = study.surface(response)[study.kernels.index(name)]
            found[name] = values * (start / values[model.base])
    return found


def nearest_table(of: Predicted, known: Relative) -> pd.DataFrame:
    """Return a row per nearest kernel, with what it is bound by where it belongs to the study."""
    labels = dict(zip(known.names, (b.label or "–" for b in known.behaviours), strict=True))
    others = [(name, distance) for name, distance in of.nearest if name != of.name]
    rows = [(name, distance, labels.get(name, "–")) for name, distance in others]
    return pd.DataFrame(rows, columns=["kernel", "distance", "behaviour"])


def measured_at(study: Study, response: str, kernel: int, at: AtTarget) -> float:
    """Return what was measured of a kernel at a target, NaN where nothing was."""
    point = np.array([at.point.get(axis.name, np.nan) for axis in study.axes])
    near = np.flatnonzero(np.isclose(study.grid, point, rtol=1e-9, atol=0.0).all(axis=1))
    return float(study.surface(response)[kernel, near[0]]) if len(near) else float("nan")


def surfaces_table(model: ScalingModel, of: Predicted) -> pd.DataFrame:
    """Return a row per configuration, with value and interval of each response, energy and front."""
    columns: dict[str, object] = {axis.name: model.grid[:, j] for j, axis in enumerate(model.axes)}
    for name, s in of.surfaces.items():
        columns |= {str(s.response): s.value, f"{name} low": s.low, f"{name} high": s.high}
    found = outcome_of(of)
    if found is not None:
        on = np.isin(np.arange(len(model.grid)), found.front)
        columns |= {"energy (J)": found.energy_j, "energy-delay (J s)": found.edp_js, "on the front": on}
    return pd.DataFrame(columns)


def template_table(model: ScalingModel, kernel: Kernel) -> pd.DataFrame:
    """Return a kernel as a row of the file that is uploaded: its name, what it took at the base, its counters."""
    responses = dict.fromkeys([*model.responses, *(m.name for m in model.inputs)])
    row: dict[str, object] = {"kernel": kernel.name}
    row |= {name: kernel.at_base.get(name) for name in responses}
    return pd.DataFrame([row | {m.name: kernel.counts.get(m.name) for m in model.counters}])
