"""T4, the results format that auto-tuners share (Kernel Tuner, KTT): configurations, times, invalidity."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.ingest.names import shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._json import number
from core.ingest.readers._json import text as plain
from core.ingest.readers._tuners import tuner
from core.ingest.readers._tuners.ktt import counter_unit
from core.trial import Kind

_DEVICE = ("device", "device_name", "gpu", "machine")
_KERNEL = ("kernel_name", "kernel", "application", "benchmark")
_BYTES = re.compile(r"\w+_memory_size")


class KernelTunerT4(tuner.TunerReader):
    """Reads T4 results: each measured execution of a correct configuration is a trial."""

    label: ClassVar[str] = "T4 auto-tuning results"
    member = "results"
    lacks = "is T4 without results: it may be the metadata. Import the file with results."

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

    def put(self, builder: Builder, document: Mapping[str, Any], results: Any) -> None:
        """Put down one trial per run; configurations that failed are skipped with their invalidity."""
        metadata = tuner.member(document, "metadata")
        machine, application = (
            next((plain(metadata[key]) for key in keys if isinstance(metadata.get(key), str)), "")
            for keys in (_DEVICE, _KERNEL)
        )
        said = plain(metadata.get("timeunit")) or _unit_of_times(results)
        unit = tuner.time_unit(builder.source, said or "milliseconds")
        if not said:
            builder.warn(f"{builder.source} does not say its time unit: read as milliseconds, Kernel Tuner's own.")
        numbers = tuner.numeric(_configuration(r) for r in results if isinstance(r, dict) and not _failure(r))
        input = tuner.size_text(metadata.get("problem_size"))
        tuning = tuner.Tuning(builder, application or stem(builder.source), input, machine, unit, numbers)
        left: dict[str, None] = {}
        odd: dict[str, None] = {}
        for at, result in enumerate(results, start=1):
            why = _failure(result) if isinstance(result, dict) else "no object"
            if not why:
                left.update(dict.fromkeys(name for name in tuner.member(result, "times") if name != "runtimes"))
                why = "" if _put(tuning, f"result {at}", result, odd) else "no time was measured"
            if why:
                builder.skip(f"result {at}", why)
        tuner.tell_left_out(builder, list(left), "as costs of tuning and not of the kernel")
        tuner.tell_left_out(builder, list(odd), "as neither one number nor one for each run")


def _put(tuning: tuner.Tuning, where: str, result: Mapping[str, Any], odd: dict[str, None]) -> bool:
    """Put down the runs of a result; False if it has none."""
    single = tuner.measured_times(tuner.member(result, "times").get("runtimes"))
    mean = [m.get("value") for m in tuner.objects(result, "measurements") if m.get("name") == "time"]
    times = single or tuner.measured_times(mean[:1])
    if times:
        measured = list(_measurements(result, len(times), odd))
        tuning.put(where, times, bool(single), _configuration(result), measured)
    return bool(times)


def _measurements(result: Mapping[str, Any], n_runs: int, odd: dict[str, None]) -> Iterator[tuner.Measured]:
    measurements = {plain(m.get("name")): m for m in tuner.objects(result, "measurements")}
    single = tuner.one_quantity({name: m.get("value") for name, m in measurements.items()}, n_runs)
    for name, measurement in measurements.items():
        values = tuner.per_run(single.get(name), n_runs)
        if name in ("time", "") or name not in single:
            continue
        if values is None:
            odd[name] = None
            continue
        kind = plain(measurement.get("type"))
        counted = bool(kind) or "__" in name  # KTT types its counters; ncu's names have two underscores
        unit = plain(measurement.get("unit")) or (counter_unit(name, kind) if counted else "")
        yield name, unit, Kind.COUNTER if counted else Kind.RESPONSE, values
    for name, value in _flat(tuner.member(result, "compilation_data")):
        yield name, "byte" if _BYTES.fullmatch(name) else "", Kind.DETERMINISTIC, [value] * n_runs


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
            known = number(size)
            if known is not None:
                yield own, known
