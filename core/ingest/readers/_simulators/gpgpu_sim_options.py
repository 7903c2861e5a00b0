"""The options at the top of a GPGPU-Sim log: the simulated design point, as numbers and texts."""

import re
from dataclasses import dataclass, field

from core.ingest.readers._declared import DECLARED

CLOCKS = "gpgpu_clock_domains"
DRAM_TIMING = "gpgpu_dram_timing_opt"

_OPTION = re.compile(r"-([A-Za-z]\S*)\s+(?:(\S.*?)\s+)?#(?:\s.*)?")
_TIMING = re.compile(r"([A-Za-z]\w*)\s+(-?\d+) #(?:\s.*)?")
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PARTS, _FILES = DECLARED["gpgpu_sim"]["parts"], DECLARED["gpgpu_sim"]["files"]


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
            for holds, form, *names in _PARTS
            for name, value in self.values.items()
            if holds in name and (found := re.fullmatch(form, value))
            for (part, unit), text in zip(names, found.groups(), strict=True)
        ]
        return [*plain, *timing, *parts]

    def texts(self) -> list[tuple[str, str, bool]]:
        """Return (name, text, whether it is part of the design) of what is no number."""
        return [(n, t, n not in _FILES) for n, t in self.values.items() if t and not _NUMBER.fullmatch(t)]

    def core_clock(self) -> float | None:
        """Return the core clock in MHz, unless the log does not say it or lets it vary."""
        clock = next((value for name, value, _ in self.numbers() if name == f"{CLOCKS} core"), 0.0)
        return clock if clock > 0 and self.values.get("dvfs_enabled", "0") == "0" else None
