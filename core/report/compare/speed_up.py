"""How much sooner a model answers than a simulator: the simulator's time over the host's (HALWPE, figure 7)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.errors import FitError
from core.report.shared.naming import trial_names
from core.trial import Frame


@dataclass(frozen=True)
class SpeedUp:
    """How much sooner a model answers than the simulator, per workload.

    Attributes
    ----------
    names : workloads, smallest speed-up first
    factor : array of shape (n,)
    simulator, host : arrays of shape (n,), in the same unit
    n_without : workloads of which one of the times is not known or not positive
    """

    names: tuple[str, ...]
    factor: FloatArray
    simulator: FloatArray
    host: FloatArray
    unit: str
    n_without: int = 0

    def sentence(self) -> str:
        """Say it in words."""
        return (
            f"On average the simulator takes {self.factor.mean():,.0f} times as long as running the workload on the "
            f"host, after which the model answers at once ({self.factor.min():,.3g} to {self.factor.max():,.3g} times)."
        )

    def table(self) -> pd.DataFrame:
        """Return a row per workload."""
        unit = f" ({self.unit})" if self.unit else ""
        return pd.DataFrame(
            {
                "workload": self.names,
                f"simulator{unit}": self.simulator,
                f"host{unit}": self.host,
                "speed-up (times)": self.factor,
            }
        )


def speed_up(frame: Frame, simulated: Frame, host: str) -> SpeedUp:
    """Return the speed-up per workload, smallest first.

    Parameters
    ----------
    simulated : the same workloads (by trial id) with the simulator's time as response
    host : the metric of `frame` that says how long the workload ran on the host

    Raises
    ------
    FitError
        If the two times have different units, or no workload has both.
    """
    metric = frame.metrics[frame.names.index(host)]
    if metric.unit != simulated.response.unit:
        raise FitError(
            f"The simulator's time {simulated.response} and the host's time {metric} have different units, so their "
            "ratio says nothing. Choose times of the same unit."
        )
    known = dict(zip(simulated.ids, simulated.y.tolist(), strict=True))
    slow = np.array([known.get(id, np.nan) for id in frame.ids])
    quick = frame.X[:, frame.names.index(host)]
    there = np.isfinite(slow) & (slow > 0) & (quick > 0)
    if not there.any():
        raise FitError("No workload has both a simulator's time and a host's time above 0, so there is no speed-up.")
    rows = np.flatnonzero(there)
    rows = rows[np.argsort(slow[rows] / quick[rows], kind="stable")]
    names = trial_names(frame)
    return SpeedUp(
        tuple(names[i] for i in rows),
        slow[rows] / quick[rows],
        slow[rows],
        quick[rows],
        metric.unit,
        int((~there).sum()),
    )
