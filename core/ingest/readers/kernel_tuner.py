"""Kernel Tuner's cache, also while it is still being written, and T4, the results format that auto-tuners share."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.ingest.names import shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._declared import Role, roles_of
from core.ingest.readers._text import OBJECT, number, plain
from core.ingest.readers._tuners import tuner
from core.trial import Kind

_KEYS = re.compile(rb'"(?:cache|device_name|kernel_name)"\s*:')
_COSTS = ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time")
_NO_MEASUREMENT = frozenset((*_COSTS, "time", "times", "timestamp", "__error__", "hash"))
_ERROR_TIME = 1e20
_ROLE = roles_of("kernel_tuner")
_DEVICE = ("device", "device_name", "gpu", "machine")
_KERNEL = ("kernel_name", "kernel", "application", "benchmark")
_BYTES = re.compile(r"\w+_memory_size")


class KernelTuner(tuner.TunerReader):
    """Reads the cache file of Kernel Tuner: each measured execution of a configuration is a trial."""

    label = "Kernel Tuner cache"
    signs = (OBJECT, re.compile(rb'"tune_params_keys"\s*:\s*\['), _KEYS)
    tells = (b"tune_params_keys",)
    member, opening = "cache", "{"
    lacks = "has no 'cache' of configurations, so it holds no times of Kernel Tuner."

    def tuning(self, builder: Builder, document: Mapping[str, Any]) -> tuner.Tuning:
        """Return what the cache says of its kernel, and put down the size of the problem."""
        if not isinstance(document.get("tune_params_keys"), list):
            raise builder.refused(self.lacks)
        application = plain(document.get("kernel_name")) or stem(builder.source)
        size = document.get("problem_size")
        input = tuner.size_text(size)
        axes = {f"problem_size_{a}": v for a, v in zip("xyz", size, strict=False)} if isinstance(size, list) else {}
        for name, value in (axes or {"problem_size": size}).items():
            if (known := tuner.setting(value)) is not None:
                builder.of_input(application, input, name, known)
        return tuner.Tuning(builder, document, application, input, plain(document.get("device_name")), "ms")

    def failure(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> str:
        """Return why a configuration has no time; "" if it has one."""
        if result.get("__error__"):
            return f"failed: {shown(plain(result['__error__']), 200)}"
        for name in dict.fromkeys((plain(tuning.document.get("objective") or "time"), "time")):
            value = result.get(name)
            known = number(value)
            if isinstance(value, str) and known is None:
                return f"failed: {shown(value, 200)}"
            if known is not None and abs(known) >= _ERROR_TIME:
                return f"failed: its {shown(name)} is {known:g}, with which Kernel Tuner marks failures"
        timed = tuner.measured_times(result.get("times")) or tuner.measured_times([result.get("time")])
        return "" if timed else "no time was measured"

    def configuration(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters that the cache lists."""
        return {name: result[name] for name in map(plain, tuning.document["tune_params_keys"]) if name in result}

    def put(self, tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> str:
        """Put down one trial per run."""
        settings = self.configuration(tuning, result)
        measured = {n: v for n, v in result.items() if n not in settings and n not in _NO_MEASUREMENT}
        tuning.left.update(dict.fromkeys(n for n in _COSTS if n in result))
        return tuning.put(where, (result.get("times"), result.get("time")), settings, measured, _ROLE)


_T4 = tuple(
    tuple(map(re.compile, keys))
    for keys in (
        (rb'"results"\s*:\s*\[\s*\]', rb'"(?:schema_version|metadata)"\s*:'),
        (rb'"results"\s*:\s*\[\s*\{', rb'"configuration"\s*:', rb'"(?:invalidity|runtimes)"\s*:'),
        (rb'\{\s*"metadata"\s*:\s*\{\s*"(?:hardware|environment|zenodo)"\s*:\s*\{',),
    )
)
"""No results yet, some, or the metadata alone."""


class KernelTunerT4(tuner.TunerReader):
    """Reads T4 results: each measured execution of a correct configuration is a trial."""

    label = "T4 auto-tuning results"
    signs = (OBJECT, _T4)
    member = "results"
    lacks = "is T4 without results: it may be the metadata. Import the file with results."

    def tuning(self, builder: Builder, document: Mapping[str, Any]) -> tuner.Tuning:
        """Return what the metadata say; the unit of times may stand with each of them instead."""
        metadata = tuner.member(document, "metadata")
        machine, application = (
            next((plain(metadata[key]) for key in keys if isinstance(metadata.get(key), str)), "")
            for keys in (_DEVICE, _KERNEL)
        )
        said = plain(metadata.get("timeunit")) or _unit_of_times(document)
        unit = tuner.time_unit(builder.source, said or "milliseconds")
        if not said:
            builder.tell("does not say its time unit: read as milliseconds, Kernel Tuner's own.")
        size = tuner.size_text(metadata.get("problem_size"))
        return tuner.Tuning(builder, document, application or stem(builder.source), size, machine, unit)

    def failure(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> str:
        """Return why a configuration does not count; "" if it ran and gave the right answer."""
        invalidity = plain(result.get("invalidity"))
        return "" if invalidity in ("correct", "") else f"invalid: {shown(invalidity, 200)}"

    def configuration(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters of a result."""
        return tuner.member(result, "configuration")

    def put(self, tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> str:
        """Put down one trial per run."""
        spent = tuner.member(result, "times")
        tuning.left.update(dict.fromkeys(name for name in spent if name != "runtimes"))
        measurements = {plain(m.get("name")): m for m in tuner.objects(result, "measurements")}
        compiled = dict(_flat(tuner.member(result, "compilation_data")))
        means = [m.get("value") for m in tuner.objects(result, "measurements") if m.get("name") == "time"]
        measured = {name: m.get("value") for name, m in measurements.items() if name not in ("time", "")}

        def role(name: str) -> Role:
            if name not in measurements:
                return Role(name, "byte" if _BYTES.fullmatch(name) else "", Kind.DETERMINISTIC)
            kind = plain(measurements[name].get("type"))
            counted = bool(kind) or "__" in name  # KTT types its counters; ncu's names have two underscores
            unit = plain(measurements[name].get("unit")) or (tuner.counter_unit(name, kind) if counted else "")
            return Role(name, unit, Kind.COUNTER if counted else Kind.RESPONSE)

        times = (spent.get("runtimes"), next(iter(means), None))
        return tuning.put(where, times, self.configuration(tuning, result), measured | compiled, role)


def _unit_of_times(document: Mapping[str, Any]) -> str:
    """Return the unit that measurements called time have, if there is one that all of them have."""
    measured = (m for result in tuner.objects(document, "results") for m in tuner.objects(result, "measurements"))
    units = {plain(m.get("unit")) for m in measured if m.get("name") == "time"}
    return units.pop() if len(units) == 1 else ""


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield numbers by name; those of a launch size as `global_size x`."""
    for name, value in values.items():
        inner = {f"{name} {axis}": size for axis, size in value.items()} if isinstance(value, dict) else {name: value}
        for own, size in inner.items():
            if (known := number(size)) is not None:
                yield own, known
