"""Nsight Compute's launches to trials: numbers, units, times, launch shapes, facts of the device."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import ClassVar

import numpy as np

from core.codec import FloatArray
from core.ingest._lookup import by_key
from core.ingest.names import shown
from core.ingest.readers import _launch
from core.ingest.readers._base_units import scale_of, to_base
from core.ingest.readers._builder import Asked, Builder
from core.ingest.readers._declared import DECLARED
from core.ingest.readers._nvidia import ncu_tables
from core.ingest.readers._nvidia import printed as cells
from core.ingest.readers._nvidia.capture import Capture
from core.ingest.readers._nvidia.ncu_printed import find_printed
from core.ingest.readers._nvidia.ncu_tables import KERNEL, MESSAGE, WIDE, Found, Key, Launch, Plan, find, first_kind
from core.ingest.readers._nvidia.told import CaptureReader, tell_missing
from core.trial import Kind

_DEVICE_NAME = "device__attribute_display_name"
_CLOSE = 0.005
"""How far two prints of one time may lie apart, as a share."""
_LABELS = DECLARED["ncu"]["labels"]
_SIZES = {f"launch__{what}_{size}" for what in ("grid", "block") for size in ("size", "dim_x", "dim_y", "dim_z")}
_SAYS_LAUNCH = frozenset((_DEVICE_NAME, "Grid Size", "Block Size", *_SIZES))
"""Metrics that say the device and the shape of a launch."""
_LOCAL = ("127.0.0.1", "localhost")
_SIZE = re.compile(r"\(?\s*(\d+)\s*[,xX]\s*(\d+)\s*[,xX]\s*(\d+)\s*\)?")


class NcuRaw(CaptureReader):
    """Reads the raw page (`--page raw`): a row of names, a row of units, a row per launch."""

    label: ClassVar[str] = "Nsight Compute, raw page (CSV)"
    tells: ClassVar[tuple[bytes, ...]] = (b"kernel name", b"demangled name", b"function name")
    family: ClassVar[str] = "ncu"
    tool = ncu_tables.TOOL
    message = MESSAGE

    def sniff(self, head: bytes) -> bool:
        """Whether the first table has a column per metric."""
        return first_kind(head) == WIDE

    def found(self, capture: Capture) -> Found:
        """Return the tables and launches of a capture."""
        return find(capture)

    def put(self, builder: Builder, capture: Capture) -> None:
        """Put down the launches."""
        found = self.found(capture)
        if found.units_lost:
            raise builder.refused(
                f"line {found.units_lost}: the row of units below the column names is damaged, so that "
                "no value has a unit. Export the page again."
            )
        if not found.launches:
            raise builder.refused(ncu_tables.why_no_launch(found) or self.why_nothing(found.tables, capture))
        mark = cells.decimal_mark(text for launch in found.launches for text in launch.texts)
        if mark == ",":
            builder.tell("writes numbers with a decimal comma; they were read so.")
        printed, line = ncu_tables.printed_device(found)
        _Filling(builder, mark, ncu_tables.plans(found.launches), printed).fill(ncu_tables.joined(builder, found))
        if printed:
            builder.note(f"the machine is '{shown(printed)}', which the application printed (line {line}).")
        ncu_tables.tell_tables(builder, found)


class NcuDetails(NcuRaw):
    """Reads the details page or `--metrics`, a row per launch and metric, and reports as they are printed.

    Rules beside the metrics are left out, and what a failed capture left is told.
    """

    label: ClassVar[str] = "Nsight Compute, details page or --metrics (CSV)"
    tells = (b"kernel name", b"demangled name", b"function name", b"source", b"==", b"section:")

    def sniff(self, head: bytes) -> bool:
        """Whether there is a header with metric names in rows, or there are only messages of the tool."""
        return first_kind(head) not in ("", WIDE)

    def found(self, capture: Capture) -> Found:
        """Return the launches of a table, or else of a report as it is printed."""
        found = find(capture)
        if found.tables:
            return found
        capture.rest.clear()  # of a report all lines belong to no table
        return find_printed(capture)


class _Filling:
    """Puts launches down as trials, and remembers what the file as a whole must be told of."""

    def __init__(self, builder: Builder, mark: str, plans: Mapping[Key, Plan], printed: str) -> None:
        self.builder, self.mark, self.plans, self.printed = builder, mark, plans, printed
        self.missing: Counter[str] = Counter()
        self.instances: set[str] = set()
        self.told: set[str] = set()
        self.ids: set[str] = set()
        self.facts: dict[tuple[str, str, str], dict[int, float]] = {}

    def fill(self, launches: Iterable[Launch]) -> None:
        """Put down all launches, those of which the same metrics were read column by column."""
        for _, alike in groupby(launches, key=lambda launch: launch.keys):
            self._put(list(alike))
        self._tell()

    def _put(self, launches: Sequence[Launch]) -> None:
        keys = launches[0].keys
        places = {name: j for j, (name, _, _) in enumerate(keys) if name in _SAYS_LAUNCH}
        begun = [self._trial(own, {name: own.texts[j].strip() for name, j in places.items()}) for own in launches]
        trials = [trial for trial, _ in begun]
        by_machine = by_key((machine, (i, trial)) for i, (trial, machine) in enumerate(begun))
        numbers = cells.numbers([own.texts for own in launches], self.mark)
        gaps = set(np.flatnonzero(np.isnan(numbers).any(axis=0)).tolist())
        times: list[tuple[Plan, list[float]]] = []
        plain: list[int] = []
        asked: list[Asked] = []
        for j, plan in enumerate(map(self.plans.__getitem__, keys)):
            if plan.kind is None:
                self.ids.add(plan.name)
                continue
            if j in gaps:
                self._read_texts(begun, plan, [own.texts[j] for own in launches], numbers[:, j])
                if np.isnan(numbers[:, j]).all():
                    continue
            self.told.add(plan.name)
            if plan.rank is not None:
                times.append((plan, numbers[:, j].tolist()))
            elif plan.kind is Kind.MACHINE:
                self._facts(by_machine, plan, numbers[:, j].tolist())
            else:
                plain.append(j)
                asked.append((plan.name, plan.unit, plan.kind))
        self.builder.put_columns(trials, tuple(asked), numbers[:, plain])
        self._times(trials, times)

    def _trial(self, launch: Launch, texts: Mapping[str, str]) -> tuple[int, str]:
        """Begin a trial; return it and its machine."""
        identity = launch.identity
        application = next((identity[name] for name in KERNEL if identity.get(name)), "")
        machine = texts.get(_DEVICE_NAME) or identity.get("Device Name", "") or self.printed
        known = _sizes(identity, texts, self.mark)
        execution, where = f"launch {identity['ID']}" if identity.get("ID") else "", f"line {launch.line}"
        said = {"machine": machine, "where": where, "execution": execution}
        return _launch.begin(self.builder, application, known, labels=_labels(identity), **said), machine

    def _read_texts(
        self, begun: Sequence[tuple[int, str]], plan: Plan, texts: Sequence[str], values: FloatArray
    ) -> None:
        """Read the cells of a metric that are no plain numbers: a total before instances' values, or a text."""
        for i in np.flatnonzero(np.isnan(values)).tolist():
            total = cells.leading_number(texts[i], self.mark) if "(" in texts[i] else None
            if total is None:
                self._text(*begun[i], plan, texts[i].strip())
            else:
                self.instances.add(plan.name)
                values[i] = total

    def _text(self, trial: int, machine: str, plan: Plan, text: str) -> None:
        if cells.is_missing(text):
            self.missing[plan.name] += bool(text)
            return
        self.told.add(plan.name)
        if plan.name == _DEVICE_NAME:
            return
        if plan.kind is Kind.MACHINE and machine:
            self.builder.machine_label(machine, plan.name, text)
        else:
            self.builder.label(trial, plan.name, text)

    def _facts(self, by_machine: Mapping[str, list[tuple[int, int]]], plan: Plan, values: Sequence[float]) -> None:
        """Keep a device's attribute as its machine's until all launches are known."""
        for machine, places in by_machine.items():
            if known := {trial: values[i] for i, trial in places if values[i] == values[i]}:
                self.facts.setdefault((machine, plan.name, plan.unit), {}).update(known)

    def _times(self, trials: Sequence[int], times: list[tuple[Plan, list[float]]]) -> None:
        """Give each trial its time once; a second print of it is left out, another time keeps its own name."""
        times.sort(key=lambda pair: (scale_of(pair[0].unit)[0] != "s", pair[0].rank))
        for i, trial in enumerate(trials):
            if not (known := [(plan, values[i]) for plan, values in times if values[i] == values[i]]):
                continue
            (first, value), *others = known
            cells.put_time(self.builder, trial, first.name, value, first.unit)
            time, base = to_base(value, first.unit)
            for plan, value in others:
                again, other = to_base(value, plan.unit)
                if other != base or abs(again - time) > _CLOSE * abs(time):
                    self.builder.put(trial, plan.name, value, plan.unit, Kind.RESPONSE)

    def _tell(self) -> None:
        for (machine, name, unit), values in self.facts.items():
            alike = len({*values.values()}) == 1
            if machine and alike:
                self.builder.of_machine(machine, name, next(iter(values.values())), unit)
            else:  # it changes between launches, or nobody knows of which device it is
                for trial, value in values.items():
                    self.builder.put(trial, name, value, unit, Kind.MACHINE if alike else Kind.COUNTER)
        tell_missing(self.builder, self.missing)
        if self.instances:
            self.builder.note(
                f"of {len(self.instances)} metrics with values of single instances, such as "
                f"'{shown(min(self.instances))}', the total was taken."
            )
        if empty := [name for name, n in self.missing.items() if not n and name not in self.told]:
            self.builder.skip("columns", f"empty for every launch: {shown(', '.join(empty), 200)}")
        if self.ids:
            self.builder.skip("columns", f"ids, no measurements: {', '.join(sorted(self.ids))}")


def _sizes(identity: Mapping[str, str], texts: Mapping[str, str], mark: str) -> dict[str, float]:
    """Return the launch's sizes: from the columns, or where these are missing from the metrics of the launch."""
    known: list[list[float | None]] = []
    for what, column in (("grid", "Grid Size"), ("block", "Block Size")):
        size = _SIZE.fullmatch(identity.get(column, ""))
        dims = size.groups() if size else [texts.get(f"launch__{what}_dim_{axis}", "") for axis in _launch.AXES]
        total = texts.get(column, "") or texts.get(f"launch__{what}_size", "") or identity.get(column, "")
        axes = [cells.number(dim, mark) for dim in dims]
        known.append(axes if all(axes) else [cells.number(total, mark)])
    return _launch.sizes(*known)


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
