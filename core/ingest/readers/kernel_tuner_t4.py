"""T4, the results format that auto-tuners share (Kernel Tuner, KTT): configurations, times, invalidity."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.errors import ReadError
from core.ingest._mapping import Mapping as Choices
from core.ingest._names import shown
from core.ingest._open import open_text
from core.ingest.base import Reader, SourceFile
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._json import number
from core.ingest.readers._json import text as plain
from core.ingest.readers._stem import stem
from core.ingest.readers._tuners import tuner
from core.ingest.readers._tuners.cut_json import load_cut
from core.ingest.readers._tuners.ktt import counter_unit
from core.trial import Import, Kind

_DEVICE = ("device", "device_name", "gpu", "machine")
_KERNEL = ("kernel_name", "kernel", "application", "benchmark")
_BYTES = re.compile(r"\w+_memory_size")


class KernelTunerT4(Reader):
    """Reads T4 results: each measured execution of a correct configuration is a trial."""

    label: ClassVar[str] = "T4 auto-tuning results"

    def sniff(self, head: bytes) -> bool:
        """Whether the head is an object with results that have a configuration and an invalidity, or T4's metadata."""
        if not head.lstrip().startswith(b"{"):
            return False
        if re.search(rb'"results"\s*:\s*\[\s*\]', head):
            return bool(re.search(rb'"(?:schema_version|metadata)"\s*:', head))
        results = re.search(rb'"results"\s*:\s*\[\s*\{', head)
        rows = (rb'"configuration"\s*:', rb'"(?:invalidity|runtimes)"\s*:')
        if results:
            return all(re.search(key, head) for key in rows)
        return bool(re.search(rb'\{\s*"metadata"\s*:\s*\{\s*"(?:hardware|environment|zenodo)"\s*:\s*\{', head))

    def read(self, file: SourceFile, mapping: Choices | None = None) -> Import:
        """Return one trial per run; configurations that failed are skipped with their invalidity."""
        text = open_text(file)
        document, cut = load_cut(text.name, text.raw, "results", "[")
        results = document.get("results") if isinstance(document, dict) else None
        if not isinstance(results, list):
            raise ReadError(f"{text.name} is T4 without results: it may be the metadata. Import the file with results.")
        builder = Builder(text.name, text.sha256, "kernel_tuner_t4")
        metadata = document.get("metadata")
        run = _Run(builder, metadata if isinstance(metadata, dict) else {}, results)
        for at, result in enumerate(results, start=1):
            run.add(f"result {at}", result)
        run.tell()
        if cut:
            builder.skip(cut, "the file breaks off; tuning was stopped or still ran")
        return builder.build(text.warnings)


class _Run:
    """What holds for all results of one file."""

    def __init__(self, builder: Builder, metadata: Mapping[str, Any], results: list[Any]) -> None:
        self.builder = builder
        self.machine = next((plain(metadata[key]) for key in _DEVICE if isinstance(metadata.get(key), str)), "")
        named = next((plain(metadata[key]) for key in _KERNEL if isinstance(metadata.get(key), str)), "")
        self.application, self.input = named or stem(builder.source), tuner.size_text(metadata.get("problem_size"))
        said = plain(metadata.get("timeunit")) or _unit_of_times(results)
        self.unit = tuner.time_unit(builder.source, said or "milliseconds")
        if not said:
            builder.warn(f"{builder.source} does not say its time unit: read as milliseconds, Kernel Tuner's own.")
        self.numbers = tuner.numeric(_configuration(r) for r in results if isinstance(r, dict) and not _failure(r))
        self.left: dict[str, None] = {}
        self.odd: dict[str, None] = {}

    def add(self, where: str, result: Any) -> None:
        why = _failure(result) if isinstance(result, dict) else "no object"
        if why:
            self.builder.skip(where, why)
            return
        times, single = self._times(result)
        if not times:
            self.builder.skip(where, "no time was measured")
            return
        if not single:
            self.builder.warn(f"{self.builder.source}: where single times are not kept, their mean is the trial.")
        measured = list(self._measurements(result, len(times)))
        for run, time in enumerate(times):
            if time is None:
                self.builder.skip(f"{where} run {run + 1}", "its time is no number")
                continue
            trial = self.builder.trial(
                self.application, input=self.input, machine=self.machine, where=f"{where} run {run + 1}"
            )
            self.builder.put(trial, TIME, time, self.unit, Kind.RESPONSE)
            tuner.put_parameters(self.builder, trial, _configuration(result), self.numbers)
            for name, unit, kind, values in measured:
                self.builder.put(trial, name, values[run], unit, kind)

    def tell(self) -> None:
        tuner.tell_left_out(self.builder, list(self.left), "as costs of tuning and not of the kernel")
        tuner.tell_left_out(self.builder, list(self.odd), "as neither one number nor one for each run")

    def _times(self, result: Mapping[str, Any]) -> tuple[list[float | None], bool]:
        """Return the times of the runs, or their mean; and whether they are single times."""
        times = tuner.member(result, "times")
        self.left.update(dict.fromkeys(name for name in times if name != "runtimes"))
        single = tuner.measured_times(times.get("runtimes"))
        mean = [m.get("value") for m in tuner.objects(result, "measurements") if m.get("name") == "time"]
        return (single, True) if single else (tuner.measured_times(mean[:1]), False)

    def _measurements(
        self, result: Mapping[str, Any], n_runs: int
    ) -> Iterator[tuple[str, str, Kind, list[float | None]]]:
        measurements = {plain(m.get("name")): m for m in tuner.objects(result, "measurements")}
        single = tuner.one_quantity({name: m.get("value") for name, m in measurements.items()}, n_runs)
        for name, measurement in measurements.items():
            values = tuner.per_run(single.get(name), n_runs)
            if name in ("time", "") or name not in single:
                continue
            if values is None:
                self.odd[name] = None
                continue
            kind = plain(measurement.get("type"))
            counted = bool(kind) or "__" in name  # KTT types its counters; ncu's names have two underscores
            unit = plain(measurement.get("unit")) or (counter_unit(name, kind) if counted else "")
            yield name, unit, Kind.COUNTER if counted else Kind.RESPONSE, values
        for name, value in _flat(tuner.member(result, "compilation_data")):
            yield name, "byte" if _BYTES.fullmatch(name) else "", Kind.COUNTER, [value] * n_runs


def _unit_of_times(results: list[Any]) -> str:
    """Return the unit that measurements called time have, if there is one that all of them have."""
    whole = [result for result in results if isinstance(result, dict)]
    times = [m for result in whole for m in tuner.objects(result, "measurements") if m.get("name") == "time"]
    units = {plain(time.get("unit")) for time in times}
    return units.pop() if len(units) == 1 else ""


def _configuration(result: Mapping[str, Any]) -> Mapping[str, Any]:
    return tuner.member(result, "configuration")


def _failure(result: Mapping[str, Any]) -> str:
    """Return why a configuration does not count; "" if it ran and gave the right answer."""
    invalidity = plain(result.get("invalidity"))
    return "" if invalidity in ("correct", "") else f"invalid: {shown(invalidity, 200)}"


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield numbers by name; those of a launch size as `global_size x`."""
    for name, value in values.items():
        inner = {f"{name} {axis}": size for axis, size in value.items()} if isinstance(value, dict) else {name: value}
        for own, size in inner.items():
            known = None if isinstance(size, bool) else number(size)
            if known is not None:
                yield own, known
