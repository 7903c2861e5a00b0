"""What of a dataset can be scaled, and how measured kernels scale: relative to a base, labelled, as curves and maps."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen
from core.report.scaling.slices import Line, Panel, map_over, moving, parameter_of, slice_along
from core.report.space.whatif import Surface
from core.scaling.clusters import Behaviour, Behaviours
from core.scaling.outcome import SECONDS
from core.scaling.study import Study, is_speed, is_time
from core.scaling.surfaces import Surfaces, relative_surfaces
from core.trial import Kind, Metric


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
