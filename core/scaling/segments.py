"""Segments of an application, the devices that run them, and the schedule that comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.codec import FloatArray
from core.scaling.outcome import SECONDS
from core.scaling.scaling_model import Kernel, ScalingModel


@dataclass(frozen=True)
class Segment:
    """A piece of an application that runs on one device.

    Attributes
    ----------
    after : names of the segments that have to end before it starts
    kernel : what the device's model is asked for; "" if the segment brings its own time
    time_s, power_w : its own time and power, once; NaN where there is none
    count : how often it runs, one after another
    """

    name: str
    device: str
    after: tuple[str, ...] = ()
    kernel: str = ""
    time_s: float = float("nan")
    power_w: float = float("nan")
    count: float = 1.0


@dataclass(frozen=True)
class Device:
    """Something that runs segments.

    Attributes
    ----------
    model : says how its kernels scale; None if every segment brings its own time
    kernels : what was measured of its kernels at the model's base, by name
    idle_w : power while it waits
    clock_ghz : makes seconds of a model that predicts cycles; NaN if it predicts a time
    """

    name: str
    model: ScalingModel | None = None
    kernels: Mapping[str, Kernel] | None = None
    idle_w: float = 0.0
    clock_ghz: float = float("nan")

    def seconds(self, unit: str) -> float:
        """Return how many seconds a unit of time is here, NaN where nobody knows."""
        return 1e-9 / self.clock_ghz if unit in ("cycle", "cycles") else SECONDS.get(unit, float("nan"))


@dataclass(frozen=True)
class Schedule:
    """When everything runs. Without configurations to compare, arrays have one column.

    Attributes
    ----------
    segments : names, each after all it waits for
    time_s, start_s, slack_s : arrays of shape (n_segments, n); slack is how much longer a segment
        could take without the application taking longer
    total_s : array of shape (n,)
    energy_j : array of shape (n,), NaN where a power is unknown
    critical : names along the critical path of the first column, from the first to the last
    gain_s : array of shape (n_segments, n), how much sooner the application would end with this
        segment twice as fast
    """

    segments: tuple[str, ...]
    time_s: FloatArray
    start_s: FloatArray
    slack_s: FloatArray
    total_s: FloatArray
    energy_j: FloatArray
    critical: tuple[str, ...]
    gain_s: FloatArray

    def speed_up_first(self, column: int = 0) -> str:
        """Return the segment that gains most if it is twice as fast."""
        return self.segments[int(self.gain_s[:, column].argmax())]
