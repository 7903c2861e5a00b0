"""Nsight Compute's launches to trials: numbers, units, times, launch shapes, facts of the device."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from core.errors import ReadError
from core.ingest._names import shown
from core.ingest.readers._base_units import scale_of, to_base
from core.ingest.readers._builder import Builder
from core.ingest.readers._nvidia.capture import Capture, cut_off, tell, tell_missing
from core.ingest.readers._nvidia.launch_shape import AXES, put_sizes, shape, sizes
from core.ingest.readers._nvidia.ncu_header import KERNEL
from core.ingest.readers._nvidia.ncu_left import TOOL, printed_device, tell_tables, why_nothing
from core.ingest.readers._nvidia.ncu_passes import joined
from core.ingest.readers._nvidia.ncu_plans import ID, MACHINE, OUTCOME, TIME, Plan, plans
from core.ingest.readers._nvidia.ncu_tables import MESSAGE, Found, Key, Launch
from core.ingest.readers._nvidia.printed import decimal_mark, is_missing, leading_number, number
from core.ingest.readers._nvidia.times import put_time
from core.trial import Import, Kind

_DEVICE_NAME = "device__attribute_display_name"
_CLOSE = 0.005
"""How far two prints of one time may lie apart, as a share."""
_LABELS = {
    "Process Name": "process", "Host Name": "host", "Context": "context", "Stream": "stream", "Device": "device",
    "CC": "compute capability", "Invocations": "invocations",
}  # fmt: skip
_LOCAL = ("127.0.0.1", "localhost")
_SIZE = re.compile(r"\(?\s*(\d+)\s*[,xX]\s*(\d+)\s*[,xX]\s*(\d+)\s*\)?")


def trials_of(capture: Capture, found: Found, format: str) -> Import:
    """Return the trials of a capture.

    Raises
    ------
    ReadError
        If nothing was measured, with what the tool said of it.
    """
    if found.units_lost:
        raise ReadError(
            f"{capture.name} line {found.units_lost}: the row of units below the column names is damaged, so that no "
            "value has a unit. Export the page again."
        )
    if not found.launches:
        raise ReadError(why_nothing(capture, found))
    builder = Builder(capture.name, capture.sha256, format)
    mark = decimal_mark(text for launch in found.launches for _, text in launch.items())
    if mark == ",":
        builder.warn(f"{capture.name} writes numbers with a decimal comma; they were read so.")
    printed, line = printed_device(found)
    _Filling(builder, mark, plans(found.launches), printed).fill(joined(builder, found))
    if printed:
        builder.warn(f"{capture.name}: the machine is '{shown(printed)}', which the application printed (line {line}).")
    tell_tables(builder, found)
    tell(found.rest, builder, TOOL, MESSAGE)
    warnings = [*capture.warnings, cut_off(capture, found.last)]
    return builder.build(extra_warnings=[w for w in warnings if w])


class _Filling:
    """Puts launches down as trials, and remembers what the file as a whole must be told of."""

    def __init__(self, builder: Builder, mark: str, plans: Mapping[Key, Plan], printed: str) -> None:
        self.builder, self.mark, self.plans, self.printed = builder, mark, plans, printed
        self.missing: Counter[str] = Counter()
        self.instances: set[str] = set()
        self.told: set[str] = set()
        self.ids: set[str] = set()
        self.facts: dict[tuple[str, str], tuple[float, str, list[int]]] = {}

    def fill(self, launches: Iterable[Launch]) -> None:
        """Put down all launches."""
        for launch in launches:
            self._trial(launch)
        self._tell()

    def _trial(self, launch: Launch) -> None:
        texts = {key[0]: text.strip() for key, text in launch.items()}
        identity = launch.identity
        application = next((identity[name] for name in KERNEL if identity.get(name)), "")
        machine = texts.get(_DEVICE_NAME) or identity.get("Device Name", "") or self.printed
        known = _sizes(identity, texts, self.mark)
        input = shape(known)
        trial = self.builder.trial(
            application, input=input, machine=machine, where=f"line {launch.line}",
            execution=f"launch {identity['ID']}" if identity.get("ID") else "", labels=_labels(identity),
        )  # fmt: skip
        put_sizes(self.builder, application, input, known)
        times: list[tuple[Plan, float]] = []
        for key, text in launch.items():
            self._reading(trial, machine, self.plans[key], text, times)
        self._time(trial, times)

    def _reading(self, trial: int, machine: str, plan: Plan, text: str, times: list[tuple[Plan, float]]) -> None:
        if plan.role == ID:
            self.ids.add(plan.name)
            return
        value = self._number(plan, text)
        if value is None:
            self._text(trial, machine, plan, text.strip())
            return
        self.told.add(plan.name)
        if plan.role == TIME:
            times.append((plan, value))
        elif plan.role == MACHINE and machine:
            self._fact(trial, machine, plan, value)
        else:
            kind = Kind.RESPONSE if plan.role == OUTCOME else Kind.COUNTER
            self.builder.put(trial, plan.name, value, plan.unit, kind)

    def _number(self, plan: Plan, text: str) -> float | None:
        value = number(text, self.mark)
        if value is None and "(" in text:
            value = leading_number(text, self.mark)
            if value is not None:
                self.instances.add(plan.name)
        return value

    def _text(self, trial: int, machine: str, plan: Plan, text: str) -> None:
        if is_missing(text):
            self.missing[plan.name] += bool(text)
            return
        self.told.add(plan.name)
        if plan.name == _DEVICE_NAME:
            return
        if plan.role == MACHINE and machine:
            self.builder.machine_label(machine, plan.name, text)
        else:
            self.builder.label(trial, plan.name, text)

    def _fact(self, trial: int, machine: str, plan: Plan, value: float) -> None:
        """Keep a device's attribute as the machine's; one that changes between launches is a counter."""
        known = self.facts.setdefault((machine, plan.name), (value, plan.unit, []))
        if known[0] != value or known[2][:1] == [-1]:
            for earlier in known[2]:
                if earlier >= 0:
                    self.builder.put(earlier, plan.name, known[0], plan.unit)
            known[2][:] = [-1]
            self.builder.put(trial, plan.name, value, plan.unit)
        else:
            known[2].append(trial)

    def _time(self, trial: int, times: list[tuple[Plan, float]]) -> None:
        """Give the trial its time once; a second print of it is left out, another time keeps its own name."""
        times.sort(key=lambda pair: (scale_of(pair[0].unit)[0] != "s", pair[0].rank))
        for i, (plan, value) in enumerate(times):
            first = to_base(times[0][1], times[0][0].unit)
            again = to_base(value, plan.unit)
            if i == 0:
                put_time(self.builder, trial, plan.name, value, plan.unit)
            elif again[1] != first[1] or abs(again[0] - first[0]) > _CLOSE * abs(first[0]):
                self.builder.put(trial, plan.name, value, plan.unit, Kind.RESPONSE)

    def _tell(self) -> None:
        for (machine, name), (value, unit, trials) in self.facts.items():
            if trials != [-1]:
                self.builder.of_machine(machine, name, value, unit)
        tell_missing(self.builder, self.missing)
        if self.instances:
            self.builder.warn(
                f"{self.builder.source}: of {len(self.instances)} metrics with values of single instances, such as "
                f"'{shown(min(self.instances))}', the total was taken."
            )
        empty = [name for name, n in self.missing.items() if not n and name not in self.told]
        if empty:
            self.builder.skip("columns", f"empty for every launch: {shown(', '.join(empty), 200)}")
        if self.ids:
            self.builder.skip("columns", f"ids, no measurements: {', '.join(sorted(self.ids))}")


def _sizes(identity: Mapping[str, str], texts: Mapping[str, str], mark: str) -> dict[str, float]:
    """Return the launch's sizes: from the columns, or where these are missing from the metrics of the launch."""
    found: dict[str, float] = {}
    for what, column in (("grid", "Grid Size"), ("block", "Block Size")):
        size = _SIZE.fullmatch(identity.get(column, ""))
        dims = size.groups() if size else [texts.get(f"launch__{what}_dim_{axis}", "") for axis in AXES]
        total = texts.get(column, "") or texts.get(f"launch__{what}_size", "") or identity.get(column, "")
        found |= sizes(what, [number(dim, mark) for dim in dims]) or sizes(what, [number(total, mark)])
    return found


def _labels(identity: Mapping[str, str]) -> dict[str, str]:
    found = {label: identity[name] for name, label in _LABELS.items() if identity.get(name)}
    if found.get("host") in _LOCAL:
        del found["host"]
    for name, text in identity.items():
        if "Push/Pop" in name or name.upper().startswith("NVTX"):
            found["NVTX range"] = text
        elif "Start/Stop" in name:
            found["NVTX start/stop range"] = text
    return found
