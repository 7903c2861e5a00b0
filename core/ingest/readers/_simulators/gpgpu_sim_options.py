"""The options at the top of a GPGPU-Sim log: the simulated design point, as numbers and texts."""

import re
from dataclasses import dataclass, field

from core.ingest._vocabulary import vocabulary

CLOCKS = "gpgpu_clock_domains"
DRAM_TIMING = "gpgpu_dram_timing_opt"

_OPTION = re.compile(r"-([A-Za-z]\S*)\s+(?:(\S.*?)\s+)?#(?:\s.*)?")
_TIMING = re.compile(r"([A-Za-z]\w*)\s+(-?\d+) #(?:\s.*)?")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CACHE = re.compile(r"(?:[A-Z]:)?(\d+):(\d+):(\d+),[A-Z]:[A-Z]:[a-z]:[A-Z](?::[A-Z])?,.*")
_FILES = vocabulary(
    "trace gpgpu_ptx_inst_debug_file visualizer_outputfile ptx_line_stats_filename hw_perf_file_name hw_perf_bench_name"
)
"""Options that name a file to read or write: they say nothing of the design."""
_CLOCK_NAMES = ("core", "interconnect", "l2", "dram")


@dataclass
class Options:
    """Options as the log says them: value by name, and what was noticed."""

    values: dict[str, str] = field(default_factory=dict)
    timing: dict[str, str] = field(default_factory=dict)
    twice: dict[str, tuple[str, str]] = field(default_factory=dict)

    def take(self, line: str) -> bool:
        """Take an option's line; whether it is one."""
        found = _OPTION.fullmatch(line)
        if not found:
            return False
        name, value = found.group(1), (found.group(2) or "").strip()
        before = self.values.get(name, value)
        if before != value:
            self.twice[name] = (before, value)
        self.values[name] = value
        return True

    def take_timing(self, line: str) -> bool:
        """Take a line of the DRAM timing that follows the options; whether it is one."""
        found = _TIMING.fullmatch(line)
        if found:
            self.timing[found.group(1)] = found.group(2)
        return found is not None

    def numbers(self) -> list[tuple[str, float, str]]:
        """Return (name, value, unit) of what is a number, parts of caches and clocks among them."""
        plain = [(name, float(text), "") for name, text in self.values.items() if _NUMBER.fullmatch(text)]
        timing = [(f"{DRAM_TIMING} {name}", float(text), "") for name, text in self.timing.items()]
        return [*plain, *timing, *self._cache_numbers(), *self._clock_numbers(), *self._pipeline_numbers()]

    def texts(self) -> list[tuple[str, str, bool]]:
        """Return (name, text, whether it is part of the design) of what is no number."""
        return [(n, t, n not in _FILES) for n, t in self.values.items() if t and not _NUMBER.fullmatch(t)]

    def core_clock(self) -> float | None:
        """Return the core clock in MHz, unless the log does not say it or lets it vary."""
        clocks = self._clocks()
        varies = self.values.get("dvfs_enabled", "0") != "0"
        return clocks[0] if clocks and clocks[0] > 0 and not varies else None

    def _clocks(self) -> list[float]:
        parts = self.values.get(CLOCKS, "").split(":")
        return [float(p) for p in parts] if len(parts) == 4 and all(_NUMBER.fullmatch(p) for p in parts) else []

    def _clock_numbers(self) -> list[tuple[str, float, str]]:
        return [(f"{CLOCKS} {n}", value, "MHz") for n, value in zip(_CLOCK_NAMES, self._clocks(), strict=False)]

    def _pipeline_numbers(self) -> list[tuple[str, float, str]]:
        name = "gpgpu_shader_core_pipeline"
        found = re.fullmatch(r"(\d+):(\d+)", self.values.get(name, ""))
        parts = zip(("threads", "warp size"), found.groups(), strict=True) if found else ()
        return [(f"{name} {part}", float(text), "") for part, text in parts]

    def _cache_numbers(self) -> list[tuple[str, float, str]]:
        numbers: list[tuple[str, float, str]] = []
        for name, text in self.values.items():
            found = _CACHE.fullmatch(text) if "cache:" in name else None
            if found:
                sets, block, ways = (float(group) for group in found.groups())
                numbers += [(f"{name} sets", sets, ""), (f"{name} block", block, "byte")]
                numbers += [(f"{name} associativity", ways, "")]
        return numbers
