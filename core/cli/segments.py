"""`ridgeline segments`: an application made of segments: its time, critical path, energy, what to speed up."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from core.cli._files import source
from core.cli.base import Arguments, Parser, Report, Verb, flag, halves
from core.codec import fields_of
from core.errors import OptionError
from core.ingest.files import read_bytes
from core.scaling.application import Application, make_application
from core.scaling.model_file import read_kernels, read_scaling
from core.scaling.outcome import pareto
from core.scaling.segments_file import Device, DeviceSaid, Schedule, read_segments
from core.scaling.study import point_of
from core.trial import point_text

T = TypeVar("T")


class SegmentsVerb(Verb):
    """Total time, critical path and energy of an application made of segments."""

    group = "learn how kernels scale"
    examples = (
        "ridgeline segments app.json --model gpu=gpu.json,kernels.csv --at gpu:core_mhz=900,mem_mhz=3505 --over gpu",
    )

    def arguments(self, parser: Parser) -> None:
        """Declare the verb's arguments."""
        flag(parser, "file APPLICATION.json|csv")
        help = "a device's scaling model and its kernels at the base, if the file does not name them"
        flag(parser, "--model DEVICE=MODEL.json,KERNELS.csv", help, several=True)
        flag(parser, "--at DEVICE:AXIS=VALUE,…", "a device's configuration", several=True)
        flag(parser, "--over DEVICE", "the front of time and energy over a device")

    def run(self, a: Arguments) -> Report:
        """Schedule and report."""
        application = load_application(a)
        targets = _each_once("--at", map(_target, a.at))
        found = application.schedule(targets)
        plain, lines = _plain(application, found), _lines(application, found)
        if a.over:
            told, more = _over(application, a.over, targets)
            plain["over"] = told
            lines += more
        return Report(lines, plain)


def _each_once(option: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return what is said of devices, each of which is named once."""
    found: dict[str, T] = {}
    for device, said in pairs:
        if device in found:
            raise OptionError(f"{option} names the device '{device}' twice. Name it once.")
        found[device] = said
    return found


def _over(
    application: Application, device: str, targets: dict[str, dict[str, float]]
) -> tuple[dict[str, Any], list[str]]:
    """Return the configurations of a device that no other beats in time and energy, the others at their targets."""
    over, model = application.over(device, targets), application.devices[device].model
    assert model is not None
    front = pareto(over.total_s, np.where(np.isfinite(over.energy_j), over.energy_j, 0.0)).tolist()
    names = [axis.name for axis in model.axes]
    rows: list[dict[str, Any]] = [
        {
            "configuration": dict(zip(names, model.grid[j].tolist(), strict=True)),
            "total_s": float(over.total_s[j]),
            "energy_j": float(over.energy_j[j]),
        }
        for j in front
    ]
    lines = [f"{len(front)} of {len(model.grid)} configurations of {device} are beaten by none in time and energy:"]
    lines += [f"  {r['total_s']:.4g} s, {_joules(r['energy_j'])}  {point_text(r['configuration'])}" for r in rows]
    return {"device": device, "n_configurations": len(model.grid), "front": rows}, lines


def load_application(a: Arguments) -> Application:
    """Return the application of the file, with the models of its devices."""
    said = read_segments(read_bytes(a.file), Path(a.file).name)
    given = _each_once("--model", map(_model, a.model))
    known = {d.name for d in said.devices}
    for name in given:
        if name not in known:
            raise OptionError(f"--model names the device '{name}', and the devices are: {', '.join(sorted(known))}.")
    folder = Path(a.file).parent
    return make_application(said.segments, [_device(d, given.get(d.name), folder) for d in said.devices])


def _device(said: DeviceSaid, given: tuple[str, str] | None, folder: Path) -> Device:
    model_path, kernels_path = given or (
        str(folder / said.model) if said.model else "",
        str(folder / said.kernels) if said.kernels else "",
    )
    if not model_path:
        return Device(said.name, idle_w=said.idle_w)
    model = read_scaling(read_bytes(model_path))
    known = read_kernels(source(kernels_path), model) if kernels_path else ()
    kernels = {kernel.name: kernel for kernel in known}
    return Device(said.name, model, kernels, said.idle_w)


def _model(text: str) -> tuple[str, tuple[str, str]]:
    device, sign, rest = text.partition("=")
    model, comma, kernels = rest.partition(",")
    if not (sign and comma and model and kernels):
        raise OptionError(f"--model takes DEVICE=MODEL.json,KERNELS.csv, got '{text}'.")
    return device, (model, kernels)


def _target(text: str) -> tuple[str, dict[str, float]]:
    device, point = halves(text, ":", "--at takes DEVICE:AXIS=VALUE,AXIS=VALUE")
    return device, point_of(point)


def _plain(application: Application, found: Schedule) -> dict[str, Any]:
    times = {"start_s": found.start_s, "time_s": found.time_s, "slack_s": found.slack_s}
    times["gain_if_twice_as_fast_s"] = found.gain_s
    rows = [
        {**fields_of(s, "name device"), **{name: float(of[i, 0]) for name, of in times.items()}}
        for i, s in enumerate(application.segments)
    ]
    return {
        "total_s": float(found.total_s[0]),
        "energy_j": float(found.energy_j[0]),
        "critical_path": list(found.critical),
        "speed_up_first": found.speed_up_first(),
        "segments": rows,
    }


def _lines(application: Application, found: Schedule) -> list[str]:
    rows = [
        f"  {s.name} on {s.device}: from {found.start_s[i, 0]:.4g} s for {found.time_s[i, 0]:.4g} s, "
        f"slack {found.slack_s[i, 0]:.4g} s, twice as fast gains {found.gain_s[i, 0]:.4g} s"
        for i, s in enumerate(application.segments)
    ]
    take = "segment takes" if len(rows) == 1 else "segments take"
    return [
        f"{len(rows)} {take} {found.total_s[0]:.4g} s and {_joules(found.energy_j[0])}",
        f"critical path: {' → '.join(found.critical)}",
        f"speed up first: {found.speed_up_first()}",
        *rows,
    ]


def _joules(energy: float) -> str:
    return f"{energy:.4g} J" if np.isfinite(energy) else "an unknown energy (a segment has no power)"
