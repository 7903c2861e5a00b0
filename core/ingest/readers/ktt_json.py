"""KTT's JSON: configurations with the kernels that each ran, their times, compilation data and counters."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from core.ingest.names import shown, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._json import number
from core.ingest.readers._json import text as plain
from core.ingest.readers._tuners import tuner
from core.ingest.readers._tuners.ktt import COMPILED, counter_unit
from core.trial import Kind

_OURS = re.compile(rb'"(?:ComputationResults|KttVersion|GlobalSizeType)"\s*:')
_COSTS = re.compile(r"\w*(?:Overhead|Duration)")


class KttJson(tuner.TunerReader):
    """Reads KTT's JSON: each kernel that a configuration ran is a trial."""

    label: ClassVar[str] = "KTT JSON"
    signs = (tuner.OBJECT, re.compile(rb'"Metadata"\s*:\s*\{'), _OURS)
    tells = (b'"metadata"',)
    member = "Results"
    lacks = "has no 'Results' of KTT, so it holds no measurements. Run the tuning again."

    def put(self, builder: Builder, document: Mapping[str, Any], results: Any) -> None:
        """Put down one trial per kernel and configuration; those whose status is not Ok are skipped."""
        metadata = tuner.member(document, "Metadata")
        unit = tuner.time_unit(builder.source, plain(metadata.get("TimeUnit")))
        numbers = tuner.numeric(_configuration(r) for r in results if isinstance(r, dict) and not _failure(r))
        tuning = tuner.Tuning(builder, "", "", plain(metadata.get("Device")), unit, numbers)
        left: dict[str, None] = {}
        for at, result in enumerate(results, start=1):
            where = f"result {at}"
            why = _failure(result) if isinstance(result, dict) else "no object"
            kernels = [] if why else tuner.objects(result, "ComputationResults")
            if not kernels:
                builder.skip(where, why or "no kernel was measured")
            for place, kernel in enumerate(kernels, start=1):
                _put(tuning, f"{where} kernel {place}" if len(kernels) > 1 else where, result, kernel)
            left.update(dict.fromkeys(name for name in ({} if why else result) if _COSTS.fullmatch(name)))
        tuner.tell_left_out(builder, list(left), "as sums over kernels or costs of tuning")


def _put(tuning: tuner.Tuning, where: str, result: Mapping[str, Any], kernel: Mapping[str, Any]) -> None:
    builder, time = tuning.builder, number(kernel.get("Duration"))
    if time is None:
        builder.skip(where, "no time was measured")
        return
    owner = plain(result.get("KernelName"))
    application = plain(kernel.get("KernelFunction")) or owner or stem(builder.source)
    trial = builder.trial(application, machine=tuning.machine, where=where, labels={"kernel": owner})
    builder.put(trial, TIME, time, tuning.unit, Kind.RESPONSE)
    tuner.put_parameters(builder, trial, _configuration(result), tuning.numbers)
    for name, value, own, kind in _known(kernel):
        if (known := number(value)) is not None:
            builder.put(trial, name, known, own, kind)
    if number(tuner.member(kernel, "ProfilingData").get("RemainingProfilingRuns")):
        builder.warn(f"{builder.source}: some counters are missing, as not all profiling runs were made.")


def _known(kernel: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, Kind]]:
    """Yield (name, value, unit, kind) of launch sizes, compilation data and counters."""
    for size in ("GlobalSize", "LocalSize"):
        for axis, value in tuner.member(kernel, size).items():
            yield f"{size} {axis}", value, "", Kind.DETERMINISTIC
    for name, value in tuner.member(kernel, "CompilationData").items():
        yield name, value, COMPILED.get(name.lower(), ""), Kind.DETERMINISTIC
    for counter in tuner.objects(tuner.member(kernel, "ProfilingData"), "Counters"):
        if name := plain(counter.get("Name")):
            yield name, counter.get("Value"), counter_unit(name, plain(counter.get("Type"))), Kind.COUNTER


def _configuration(result: Mapping[str, Any]) -> dict[str, Any]:
    pairs = tuner.objects(result, "Configuration")
    return {plain(pair.get("Name")): pair.get("Value") for pair in pairs if pair.get("Name")}


def _failure(result: Mapping[str, Any]) -> str:
    """Return why a result does not count; "" if its status is Ok."""
    status = plain(result.get("Status"))
    return "" if status in ("Ok", "") else f"status {shown(status)}"
