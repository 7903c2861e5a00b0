"""KTT's JSON: configurations with the kernels that each ran."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.ingest.names import shown, stem
from core.ingest.readers._builder import TIME, Builder
from core.ingest.readers._text import OBJECT, number, plain
from core.ingest.readers._tuners import tuner
from core.trial import Kind

_OURS = re.compile(rb'"(?:ComputationResults|KttVersion|GlobalSizeType)"\s*:')
_COSTS = re.compile(r"\w*(?:Overhead|Duration)")


class KttJson(tuner.TunerReader):
    """Reads KTT's JSON: each kernel that a configuration ran is a trial."""

    label = "KTT JSON"
    signs = (OBJECT, re.compile(rb'"Metadata"\s*:\s*\{'), _OURS)
    tells = (b'"metadata"',)
    member = "Results"
    lacks = "has no 'Results' of KTT, so it holds no measurements. Run the tuning again."

    costs = "as sums over kernels or costs of tuning"

    def tuning(self, builder: Builder, document: Mapping[str, Any]) -> tuner.Tuning:
        """Return what the metadata say."""
        metadata = tuner.member(document, "Metadata")
        unit = tuner.time_unit(builder.source, plain(metadata.get("TimeUnit")))
        return tuner.Tuning(builder, document, "", "", plain(metadata.get("Device")), unit)

    def failure(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> str:
        """Return why a result does not count; "" if its status is Ok."""
        status = plain(result.get("Status"))
        return "" if status in ("Ok", "") else f"status {shown(status)}"

    def configuration(self, tuning: tuner.Tuning, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters of a result, which are a list of pairs."""
        pairs = tuner.objects(result, "Configuration")
        return {plain(pair.get("Name")): pair.get("Value") for pair in pairs if pair.get("Name")}

    def put(self, tuning: tuner.Tuning, where: str, result: Mapping[str, Any]) -> str:
        """Put down one trial per kernel."""
        tuning.left.update(dict.fromkeys(name for name in result if _COSTS.fullmatch(name)))
        kernels, settings = tuner.objects(result, "ComputationResults"), self.configuration(tuning, result)
        for place, kernel in enumerate(kernels, start=1):
            own = f"{where} kernel {place}" if len(kernels) > 1 else where
            _put(tuning, own, plain(result.get("KernelName")), settings, kernel)
        return "" if kernels else "no kernel was measured"


def _put(tuning: tuner.Tuning, where: str, owner: str, settings: Mapping[str, Any], kernel: Mapping[str, Any]) -> None:
    builder, time = tuning.builder, number(kernel.get("Duration"))
    if time is None:
        builder.skip(where, "no time was measured")
        return
    application = plain(kernel.get("KernelFunction")) or owner or stem(builder.source)
    trial = builder.trial(application, machine=tuning.machine, where=where, labels={"kernel": owner})
    builder.put(trial, TIME, time, tuning.unit, Kind.RESPONSE)
    tuner.put_parameters(builder, trial, settings, tuning.numbers)
    for name, value, own, kind in _known(kernel):
        if (known := number(value)) is not None:
            builder.put(trial, name, known, own, kind)
    if number(tuner.member(kernel, "ProfilingData").get("RemainingProfilingRuns")):
        builder.note("some counters are missing, as not all profiling runs were made.")


def _known(kernel: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, Kind]]:
    """Yield (name, value, unit, kind) of launch sizes, compilation data and counters."""
    for size in ("GlobalSize", "LocalSize"):
        for axis, value in tuner.member(kernel, size).items():
            yield f"{size} {axis}", value, "", Kind.DETERMINISTIC
    for name, value in tuner.member(kernel, "CompilationData").items():
        yield name, value, "byte" * name.endswith("MemorySize"), Kind.DETERMINISTIC
    for counter in tuner.objects(tuner.member(kernel, "ProfilingData"), "Counters"):
        if name := plain(counter.get("Name")):
            yield name, counter.get("Value"), tuner.counter_unit(name, plain(counter.get("Type"))), Kind.COUNTER
