"""An application made of segments: as rows to fill in, as a timeline, and over a device's configurations."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError
from core.report.shared.naming import row_of
from core.scaling.application import Application, make_application
from core.scaling.outcome import pareto
from core.scaling.segments_file import COLUMNS, Device, DeviceSaid, Schedule, Segment, SegmentsSaid, read_segments

MOST_SEGMENTS = 200
"""More are for the command line: every move of a slider schedules them anew."""
DEVICES = ("device", "has the model", "idle_w")


def segment_rows(segments: Sequence[Segment]) -> pd.DataFrame:
    """Return segments as rows to fill in."""
    rows = [(s.name, s.device, "; ".join(s.after), s.kernel, s.time_s, s.power_w, s.count) for s in segments]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"time_s": float, "power_w": float, "count": float})


def device_rows(devices: Sequence[DeviceSaid], with_model: Sequence[str] = ()) -> pd.DataFrame:
    """Return devices as rows to fill in."""
    rows = [(d.name, bool(d.model) or d.name in with_model, d.idle_w) for d in devices]
    return pd.DataFrame(rows, columns=list(DEVICES)).astype({"has the model": bool, "idle_w": float})


def said_in_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[Segment, ...]:
    """Return the segments of filled-in rows; empty ones are left out.

    Raises
    ------
    ReadError, OptionError
        If a row has no name or device, a number is none, or there are too many.
    """
    texts = [{c: _text(row.get(c)) for c in COLUMNS} for row in rows]
    kept = [row for row in texts if any(row[c] for c in COLUMNS if c != "count")]
    if len(kept) > MOST_SEGMENTS:
        raise OptionError(
            f"There are {len(kept)} segments, and at most {MOST_SEGMENTS} are taken here. Use `ridgeline segments`."
        )
    return read_segments(pd.DataFrame(kept, columns=list(COLUMNS)).to_csv(index=False).encode(), "The table").segments


def _text(value: Any) -> str:
    return "" if value is None or (isinstance(value, float) and np.isnan(value)) else str(value)


def said_devices(rows: Sequence[Mapping[str, Any]]) -> dict[str, tuple[bool, float]]:
    """Return by device whether it has the model, and its idle power."""
    found = {}
    for row in rows:
        name, idle = _text(row.get("device")).strip(), _text(row.get("idle_w"))
        if name:
            watts = float(idle or 0.0)
            if not 0 <= watts < float("inf"):
                raise OptionError(f"Device '{name}' draws {idle} W while it waits; it has to be 0 or more.")
            found[name] = (bool(row.get("has the model")), watts)
    return found


def application_of(segments: Sequence[Segment], devices: Mapping[str, tuple[bool, float]], like: Device) -> Application:
    """Return the application; every device that has the model has that of `like`, and its kernels.

    Raises
    ------
    OptionError
        If a segment, its device, its model or its kernel is missing, or segments wait in a circle.
    """
    made = [
        Device(name, like.model, like.kernels, idle, like.clock_ghz) if has else Device(name, idle_w=idle)
        for name, (has, idle) in devices.items()
    ]
    return make_application(segments, made)


def example(kernels: Sequence[str], device: str, typical_s: float, has_power: bool) -> SegmentsSaid:
    """Return an application to begin with: load, two kernels side by side, one after both, store.

    Parameters
    ----------
    kernels : what the model can be asked for; none if segments bring times of their own
    typical_s : what a kernel typically takes; counts and times of the host follow from it
    """
    picked = [kernels[i] for i in np.linspace(0, len(kernels) - 1, 3).astype(int)] if kernels else [""] * 3
    count = max(1.0, float(10.0 ** np.round(np.log10(0.01 / typical_s))))
    host, own = 0.3 * count * typical_s, float("nan") if kernels else typical_s
    watts = float("nan") if has_power and kernels else 60.0
    segments = (
        Segment("load", "host", time_s=host, power_w=30.0),
        Segment("first", device, ("load",), picked[0], own, watts, count),
        Segment("second", device, ("load",), picked[1], own, watts, count),
        Segment("check", "host", ("first",), time_s=host / 2, power_w=30.0),
        Segment("join", device, ("first", "second"), picked[2], own, watts, max(1.0, count / 2)),
        Segment("store", "host", ("check", "join"), time_s=host, power_w=30.0),
    )
    machine = DeviceSaid(device, model="model" if kernels else "")
    return SegmentsSaid(segments, (DeviceSaid("host", idle_w=5.0), machine))


class Timeline(Frozen):
    """Segments in the order they start, with what waits for what.

    Attributes
    ----------
    critical : whether each is on the critical path
    after : per segment, the places of those it waits for
    """

    names: tuple[str, ...]
    devices: tuple[str, ...]
    start_s: FloatArray
    time_s: FloatArray
    slack_s: FloatArray
    gain_s: FloatArray
    critical: tuple[bool, ...]
    after: tuple[tuple[int, ...], ...]
    total_s: float
    energy_j: float
    first: str

    def table(self) -> pd.DataFrame:
        """Return a row per segment."""
        titles = "segment: names | device: devices | starts (s): start_s | takes (s): time_s | slack (s): slack_s"
        return pd.DataFrame(row_of(self, f"{titles} | gain if twice as fast (s): gain_s | critical"))

    def path(self) -> str:
        """Return the critical path in a line."""
        return " → ".join(name for name, on in zip(self.names, self.critical, strict=True) if on)


def timeline(application: Application, found: Schedule) -> Timeline:
    """Return the timeline of a schedule's first column."""
    order = np.lexsort((np.arange(len(found.segments)), found.start_s[:, 0]))
    place = {found.segments[i]: k for k, i in enumerate(order.tolist())}
    segments = [application.segments[i] for i in order.tolist()]
    return Timeline(
        names=tuple(s.name for s in segments),
        devices=tuple(s.device for s in segments),
        start_s=found.start_s[order, 0],
        time_s=found.time_s[order, 0],
        slack_s=np.where(found.slack_s[order, 0] > 1e-9 * found.total_s[0], found.slack_s[order, 0], 0.0),
        gain_s=found.gain_s[order, 0],
        critical=tuple(s.name in found.critical for s in segments),
        after=tuple(tuple(place[name] for name in s.after) for s in segments),
        total_s=float(found.total_s[0]),
        energy_j=float(found.energy_j[0]),
        first=found.speed_up_first(),
    )


