"""T4, the results format that auto-tuners share (Kernel Tuner, KTT): configurations, times, invalidity."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.ingest.names import shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._json import number
from core.ingest.readers._json import text as plain
from core.ingest.readers._tuners import tuner
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
        for at, result in enumerate(results, start=1):
            why = _failure(result) if isinstance(result, dict) else "no object"
            if not why:
                times = tuner.member(result, "times")
                tuning.left.update(dict.fromkeys(name for name in times if name != "runtimes"))
                why = "" if _put(tuning, f"result {at}", result) else "no time was measured"
            if why:
                builder.skip(f"result {at}", why)
        tuning.tell_left_out()


def _put(tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> bool:
    """Put down the runs of a result; False if it has none."""
    measurements = {plain(m.get("name")): m for m in tuner.objects(result, "measurements")}
    compiled = dict(_flat(tuner.member(result, "compilation_data")))
    means = [m.get("value") for m in tuner.objects(result, "measurements") if m.get("name") == "time"]
    times = (tuner.member(result, "times").get("runtimes"), next(iter(means), None))
    measured = {name: m.get("value") for name, m in measurements.items() if name not in ("time", "")}

    def about(name: str) -> tuple[str, Kind]:
        if name not in measurements:
            return "byte" if _BYTES.fullmatch(name) else "", Kind.DETERMINISTIC
        kind = plain(measurements[name].get("type"))
        counted = bool(kind) or "__" in name  # KTT types its counters; ncu's names have two underscores
        unit = plain(measurements[name].get("unit")) or (tuner.counter_unit(name, kind) if counted else "")
        return unit, Kind.COUNTER if counted else Kind.RESPONSE

    return tuning.put(where, times, _configuration(result), measured | compiled, about)


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
