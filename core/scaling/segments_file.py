"""Segments of an application, their devices and the schedule that comes of them; and how JSON and CSV tell them."""

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from core.codec import FloatArray, Frozen
from core.errors import ReadError
from core.scaling.outcome import SECONDS
from core.scaling.scaling_model import Kernel, ScalingModel


class Segment(Frozen):
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


class Device(Frozen):
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


class Schedule(Frozen):
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


COLUMNS = ("name", "device", "after", "kernel", "time_s", "power_w", "count")
_DEVICE = ("model", "kernels", "idle_w")
MOST_SEGMENTS = 10_000


class DeviceSaid(Frozen):
    """What a file says of a device: where its model and its kernels at the base are, as paths."""

    name: str
    model: str = ""
    kernels: str = ""
    idle_w: float = 0.0


class SegmentsSaid(Frozen):
    """What a file says: segments as they stand, and devices."""

    segments: tuple[Segment, ...]
    devices: tuple[DeviceSaid, ...]


def read_segments(raw: bytes, name: str) -> SegmentsSaid:
    """Return the segments of a file: JSON if it begins with a brace, else CSV.

    JSON is `{"devices": {"gpu": {"model": "gpu.json", "kernels": "gpu.csv", "idle_w": 15}}, "segments":
    [{"name": "solve", "device": "gpu", "kernel": "gemm", "after": ["load"], "count": 10}]}`. CSV has
    the columns name, device, after (names with ; between), kernel, time_s, power_w, count; its
    devices are those that its segments name.

    Raises
    ------
    ReadError
        If the text is neither, or a field is unknown or of another kind.
    """
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(f"{name} is no UTF-8 text. Save it as UTF-8.") from None
    said = _from_json(text, name) if text.lstrip().startswith("{") else _from_csv(text, name)
    if len(said.segments) > MOST_SEGMENTS:
        raise ReadError(f"{name} has {len(said.segments)} segments; at most {MOST_SEGMENTS} are taken.")
    return said


def _from_json(text: str, name: str) -> SegmentsSaid:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(f"{name} is not whole JSON: {error}.") from None
    _only(plain, ("devices", "segments"), name)
    rows, devices = plain.get("segments"), plain.get("devices", {})
    if not isinstance(rows, list) or not isinstance(devices, dict):
        raise ReadError(f"{name}: 'segments' has to be a list, and 'devices' an object by name.")
    segments = []
    for i, row in enumerate(rows, 1):
        where = f"{name}, segment {i}"
        if not isinstance(row, dict):
            raise ReadError(f"{where} is no object with a name and a device.")
        _only(row, COLUMNS, where)
        after = row.get("after", [])
        if not isinstance(after, list) or not all(isinstance(x, str) for x in after):
            raise ReadError(f"{where}: 'after' has to be a list of segments' names.")
        segments.append(_segment({**row, "after": None}, tuple(after), where))
    return SegmentsSaid(tuple(segments), _devices(devices, segments, name))


def _from_csv(text: str, name: str) -> SegmentsSaid:
    reader = csv.DictReader(io.StringIO(text), strict=True)
    segments = []
    try:
        unknown = [c for c in reader.fieldnames or () if c not in COLUMNS]
        if unknown or not {"name", "device"} <= set(reader.fieldnames or ()):
            raise ReadError(f"{name} has to have the columns name and device, and may have {', '.join(COLUMNS[2:])}.")
        for row in reader:
            where = f"{name} line {reader.line_num}"
            if None in row or None in row.values():
                raise ReadError(f"{where} has another number of fields than the first line.")
            after = tuple(part.strip() for part in (row.get("after") or "").split(";") if part.strip())
            segments.append(_segment(row, after, where))
    except csv.Error as error:
        raise ReadError(f"{name} is not whole CSV: {error}.") from None
    return SegmentsSaid(tuple(segments), _devices({}, segments, name))


def _segment(row: Mapping[str, Any], after: tuple[str, ...], where: str) -> Segment:
    for field in ("name", "device"):
        if not isinstance(row.get(field), str) or not row[field].strip():
            raise ReadError(f"{where} has no {field}.")
    kernel = row.get("kernel") or ""
    if not isinstance(kernel, str):
        raise ReadError(f"{where}: 'kernel' has to be a name.")
    return Segment(
        name=row["name"].strip(),
        device=row["device"].strip(),
        after=after,
        kernel=kernel.strip(),
        time_s=_number(row.get("time_s"), float("nan"), "time_s", where),
        power_w=_number(row.get("power_w"), float("nan"), "power_w", where),
        count=_number(row.get("count"), 1.0, "count", where),
    )


def _devices(said: Mapping[str, Any], segments: list[Segment], name: str) -> tuple[DeviceSaid, ...]:
    found = {}
    for device, fields in said.items():
        where = f"{name}, device '{device}'"
        _only(fields, _DEVICE, where)
        texts = {field: fields.get(field, "") for field in ("model", "kernels")}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ReadError(f"{where}: 'model' and 'kernels' have to be paths.")
        found[device] = DeviceSaid(device, idle_w=_number(fields.get("idle_w"), 0.0, "idle_w", where), **texts)
    if not said:
        found = {s.device: DeviceSaid(s.device) for s in segments}
    return tuple(found.values())


def _only(plain: Any, fields: tuple[str, ...], where: str) -> None:
    if not isinstance(plain, dict):
        raise ReadError(f"{where} is no object with {', '.join(fields)}.")
    for field in plain:
        if field not in fields:
            raise ReadError(f"{where} has an unknown field '{field[:80]}'; there are: {', '.join(fields)}.")


def _number(value: Any, missing: float, field: str, where: str) -> float:
    if value is None or (isinstance(value, str) and not value.strip()):
        return missing
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ReadError(f"{where}: {field} is '{str(value)[:80]}', expected a number.") from None
    if not 0 <= number < float("inf") or isinstance(value, bool):
        raise ReadError(f"{where}: {field} is {value}, expected a number of 0 or more.")
    return number
