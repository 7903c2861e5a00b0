"""What a kernel is bound by, told from the shape of its surface: compute, bandwidth, both, or neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.option import Options, option
from core.trial import Metric

NO_SPEED = "not judged: no time, no performance"
COMPUTE, BANDWIDTH, BALANCED, FLAT = ("compute-bound", "bandwidth-bound", "balanced", "not scaling")
_MEMORY_WORDS = ("mem", "dram", "bandwidth", "bw", "gddr", "hbm", "uncore")


@dataclass(frozen=True)
class Behaviour:
    """A kernel's label, and how performance reacts to each axis.

    Attributes
    ----------
    elasticity : per axis, the mean of d log performance / d log axis: 1 means as much faster as the
        axis is raised, 0 not at all
    """

    label: str
    elasticity: tuple[float, ...]


@dataclass(frozen=True)
class Behaviours(Options):
    """Where one behaviour ends and another begins."""

    label: ClassVar[str] = "Behaviours"

    flat: float = option(
        0.2,
        low=0.0,
        high=1.0,
        label="Not scaling below",
        help="A kernel that gains less than this share of what compute and bandwidth together gain does not scale",
    )
    clear: float = option(
        0.6, low=0.5, high=1.0, label="Clear from", help="The share of a kernel's gain that one side must have alone"
    )

    def of(self, axes: Sequence[Metric], grid: FloatArray, log_performance: FloatArray) -> tuple[Behaviour, ...]:
        """Label log performance surfaces of shape (n_kernels, n_configurations), without NaN.

        An axis is bandwidth's if its name speaks of memory or bandwidth, else it is compute's.
        """
        slopes = elasticities(grid, log_performance)
        memory = np.array([is_memory(axis.name) for axis in axes])
        return tuple(self._one(row, memory) for row in slopes)

    def _one(self, slopes: FloatArray, memory: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> Behaviour:
        raised = np.maximum(slopes, 0.0)
        compute = float(raised[~memory].max(initial=0.0))
        bandwidth = float(raised[memory].max(initial=0.0))
        total = compute + bandwidth
        most = self.clear * (total if 0 < memory.sum() < len(memory) else 1.0)
        name = BANDWIDTH if bandwidth >= most else COMPUTE if compute >= most else BALANCED
        return Behaviour(FLAT if total < self.flat else name, tuple(slopes.tolist()))


def is_memory(axis: str) -> bool:
    """Whether an axis is bandwidth's: its name speaks of memory or bandwidth."""
    return any(word in axis.lower() for word in _MEMORY_WORDS)


def elasticities(grid: FloatArray, log_values: FloatArray) -> FloatArray:
    """Return the slope of each log surface along the logarithm of each axis, all axes fitted together.

    Parameters
    ----------
    log_values : array of shape (n_kernels, n_configurations)

    Returns
    -------
    ndarray of shape (n_kernels, n_axes); 0 for an axis that does not vary
    """
    columns = np.log(grid) if (grid > 0).all() else grid / np.maximum(np.abs(grid).max(axis=0), 1e-300)
    C = columns - columns.mean(axis=0)
    solution = np.linalg.lstsq(C, (log_values - log_values.mean(axis=1, keepdims=True)).T, rcond=1e-10)[0]
    return np.asarray(solution.T)
