"""Trials as points of a design space, and the design space that trials span."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.codec import FloatArray, IntArray
from core.errors import OptionError
from core.space.design_space import BoolArray, DesignSpace, Parameter, make_space
from core.trial import Frame


def on_levels(space: DesignSpace, frame: Frame) -> tuple[IntArray, BoolArray]:
    """Return the trials' codes, shape (n_trials, n_parameters), and which of them stand on levels throughout.

    Raises
    ------
    OptionError
        If the frame lacks a parameter that has more than one level.
    """
    codes = np.zeros((len(frame), len(space.parameters)), dtype=np.int64)
    there = np.ones(len(frame), dtype=bool)
    for j, parameter in enumerate(space.parameters):
        known_by = frame.labels if parameter.categorical else frame.names
        if len(parameter.levels) == 1 and parameter.name not in known_by:
            continue
        found, known = _codes(parameter, frame)
        codes[:, j], there = found, there & known
    return codes, there


def _codes(parameter: Parameter, frame: Frame) -> tuple[IntArray, BoolArray]:
    if parameter.categorical and parameter.name in frame.labels:
        return parameter.places(frame.labels[parameter.name])
    if parameter.name not in frame.names:
        raise OptionError(
            f"The trials have no metric '{parameter.name}', which is a parameter of the design space; "
            f"there are: {', '.join(frame.names[:40])}."
        )
    return replace(parameter, levels=tuple(parameter.numbers)).places(frame.X[:, frame.names.index(parameter.name)])


MOST_LEVELS = 40
"""A metric with more different values counts as continuous."""
_EVEN = 13


def observed_space(frame: Frame, names: Sequence[str] | None = None, title: str = "") -> DesignSpace:
    """Return the space of the levels at which trials were measured; metrics that never vary are left out.

    Of a metric with more than 40 different values at most 13 are levels: those nearest to even steps
    from its smallest to its largest, by the logarithm where they are positive and span more than a decade.

    Raises
    ------
    OptionError
        If no metric varies, or there is no trial.
    """
    chosen = frame if names is None else frame.select(names)
    if not len(chosen):
        raise OptionError("No trial has a value of each of these metrics, so they span no design space. Choose fewer.")
    parameters = [
        Parameter(metric.name, _levels(chosen.X[:, j]), metric.unit)
        for j, metric in enumerate(chosen.metrics)
        if np.ptp(chosen.X[:, j]) > 0
    ]
    if not parameters:
        raise OptionError("No metric of these trials varies, so they span no design space. Choose other metrics.")
    return make_space(parameters, name=title)


def _levels(values: FloatArray) -> tuple[float, ...]:
    levels = np.unique(values)
    if len(levels) <= MOST_LEVELS:
        return tuple(levels.tolist())
    low, high = float(levels[0]), float(levels[-1])
    by_log = low > 0 and high / low > 10
    even = np.geomspace(low, high, _EVEN) if by_log else np.linspace(low, high, _EVEN)
    places = np.clip(np.searchsorted(levels, even), 1, len(levels) - 1)
    near = np.where(even - levels[places - 1] <= levels[places] - even, levels[places - 1], levels[places])
    return tuple(np.unique(near).tolist())
