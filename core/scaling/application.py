"""An application of segments on devices: order, starts and critical path, times and energies over configurations."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from graphlib import CycleError, TopologicalSorter

import numpy as np

from core.codec import FloatArray, Frozen, IntArray
from core.errors import OptionError, PredictError
from core.scaling.scaling_model import ScalingModel, Surface
from core.scaling.segments_file import Device, Schedule, Segment
from core.scaling.study import is_time


def in_order(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Return segments so that each comes after all it waits for, else in the order given.

    Raises
    ------
    OptionError
        If segments wait for each other in a circle, which is named.
    """
    found: list[Segment] = []
    graph = TopologicalSorter({s.name: s.after for s in segments})
    try:
        graph.prepare()
    except CycleError as error:
        circle = " → ".join(f"'{name}'" for name in error.args[1])
        raise OptionError(f"Segments wait for each other in a circle: {circle}. Remove one of these edges.") from None
    while graph.is_active():
        ready = set(graph.get_ready())
        found += [s for s in segments if s.name in ready]
        graph.done(*ready)
    return tuple(found)


def places(segments: Sequence[Segment], names: Sequence[str]) -> IntArray:
    """Return the places of segments of these names."""
    order = [s.name for s in segments]
    return np.array([order.index(name) for name in names], dtype=np.int64)


def starts(times: FloatArray, before: Sequence[IntArray]) -> tuple[FloatArray, FloatArray]:
    """Return when each segment starts, and when the last one ends."""
    start = np.zeros_like(times)
    for i, earlier in enumerate(before):
        if len(earlier):
            start[i] = (start[earlier] + times[earlier]).max(axis=0)
    return start, (start + times).max(axis=0)


def longest_left(times: FloatArray, before: Sequence[IntArray]) -> FloatArray:
    """Return the longest path from the start of each segment to the end."""
    left = times.copy()
    for i in range(len(times) - 1, -1, -1):
        for earlier in before[i]:
            left[earlier] = np.maximum(left[earlier], times[earlier] + left[i])
    return left


def critical_path(
    segments: Sequence[Segment], times: FloatArray, start: FloatArray, before: Sequence[IntArray]
) -> tuple[str, ...]:
    """Walk back from the segment that ends last, each time to the one that ended last before it."""
    at = int((start + times).argmax())
    path = [at]
    while len(before[at]):
        earlier = before[at]
        at = int(earlier[(start[earlier] + times[earlier]).argmax()])
        path.append(at)
    return tuple(segments[i].name for i in reversed(path))


Costs = tuple[FloatArray | float, FloatArray | float]