class Everywhere(Frozen):
    """Time and energy of an application at every configuration of a device.

    Attributes
    ----------
    front : configurations that no other beats in both (or the fastest alone, where energy is not known)
    first : per configuration, the segment to speed up first
    """

    texts: tuple[str, ...]
    total_s: FloatArray
    energy_j: FloatArray
    front: IntArray
    first: tuple[str, ...]

    @property
    def has_energy(self) -> bool:
        """Whether the energy is known at all configurations."""
        return bool(np.isfinite(self.energy_j).all())

    def table(self) -> pd.DataFrame:
        """Return a row per configuration, the fastest first."""
        titles = "configuration: texts | total (s): total_s | energy (J): energy_j | speed up first: first"
        on = {"on the front": np.isin(np.arange(len(self.texts)), self.front)}
        return pd.DataFrame({**row_of(self, titles), **on}).sort_values("total (s)", kind="stable")


def everywhere(application: Application, device: str, texts: tuple[str, ...]) -> Everywhere:
    """Return the application over the configurations of a device's model, other devices at their base."""
    over = application.over(device)
    known = bool(np.isfinite(over.energy_j).all())
    front = pareto(over.total_s, over.energy_j if known else np.zeros(len(over.total_s)))
    first = tuple(over.speed_up_first(i) for i in range(len(texts)))
    return Everywhere(texts, over.total_s, over.energy_j, front, first)
