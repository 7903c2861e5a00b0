"""Trials as points of a design space, and the design space that trials span."""

from collections.abc import Sequence

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
        if len(parameter.levels) == 1 and not _known(parameter, frame):
            continue
        found, known = _codes(parameter, frame)
        codes[:, j], there = found, there & known
    return codes, there


def _known(parameter: Parameter, frame: Frame) -> bool:
    return parameter.name in (frame.labels if parameter.categorical else frame.names)


def _codes(parameter: Parameter, frame: Frame) -> tuple[IntArray, BoolArray]:
    if parameter.categorical and parameter.name in frame.labels:
        place = {level: i for i, level in enumerate(parameter.levels)}
        found = np.array([place.get(text, -1) for text in frame.labels[parameter.name]], dtype=np.int64)
        return np.maximum(found, 0), found >= 0
    if parameter.name not in frame.names:
        raise OptionError(
            f"The trials have no metric '{parameter.name}', which is a parameter of the design space; "
            f"there are: {', '.join(frame.names[:40])}."
        )
    return nearest(parameter.numbers, frame.X[:, frame.names.index(parameter.name)])


def nearest(levels: FloatArray, values: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return the nearest level of each value, and whether it is that level but for rounding."""
    order = np.argsort(levels)
    place = np.clip(np.searchsorted(levels[order], values), 1, max(len(levels) - 1, 1))
    left, right = order[place - 1], order[np.minimum(place, len(levels) - 1)]
    found = np.where(np.abs(values - levels[left]) <= np.abs(values - levels[right]), left, right).astype(np.int64)
    return found, np.abs(values - levels[found]) <= 1e-9 * np.maximum(1.0, np.abs(levels[found]))


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
        If no metric varies.
    """
    chosen = frame if names is None else frame.select(names)
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
