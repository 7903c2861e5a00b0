"""The options at the top of a GPGPU-Sim log: the simulated design point, as numbers and texts."""

import re
from dataclasses import dataclass, field

from core.ingest._vocabulary import vocabulary

CLOCKS = "gpgpu_clock_domains"
DRAM_TIMING = "gpgpu_dram_timing_opt"

_OPTION = re.compile(r"-([A-Za-z]\S*)\s+(?:(\S.*?)\s+)?#(?:\s.*)?")
_TIMING = re.compile(r"([A-Za-z]\w*)\s+(-?\d+) #(?:\s.*)?")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_CLOCKS = re.compile(":".join([rf"({_NUMBER.pattern})"] * 4))
_PARTS = (
    (
        "cache:",
        re.compile(r"(?:[A-Z]:)?(\d+):(\d+):(\d+),[A-Z]:[A-Z]:[a-z]:[A-Z](?::[A-Z])?,.*"),
        (("sets", ""), ("block", "byte"), ("associativity", "")),
    ),
    (CLOCKS, _CLOCKS, (("core", "MHz"), ("interconnect", "MHz"), ("l2", "MHz"), ("dram", "MHz"))),
    ("gpgpu_shader_core_pipeline", re.compile(r"(\d+):(\d+)"), (("threads", ""), ("warp size", ""))),
)
"""What the name of an option holds whose value has parts, how it is written, and what its parts are."""
_FILES = vocabulary(
    "trace gpgpu_ptx_inst_debug_file visualizer_outputfile ptx_line_stats_filename hw_perf_file_name hw_perf_bench_name"
)
"""Options that name a file to read or write: they say nothing of the design."""


@dataclass
class Options:
    """Options as the log says them: value by name, and what was noticed."""

    values: dict[str, str] = field(default_factory=dict)
    timing: dict[str, str] = field(default_factory=dict)
    twice: dict[str, tuple[str, str]] = field(default_factory=dict)

    def take(self, line: str) -> None:
        """Take a line if it is an option's."""
        if found := _OPTION.fullmatch(line):
            name, value = found.group(1), (found.group(2) or "").strip()
            if (before := self.values.get(name, value)) != value:
                self.twice[name] = (before, value)
            self.values[name] = value

    def take_timing(self, line: str) -> bool:
        """Take a line of the DRAM timing that follows the options; whether it is one."""
        if found := _TIMING.fullmatch(line):
            self.timing[found.group(1)] = found.group(2)
        return found is not None

    def numbers(self) -> list[tuple[str, float, str]]:
        """Return (name, value, unit) of what is a number, parts of caches and clocks among them."""
        plain = [(name, float(text), "") for name, text in self.values.items() if _NUMBER.fullmatch(text)]
        timing = [(f"{DRAM_TIMING} {name}", float(text), "") for name, text in self.timing.items()]
        parts = [
            (f"{name} {part}", float(text), unit)
            for holds, form, names in _PARTS
            for name, value in self.values.items()
            if holds in name and (found := form.fullmatch(value))
            for (part, unit), text in zip(names, found.groups(), strict=True)
        ]
        return [*plain, *timing, *parts]

    def texts(self) -> list[tuple[str, str, bool]]:
        """Return (name, text, whether it is part of the design) of what is no number."""
        return [(n, t, n not in _FILES) for n, t in self.values.items() if t and not _NUMBER.fullmatch(t)]

    def core_clock(self) -> float | None:
        """Return the core clock in MHz, unless the log does not say it or lets it vary."""
        clocks = _CLOCKS.fullmatch(self.values.get(CLOCKS, ""))
        varies = self.values.get("dvfs_enabled", "0") != "0"
        return float(clocks[1]) if clocks and float(clocks[1]) > 0 and not varies else None