class Application(Frozen):
    """Segments in an order in which each comes after all it waits for, and devices; made by `make_application`."""

    segments: tuple[Segment, ...]
    devices: Mapping[str, Device]
    _asked: dict[tuple[str, str], tuple[Surface, Surface | None]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def schedule(self, targets: Mapping[str, Mapping[str, float]] | None = None) -> Schedule:
        """Return when everything runs, devices with a model at their targets (or their base).

        Parameters
        ----------
        targets : by device, a value for each axis of its model
        """
        wanted = targets or {}
        for name in wanted:
            self._model(name)
        return self._schedule([self._costs(s, wanted.get(s.device)) for s in self.segments], 1)

    def over(self, device: str, targets: Mapping[str, Mapping[str, float]] | None = None) -> Schedule:
        """Return the schedule at every configuration of one device, the others at their targets (or their base)."""
        model, wanted = self._model(device), targets or {}
        costs = [self._costs(s, wanted.get(s.device), everywhere=s.device == device) for s in self.segments]
        return self._schedule(costs, len(model.grid))

    def _model(self, device: str) -> ScalingModel:
        if device not in self.devices:
            raise OptionError(f"There is no device '{device}'; there are: {', '.join(self.devices)}.")
        if (model := self.devices[device].model) is None:
            known = ", ".join(d.name for d in self.devices.values() if d.model is not None)
            raise OptionError(f"Device '{device}' has no model; those that have one: {known or 'none'}.")
        return model

    def _costs(self, segment: Segment, target: Mapping[str, float] | None = None, *, everywhere: bool = False) -> Costs:
        """Return time and power of a segment at a target (or the base) of its device, or at all configurations."""
        device = self.devices[segment.device]
        if not segment.kernel:
            return segment.count * segment.time_s, segment.power_w
        assert device.model is not None
        place = device.model.place(target or device.model.base_point)
        pair = self._predicted(segment)
        time, power = (None if s is None else s.value if everywhere else s.at(place)[0] for s in pair)
        assert time is not None
        seconds = segment.count * time * device.seconds(pair[0].response.unit)
        return seconds, segment.power_w if power is None else power

    def _predicted(self, segment: Segment) -> tuple[Surface, Surface | None]:
        """Return time and power of a segment's kernel, asked for once."""
        key = segment.device, segment.kernel
        if key not in self._asked:
            self._asked[key] = self._ask(segment)
        return self._asked[key]

    def _ask(self, segment: Segment) -> tuple[Surface, Surface | None]:
        device = self.devices[segment.device]
        assert device.model is not None
        assert device.kernels is not None
        found = device.model.predict(device.kernels[segment.kernel], n_nearest=1).surfaces.values()
        times = [s for s in found if is_time(s.response) and np.isfinite(device.seconds(s.response.unit))]
        if not times:
            raise PredictError(f"The model of device '{device.name}' predicts no time, so it times no segment.")
        powers = [s for s in found if s.response.unit == "W"]
        return times[0], powers[0] if powers else None

    def _schedule(self, costs: Sequence[Costs], n: int) -> Schedule:
        """Return the schedule of segments' times and powers at each of n configurations."""
        times, powers = (np.array([np.broadcast_to(own[k], n) for own in costs], dtype=np.float64) for k in range(2))
        before = [places(self.segments, s.after) for s in self.segments]
        start, total = starts(times, before)
        left = longest_left(times, before)
        gain = np.empty_like(times)
        for i in range(len(times)):
            faster = times.copy()
            faster[i] /= 2
            gain[i] = total - starts(faster, before)[1]
        return Schedule(
            segments=tuple(s.name for s in self.segments),
            time_s=times,
            start_s=start,
            slack_s=np.maximum(total - (start + left), 0.0),
            total_s=total,
            energy_j=self._energy(times, powers, total),
            critical=critical_path(self.segments, times[:, 0], start[:, 0], before),
            gain_s=gain,
        )

    def _energy(self, times: FloatArray, powers: FloatArray, total: FloatArray) -> FloatArray:
        """Energy of the segments, and of devices while they wait."""
        energy: FloatArray = (times * powers).sum(axis=0)
        for name, device in self.devices.items():
            busy = times[[s.device == name for s in self.segments]].sum(axis=0)
            energy = energy + device.idle_w * np.maximum(total - busy, 0.0)
        return energy


def make_application(segments: Sequence[Segment], devices: Sequence[Device]) -> Application:
    """Return an application, checked and put in order.

    Raises
    ------
    OptionError
        If a name is there twice, a segment waits for one that is not there, segments wait for each
        other in a circle, or a segment has neither a model nor a time.
    """
    if not segments:
        raise OptionError("An application needs at least one segment.")
    known = {device.name: device for device in devices}
    names = [s.name for s in segments]
    for name in names:
        if not name or names.count(name) > 1:
            raise OptionError(f"Segment '{name}' is there twice." if name else "A segment has no name.")
    for segment in segments:
        _check(segment, names, known)
    return Application(in_order(segments), known)


def _check(segment: Segment, names: Sequence[str], devices: Mapping[str, Device]) -> None:
    for other in segment.after:
        if other not in names:
            raise OptionError(f"Segment '{segment.name}' waits for '{other}', and there is no such segment.")
    if segment.device not in devices:
        known = ", ".join(devices) or "none"
        raise OptionError(f"Segment '{segment.name}' runs on '{segment.device}', and the devices are: {known}.")
    if not segment.count >= 0 or segment.count == float("inf"):
        raise OptionError(f"Segment '{segment.name}' runs {segment.count:g} times; it has to be 0 or more.")
    device = devices[segment.device]
    if segment.kernel:
        if device.model is None:
            raise OptionError(
                f"Segment '{segment.name}' runs kernel '{segment.kernel}' on '{device.name}', which has no model. "
                "Give the device a model, or the segment a time."
            )
        if segment.kernel not in (device.kernels or {}):
            raise OptionError(
                f"Segment '{segment.name}' runs kernel '{segment.kernel}', of which nothing was measured on "
                f"'{device.name}'. Add it to the kernels at the base."
            )
    elif not 0 <= segment.time_s < float("inf"):
        raise OptionError(
            f"Segment '{segment.name}' has neither a kernel with a model nor a time of its own. Give it one of them."
        )
