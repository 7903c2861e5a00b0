"""KTT's JSON: configurations with the kernels that each ran, their times, compilation data and counters."""

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
from core.ingest.readers._tuners.ktt import COMPILED, counter_unit
from core.trial import Import, Kind

_COSTS = re.compile(r"\w*(?:Overhead|Duration)")


class KttJson(Reader):
    """Reads KTT's JSON: each kernel that a configuration ran is a trial."""

    label: ClassVar[str] = "KTT JSON"

    def sniff(self, head: bytes) -> bool:
        """Whether the head is an object with KTT's metadata and results."""
        return head.lstrip().startswith(b"{") and bool(
            re.search(rb'"Metadata"\s*:\s*\{', head)
            and re.search(rb'"(?:ComputationResults|KttVersion|GlobalSizeType)"\s*:', head)
        )

    def read(self, file: SourceFile, mapping: Choices | None = None) -> Import:
        """Return one trial per kernel and configuration; those whose status is not Ok are skipped."""
        text = open_text(file)
        document, cut = load_cut(text.name, text.raw, "Results", "[")
        results = document.get("Results") if isinstance(document, dict) else None
        if not isinstance(results, list):
            raise ReadError(f"{text.name} has no 'Results' of KTT, so it holds no measurements. Run the tuning again.")
        builder = Builder(text.name, text.sha256, "ktt_json")
        run = _Run(builder, tuner.member(document, "Metadata"), results)
        for at, result in enumerate(results, start=1):
            run.add(f"result {at}", result)
        tuner.tell_left_out(builder, list(run.left), "as sums over kernels or costs of tuning")
        if cut:
            builder.skip(cut, "the file breaks off; tuning was stopped or still ran")
        return builder.build(text.warnings)


class _Run:
    """What holds for all results of one file."""

    def __init__(self, builder: Builder, metadata: Mapping[str, Any], results: list[Any]) -> None:
        self.builder, self.machine = builder, plain(metadata.get("Device"))
        self.unit = tuner.time_unit(builder.source, plain(metadata.get("TimeUnit")))
        self.numbers = tuner.numeric(_configuration(r) for r in results if isinstance(r, dict) and not _failure(r))
        self.left: dict[str, None] = {}

    def add(self, where: str, result: Any) -> None:
        """Add the kernels of one configuration."""
        why = _failure(result) if isinstance(result, dict) else "no object"
        if why:
            self.builder.skip(where, why)
            return
        kernels = tuner.objects(result, "ComputationResults")
        if not kernels:
            self.builder.skip(where, "no kernel was measured")
        for at, kernel in enumerate(kernels, start=1):
            self._add_kernel(f"{where} kernel {at}" if len(kernels) > 1 else where, result, kernel)
        self.left.update(dict.fromkeys(name for name in result if _COSTS.fullmatch(name)))

    def _add_kernel(self, where: str, result: Mapping[str, Any], kernel: Mapping[str, Any]) -> None:
        time = number(kernel.get("Duration"))
        if time is None or isinstance(kernel.get("Duration"), bool):
            self.builder.skip(where, "no time was measured")
            return
        owner = plain(result.get("KernelName"))
        application = plain(kernel.get("KernelFunction")) or owner or stem(self.builder.source)
        trial = self.builder.trial(application, machine=self.machine, where=where)
        self.builder.label(trial, "kernel", owner)
        self.builder.put(trial, TIME, time, self.unit, Kind.RESPONSE)
        tuner.put_parameters(self.builder, trial, _configuration(result), self.numbers)
        for name, value, unit in _known(kernel):
            self.builder.put(trial, name, value, unit)
        profiling = tuner.member(kernel, "ProfilingData")
        if number(profiling.get("RemainingProfilingRuns")):
            self.builder.warn(f"{self.builder.source}: some counters are missing, as not all profiling runs were made.")


def _known(kernel: Mapping[str, Any]) -> Iterator[tuple[str, float, str]]:
    """Yield (name, value, unit) of launch sizes, compilation data and counters."""
    for size in ("GlobalSize", "LocalSize"):
        for axis, value in tuner.member(kernel, size).items():
            yield from _one(f"{size} {axis}", value, "")
    for name, value in tuner.member(kernel, "CompilationData").items():
        yield from _one(name, value, COMPILED.get(name.lower(), ""))
    for counter in tuner.objects(tuner.member(kernel, "ProfilingData"), "Counters"):
        name = plain(counter.get("Name"))
        if name:
            yield from _one(name, counter.get("Value"), counter_unit(name, plain(counter.get("Type"))))


def _one(name: str, value: Any, unit: str) -> Iterator[tuple[str, float, str]]:
    known = None if isinstance(value, bool) else number(value)
    if known is not None:
        yield name, known, unit


def _configuration(result: Mapping[str, Any]) -> dict[str, Any]:
    pairs = tuner.objects(result, "Configuration")
    return {plain(pair.get("Name")): pair.get("Value") for pair in pairs if pair.get("Name")}


def _failure(result: Mapping[str, Any]) -> str:
    """Return why a result does not count; "" if its status is Ok."""
    status = plain(result.get("Status"))
    return "" if status in ("Ok", "") else f"status {shown(status)}"
