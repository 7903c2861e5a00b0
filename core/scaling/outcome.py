"""Time and power over configurations together: energy, energy-delay, and what no other configuration beats."""

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.trial import Metric

TIME, POWER, ENERGY, EDP = OBJECTIVES = ("time", "power", "energy", "edp")
SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}


class Outcome(Frozen):
    """What running a kernel costs at each configuration.

    Attributes
    ----------
    time_s, power_w, energy_j, edp_js : arrays of shape (n_configurations,)
    front : configurations that no other beats in both time and power, the fastest first
    """

    time_s: FloatArray
    power_w: FloatArray
    energy_j: FloatArray
    edp_js: FloatArray
    front: IntArray

    def best(self, objective: str) -> int:
        """Return the configuration that is best by `time`, `power`, `energy` or `edp`.

        Raises
        ------
        OptionError
            If there is no such objective.
        """
        values = {TIME: self.time_s, POWER: self.power_w, ENERGY: self.energy_j, EDP: self.edp_js}
        if objective not in values:
            raise OptionError(f"There is no objective '{objective}'; there are: {', '.join(OBJECTIVES)}.")
        return int(values[objective].argmin())


def outcome(time: Metric, time_values: FloatArray, power_w: FloatArray) -> Outcome:
    """Return energy, energy-delay product and Pareto front of a kernel's time and power.

    Parameters
    ----------
    time : whose unit says how to come to seconds
    time_values, power_w : arrays of shape (n_configurations,)

    Raises
    ------
    OptionError
        If the unit is no unit of time.
    """
    if time.unit not in SECONDS:
        raise OptionError(
            f"Energy needs a time in one of {', '.join(SECONDS)}, and '{time.name}' is in '{time.unit or '(none)'}'."
        )
    time_s = time_values * SECONDS[time.unit]
    energy = time_s * power_w
    return Outcome(time_s, power_w, energy, energy * time_s, pareto(time_s, power_w))


def pareto(first: FloatArray, second: FloatArray) -> IntArray:
    """Return the points that no other beats in both (low is good), the best of the first in front."""
    order = np.lexsort((second, first))
    return order[second[order] < np.minimum.accumulate(np.r_[np.inf, second[order]])[:-1]].astype(np.int64)
