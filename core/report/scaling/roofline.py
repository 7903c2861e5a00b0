"""Where kernels stand under the roofs of compute and bandwidth, as they were measured at one configuration."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.codec import FloatArray
from core.errors import OptionError
from core.scaling.outcome import SECONDS
from core.scaling.study import Study, is_time
from core.trial import Metric

_WORK = ("flop", "fp_", "instruction", "inst", "ops")
_TRAFFIC = ("dram", "bytes", "byte", "loaded", "mem", "load", "traffic")


@dataclass(frozen=True)
class Roofline:
    """Kernels by intensity and by the rate that they reach.

    Attributes
    ----------
    intensity : array of shape (n_kernels,), work per traffic
    rate : array of the same shape, work per time at the configuration
    most_rate, most_traffic : the highest work per time, and traffic per time, that any kernel reaches:
        the roofs, which the machine's own may lie above
    marked : intensity, measured and predicted rate of one kernel; NaN where there is none
    """

    names: tuple[str, ...]
    work: Metric
    traffic: Metric
    time_unit: str
    intensity: FloatArray
    rate: FloatArray
    most_rate: float
    most_traffic: float
    configuration: str
    marked: tuple[str, float, float, float]

    @property
    def ridge(self) -> float:
        """The intensity at which both roofs meet."""
        return self.most_rate / self.most_traffic

    def table(self) -> pd.DataFrame:
        """Return a row per kernel."""
        return pd.DataFrame(
            {
                "kernel": self.names,
                f"{self.work.name} per {self.traffic.name}": self.intensity,
                f"{self.work.name} per {self.time_unit}": self.rate,
                "share of the roof (%)": 100
                * self.rate
                / np.minimum(self.most_rate, self.intensity * self.most_traffic),
            }
        )


def roofline(
    study: Study, response: str, work: str, traffic: str, configuration: int, base: int, kernel: str, predicted: float
) -> Roofline:
    """Return the kernels under their roofs at a configuration, counters as they are at the base.

    Parameters
    ----------
    kernel : the one to mark
    predicted : its predicted time there, in the response's unit; NaN for none

    Raises
    ------
    OptionError
        If the response is no time, or no kernel has both counters.
    """
    metric = study.responses[study.response(response)]
    if not is_time(metric):
        raise OptionError(f"A roofline needs a time, and '{response}' is none. Choose a time as the response.")
    names = [m.name for m in study.counters]
    counts = study.counts_at(base)
    done, moved = counts[:, names.index(work)], counts[:, names.index(traffic)]
    seconds = SECONDS.get(metric.unit, 1.0)
    time = study.surface(response)[:, configuration] * seconds
    known = np.isfinite(time) & (done > 0) & (moved > 0)
    if not known.any():
        raise OptionError(f"No kernel has both {work} and {traffic}. Choose other counters.")
    rate = done / time
    at = study.kernels.index(kernel) if kernel in study.kernels else -1
    marked = (kernel, float("nan"), float("nan"), float("nan"))
    if at >= 0 and known[at]:
        marked = (kernel, float(done[at] / moved[at]), float(rate[at]), float(done[at] / (predicted * seconds)))
    return Roofline(
        names=tuple(name for name, k in zip(study.kernels, known, strict=True) if k),
        work=study.counters[names.index(work)],
        traffic=study.counters[names.index(traffic)],
        time_unit="s" if metric.unit in SECONDS else metric.unit,
        intensity=(done / np.where(known, moved, 1.0))[known],
        rate=rate[known],
        most_rate=float(rate[known].max()),
        most_traffic=float((moved / time)[known].max()),
        configuration=study.shown(configuration),
        marked=marked,
    )


def first_placed(study: Study, kernels: Sequence[str], work: str, traffic: str, base: int) -> str:
    """Return the first of some kernels that counts both work and traffic, the first of all if none does."""
    names = [m.name for m in study.counters]
    counts = study.counts_at(base)
    both = (counts[:, names.index(work)] > 0) & (counts[:, names.index(traffic)] > 0)
    return next((kernel for kernel in kernels if both[study.kernels.index(kernel)]), kernels[0])


def likely(counters: Sequence[Metric], *, traffic: bool) -> int:
    """Return the counter that most likely counts the work, or the traffic to memory, by its name; -1 if none does."""
    words = _TRAFFIC if traffic else _WORK
    texts = [f"{m.name} {m.unit}".lower() for m in counters]
    for word in words:
        for i, text in enumerate(texts):
            if word in text:
                return i
    return -1
