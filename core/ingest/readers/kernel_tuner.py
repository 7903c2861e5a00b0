"""Kernel Tuner's cache: configurations with the times of their runs, also while it is still being written."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from core.errors import ReadError
from core.ingest.names import shown, stem
from core.ingest.readers._builder import Builder
from core.ingest.readers._json import number
from core.ingest.readers._json import text as plain
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


class KernelTuner(tuner.TunerReader):
    """Reads the cache file of Kernel Tuner: each measured execution of a configuration is a trial."""

    label: ClassVar[str] = "Kernel Tuner cache"
    signs = (tuner.OBJECT, re.compile(rb'"tune_params_keys"\s*:\s*\['), _KEYS)
    tells = (b"tune_params_keys",)
    member, opening = "cache", "{"
    lacks = "has no 'cache' of configurations, so it holds no times of Kernel Tuner."

    def put(self, builder: Builder, document: Mapping[str, Any], results: Any) -> None:
        """Put down one trial per run; configurations that failed are skipped with their reason."""
        keys = document.get("tune_params_keys")
        if not isinstance(keys, list):
            raise ReadError(f"{builder.source} {self.lacks}")
        names, size = [plain(key) for key in keys], document.get("problem_size")
        good = {key: entry for key, entry in results.items() if _usable(builder, document, key, entry)}
        numbers = tuner.numeric({n: entry[n] for n in names if n in entry} for entry in good.values())
        application = plain(document.get("kernel_name")) or stem(builder.source)
        machine = plain(document.get("device_name"))
        tuning = tuner.Tuning(builder, application, tuner.size_text(size), machine, "ms", numbers)
        for key, entry in good.items():
            settings = {name: entry[name] for name in numbers if name in entry}
            measured = {n: v for n, v in entry.items() if n not in settings and n not in _NO_MEASUREMENT}
            tuning.put(f"configuration '{shown(key)}'", _times(entry), settings, measured, _about)
        _say_sizes(tuning, size)
        left = {n for entry in good.values() for n in entry if n in _COSTS}
        tuning.left.update(dict.fromkeys(n for n in _COSTS if n in left))
        tuning.tell_left_out()


def _usable(builder: Builder, document: Mapping[str, Any], key: str, entry: Any) -> bool:
    why = _failure(entry, plain(document.get("objective") or "time")) if isinstance(entry, dict) else "no object"
    if why:
        builder.skip(f"configuration '{shown(key)}'", why)
    return not why


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
    single, mean = _times(entry)
    return "" if tuner.measured_times(single) or tuner.measured_times([mean]) else "no time was measured"


def _times(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the times of the runs, in milliseconds, and their mean."""
    return entry.get("times"), entry.get("time")


def _about(name: str) -> tuple[str, Kind]:
    unit = next((unit for form, unit in _UNITS if form.fullmatch(name)), "")
    return unit, Kind.COUNTER if _COUNTER.fullmatch(name) else Kind.RESPONSE


def _say_sizes(tuning: tuner.Tuning, size: Any) -> None:
    sizes = {f"problem_size_{axis}": v for axis, v in zip("xyz", size, strict=False)} if isinstance(size, list) else {}
    for name, value in (sizes or {"problem_size": size}).items():
        known = tuner.setting(value)
        if known is not None and len(tuning.builder):
            tuning.builder.of_input(tuning.application, tuning.input, name, known)
