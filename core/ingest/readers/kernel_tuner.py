"""Kernel Tuner's cache: configurations with the times of their runs, also while it is still being written."""

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
from core.trial import Import, Kind

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


class KernelTuner(Reader):
    """Reads the cache file of Kernel Tuner: each measured execution of a configuration is a trial."""

    label: ClassVar[str] = "Kernel Tuner cache"

    def sniff(self, head: bytes) -> bool:
        """Whether the head is an object that names tuning parameters and holds a cache."""
        return head.lstrip().startswith(b"{") and bool(
            re.search(rb'"tune_params_keys"\s*:\s*\[', head)
            and re.search(rb'"(?:cache|device_name|kernel_name)"\s*:', head)
        )

    def read(self, file: SourceFile, mapping: Choices | None = None) -> Import:
        """Return one trial per run; configurations that failed are skipped with their reason."""
        text = open_text(file)
        document, cut = load_cut(text.name, text.raw, "cache", "{")
        builder = Builder(text.name, text.sha256, "kernel_tuner")
        keys = document.get("tune_params_keys") if isinstance(document, dict) else None
        entries = document.get("cache") if isinstance(document, dict) else None
        if not isinstance(entries, dict) or not isinstance(keys, list):
            raise ReadError(f"{text.name} has no 'cache' of configurations, so it holds no times of Kernel Tuner.")
        names = [plain(key) for key in keys]
        good = {key: entry for key, entry in entries.items() if _usable(builder, document, key, entry)}
        numbers = tuner.numeric({n: entry[n] for n in names if n in entry} for entry in good.values())
        for key, entry in good.items():
            _add(builder, document, key, entry, numbers)
        _say_sizes(builder, document)
        left = {n for entry in good.values() for n in entry if n in _COSTS}
        tuner.tell_left_out(builder, [n for n in _COSTS if n in left], "as costs of tuning and not of the kernel")
        _tell_odd(builder, good.values(), names)
        if cut:
            builder.skip(cut, "the file breaks off; tuning was stopped or still ran")
        return builder.build(text.warnings)


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
    return "" if _times(entry) else "no time was measured"


def _times(entry: Mapping[str, Any]) -> list[float | None]:
    """Return the times of the runs, or their mean where only that was kept, in milliseconds."""
    return tuner.measured_times(entry.get("times")) or tuner.measured_times([entry.get("time")])


def _add(
    builder: Builder, document: Mapping[str, Any], key: str, entry: Mapping[str, Any], numbers: Mapping[str, bool]
) -> None:
    times = _times(entry)
    if not tuner.measured_times(entry.get("times")):
        builder.warn(f"{builder.source}: where single times are not kept, their mean is the trial.")
    settings = {name: entry[name] for name in numbers if name in entry}
    measured = [(name, _unit(name), values) for name, values in _measurements(entry, settings, len(times))]
    application, input = _application(builder, document), tuner.size_text(document.get("problem_size"))
    machine = plain(document.get("device_name"))
    for run, time in enumerate(times):
        where = f"configuration '{shown(key)}' run {run + 1}"
        if time is None:
            builder.skip(where, "its time is no number")
            continue
        trial = builder.trial(application, input=input, machine=machine, where=where)
        builder.put(trial, TIME, time, "ms", Kind.RESPONSE)
        tuner.put_parameters(builder, trial, settings, numbers)
        for name, unit, values in measured:
            kind = Kind.COUNTER if _COUNTER.fullmatch(name) else Kind.RESPONSE
            builder.put(trial, name, values[run], unit, kind)


def _measurements(
    entry: Mapping[str, Any], settings: Mapping[str, Any], n_runs: int
) -> Iterator[tuple[str, list[float | None]]]:
    """Yield what else was measured or computed of a configuration, by run."""
    for name, value in tuner.one_quantity(entry, n_runs).items():
        values = None if name in settings or name in _NO_MEASUREMENT else tuner.per_run(value, n_runs)
        if values is not None:
            yield name, values


def _tell_odd(builder: Builder, entries: Any, parameters: list[str]) -> None:
    odd: dict[str, None] = {}
    for entry in entries:
        n_runs = len(_times(entry))
        known = {name for name, _ in _measurements(entry, {}, n_runs)} | _NO_MEASUREMENT | set(parameters)
        odd.update(dict.fromkeys(n for n in tuner.one_quantity(entry, n_runs) if n not in known))
    tuner.tell_left_out(builder, list(odd), "as neither one number nor one for each run")


def _unit(name: str) -> str:
    return next((unit for form, unit in _UNITS if form.fullmatch(name)), "")


def _application(builder: Builder, document: Mapping[str, Any]) -> str:
    return plain(document.get("kernel_name")) or stem(builder.source)


def _say_sizes(builder: Builder, document: Mapping[str, Any]) -> None:
    size = document.get("problem_size")
    sizes = {f"problem_size_{axis}": v for axis, v in zip("xyz", size, strict=False)} if isinstance(size, list) else {}
    for name, value in (sizes or {"problem_size": size}).items():
        known = tuner.setting(value)
        if known is not None and len(builder):
            builder.of_input(_application(builder, document), tuner.size_text(size), name, known)
