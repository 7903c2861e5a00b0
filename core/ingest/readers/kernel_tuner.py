"""Kernel Tuner's cache, also while it is still being written, and T4, the results format that auto-tuners share."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.ingest.names import shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._text import number, plain
from core.ingest.readers._tuners import tuner
from core.trial import Kind

_KEYS = re.compile(rb'"(?:cache|device_name|kernel_name)"\s*:')
_COSTS = ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time")
_NO_MEASUREMENT = frozenset((*_COSTS, "time", "times", "timestamp", "__error__", "hash"))
_ERROR_TIME = 1e20
_COUNTER = re.compile(r".*__.*|num_regs")
_UNITS = (
    (re.compile(r"(?:cores?|mem|gr|sm)_freqs?"), "MHz"),
    (re.compile(r"temperatures?"), "°C"),
    (re.compile(r"gr_voltages?"), "mV"),
    (re.compile(r"(?:nvml|ps|pmt|tegra|amdsmi|rocm)_(?:\w+_)?energys?"), "J"),
    (re.compile(r"(?:nvml|ps|pmt|tegra|amdsmi|rocm)_(?:\w+_)?powers?"), "W"),
)
"""What Kernel Tuner's observers count in; metrics that users define have no unit but their name."""
_DEVICE = ("device", "device_name", "gpu", "machine")
_KERNEL = ("kernel_name", "kernel", "application", "benchmark")
_BYTES = re.compile(r"\w+_memory_size")


class KernelTuner(tuner.TunerReader):
    """Reads the cache file of Kernel Tuner: each measured execution of a configuration is a trial."""

    label = "Kernel Tuner cache"
    signs = (tuner.OBJECT, re.compile(rb'"tune_params_keys"\s*:\s*\['), _KEYS)
    tells = (b"tune_params_keys",)
    member, opening = "cache", "{"
    lacks = "has no 'cache' of configurations, so it holds no times of Kernel Tuner."

    def put(self, builder: Builder, document: Mapping[str, Any], results: Any) -> None:
        """Put down one trial per run; configurations that failed are skipped with their reason."""
        keys = document.get("tune_params_keys")
        if not isinstance(keys, list):
            raise builder.refused(self.lacks)
        names, size = [plain(key) for key in keys], document.get("problem_size")
        objective = plain(document.get("objective") or "time")
        good: dict[str, Mapping[str, Any]] = {}
        for key, entry in results.items():
            if why := _failure(entry, objective) if isinstance(entry, dict) else "no object":
                builder.skip(f"configuration '{shown(key)}'", why)
            else:
                good[key] = entry
        numbers = tuner.numeric({n: entry[n] for n in names if n in entry} for entry in good.values())
        application = plain(document.get("kernel_name")) or stem(builder.source)
        machine = plain(document.get("device_name"))
        tuning = tuner.Tuning(builder, application, tuner.size_text(size), machine, "ms", numbers)
        for key, entry in good.items():
            settings = {name: entry[name] for name in numbers if name in entry}
            measured = {n: v for n, v in entry.items() if n not in settings and n not in _NO_MEASUREMENT}
            tuning.put(
                f"configuration '{shown(key)}'", (entry.get("times"), entry.get("time")), settings, measured, _about
            )
        _say_sizes(tuning, size)
        left = {n for entry in good.values() for n in entry if n in _COSTS}
        tuning.left.update(dict.fromkeys(n for n in _COSTS if n in left))
        tuning.tell_left_out()


def _failure(entry: Mapping[str, Any], objective: str) -> str:
    """Return why a configuration has no time; "" if it has one."""
    if entry.get("__error__"):
        return f"failed: {shown(plain(entry['__error__']), 200)}"
    for name in dict.fromkeys((objective, "time")):
        value = entry.get(name)
        known = number(value)
        if isinstance(value, str) and known is None:
            return f"failed: {shown(value, 200)}"
        if known is not None and abs(known) >= _ERROR_TIME:
            return f"failed: its {shown(name)} is {known:g}, with which Kernel Tuner marks failures"
    timed = tuner.measured_times(entry.get("times")) or tuner.measured_times([entry.get("time")])
    return "" if timed else "no time was measured"


def _about(name: str) -> tuple[str, Kind]:
    unit = next((unit for form, unit in _UNITS if form.fullmatch(name)), "")
    return unit, Kind.COUNTER if _COUNTER.fullmatch(name) else Kind.RESPONSE


def _say_sizes(tuning: tuner.Tuning, size: Any) -> None:
    sizes = {f"problem_size_{axis}": v for axis, v in zip("xyz", size, strict=False)} if isinstance(size, list) else {}
    for name, value in (sizes or {"problem_size": size}).items():
        known = tuner.setting(value)
        if known is not None and len(tuning.builder):
            tuning.builder.of_input(tuning.application, tuning.input, name, known)


class KernelTunerT4(tuner.TunerReader):
    """Reads T4 results: each measured execution of a correct configuration is a trial."""

    label = "T4 auto-tuning results"
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
            builder.tell("does not say its time unit: read as milliseconds, Kernel Tuner's own.")
        numbers = tuner.numeric(_configuration(r) for r in results if isinstance(r, dict) and not _invalid(r))
        input = tuner.size_text(metadata.get("problem_size"))
        tuning = tuner.Tuning(builder, application or stem(builder.source), input, machine, unit, numbers)
        for at, result in enumerate(results, start=1):
            why = _invalid(result) if isinstance(result, dict) else "no object"
            if not why:
                times = tuner.member(result, "times")
                tuning.left.update(dict.fromkeys(name for name in times if name != "runtimes"))
                why = "" if _put_result(tuning, f"result {at}", result) else "no time was measured"
            if why:
                builder.skip(f"result {at}", why)
        tuning.tell_left_out()


def _put_result(tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> bool:
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


def _invalid(result: Mapping[str, Any]) -> str:
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
