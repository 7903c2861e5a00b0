"""A design space from trials: what was varied, and on which levels."""

from collections.abc import Sequence

import numpy as np

from core.codec import FloatArray
from core.errors import OptionError
from core.space.design_space import DesignSpace, Parameter, make_space
from core.trial import Frame

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
