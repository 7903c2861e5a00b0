"""The lines of a GPGPU-Sim or Accel-Sim log, sorted into simulations, launches and blocks of statistics."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.frozen import Frozen
from core.ingest.readers._simulators.gpgpu_sim_options import Options

_CYCLES = re.compile(r"gpu_sim_cycle\s*=")
_LIMIT = "** break due to reaching the maximum"
_TROUBLE = re.compile(
    r"GPGPU-Sim uArch: ERROR \*\*|GPGPU-Sim.*\bERROR\b|Segmentation fault|\bAborted\b|Assertion.*failed|"
    r"error while loading shared libraries|Floating point exception|ERROR:"
)
_BANNER = re.compile(r"\*\*\* GPGPU-Sim Simulator Version (\S+)")
_PUSHED = re.compile(r"pushing kernel '(.+)' to stream \d+, gridDim ?= ?\(([\d,]+)\) blockDim ?= ?\(([\d,]+)\)")
_BEGUN = re.compile(r"launching kernel name: .* uid: (\d+)|Shader \d+ bind to kernel (\d+) ")
_CORE_ENDED = re.compile(r"(?:Shader|Core) (\d+)(?: - .*:)? [Ff]inished CTA #\d+ \((\d+),")
_TRACED = re.compile(r"-(kernel name|grid dim|block dim|shmem|nregs) = (.*)")
_VALUE = re.compile(
    r"(-?nan|-?inf|none|[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?)\s*(%|[A-Za-z]+/[A-Za-z]+)?\s*(?:\{[^}]*\}|\(\d+ samples\))?",
    re.IGNORECASE,
)
_NO_KEY = re.compile(r"[:;,{}'\"<>]|-->")
_LONGEST_KEY = 200
GRID, BLOCK = "grid dim", "block dim"


class Statistic(Frozen):
    """A number as the log writes it; `value` is NaN where the log has none."""

    value: float
    unit: str
    whole: bool


@dataclass
class Shape:
    """What a launch is said to be before it runs: its name, and what was said by what it is of, such as `grid dim`."""

    name: str
    told: dict[str, str] = field(default_factory=dict)


@dataclass
class Block:
    """The statistics printed when launches ended.

    Attributes
    ----------
    names : of the kernels; None where the log does not speak of names
    beside : launches that still ran
    busy : by core, the cycle in which it had nothing left to do
    """

    line: int
    names: tuple[str, ...] | None = None
    uids: tuple[str, ...] = ()
    values: dict[str, Statistic] = field(default_factory=dict)
    section: str = ""
    headed: bool = False
    ended: bool = False
    beside: frozenset[str] = frozenset()
    busy: dict[int, float] = field(default_factory=dict)


@dataclass
class Simulation:
    """One run of the simulator."""

    line: int
    version: str = ""
    options: Options = field(default_factory=Options)
    shapes: list[Shape] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    exited: bool = False
    limit: int = 0
    trouble: tuple[int, str] = (0, "")


class Sorter:
    """Takes the lines of a log one by one."""

    def __init__(self) -> None:
        self.simulations = [Simulation(1)]
        self.left_out: Counter[str] = Counter()
        self.repeated: set[str] = set()
        self.last_line = 0
        self._block: Block | None = None
        self._running: set[str] = set()
        self._busy: dict[int, float] = {}
        self._in_timing = False

    def take_all(self, lines: Iterable[tuple[int, str]]) -> "Sorter":
        """Take numbered lines."""
        for number, line in lines:
            self.last_line = number
            self._take(number, line)
        self._close()
        return self

    def _take(self, number: int, line: str) -> None:
        known = self._block is None or "gpu_sim_cycle" in self._block.values
        if line.startswith("kernel_name =") or (known and _CYCLES.match(line)):
            self._close()
            self._block = Block(number)
        if self._block is None or not self._take_statistic(self._block, line):
            self._take_event(number, line)

    def _close(self) -> None:
        """End the block of statistics that is open, if any."""
        if self._block is not None and self._block.values:
            self._block.beside = frozenset(self._running - set(self._block.uids))
            self._running -= set(self._block.uids)
            self._block.busy, self._busy = self._busy, {}
            self.simulations[-1].blocks.append(self._block)
        self._block = None

    def _take_statistic(self, block: Block, line: str) -> bool:
        """Take a line of a block of statistics; False if the line may be an event instead."""
        if line.startswith(("gpgpu_simulation_time", "----------------------------END-of-Interconnect")):
            block.ended = True
            self._close()
            return True
        block.section, heading = _section(block, line)
        if heading:
            return True
        key, equals, rest = line.partition("=")
        key = " ".join(key.split())
        if key == "kernel_name" and equals:
            block.names = tuple(rest.split())
        elif key == "kernel_launch_uid" and equals:
            block.uids = tuple(rest.split())
        elif block.section == "partition":
            self.left_out["lines of single memory partitions"] += 1
        elif equals and key and key[0] != "-" and len(key) <= _LONGEST_KEY and not _NO_KEY.search(key):
            return self._take_value(block, key, rest)
        elif line.startswith(("GPGPU-Sim", "-")) or _BEGUN.match(line):
            return False
        else:
            self._count(line)
        return True

    def _take_value(self, block: Block, key: str, rest: str) -> bool:
        found = _VALUE.fullmatch(rest.strip())
        if block.section == "overall" or key in ("minimum", "maximum"):
            self.left_out["extremes and means over the runs of the interconnect's own statistics"] += 1
        elif not found:
            self._count(f"{key} {rest}")
        elif key in block.values:
            self.repeated.add(key)
        else:
            block.values[key] = _statistic(found.group(1).lower(), found.group(2) or "")
        return True

    def _count(self, line: str) -> None:
        """Count a line of numbers that is no single statistic, by its kind."""
        if "_core[" in line or "_cache_bank[" in line or line.startswith(("dram[", "Shader ")):
            self.left_out["lines of single cores, cache banks and DRAM channels"] += 1
        elif re.search(r"\d", line):
            self.left_out["histograms, distributions and other lines of several numbers"] += 1

    def _take_event(self, number: int, line: str) -> None:
        text = line.strip()
        if text.startswith("-"):
            self._take_dashed(text)
        elif self._in_timing and self.simulations[-1].options.take_timing(text):
            pass
        elif text.startswith(("GPGPU-Sim", "***", "launching kernel", "Accel-Sim [build")):
            self._take_message(number, text)
        elif text == "DRAM Timing Options:":
            self._in_timing = True
        if _TROUBLE.search(text) and not self.simulations[-1].trouble[0]:
            self.simulations[-1].trouble = (number, text)

    def _take_dashed(self, text: str) -> None:
        simulation = self.simulations[-1]
        if (traced := _TRACED.fullmatch(text)) and traced.group(1) == "kernel name":
            simulation.shapes.append(Shape(traced.group(2).strip()))
        elif traced and simulation.shapes:
            simulation.shapes[-1].told[traced.group(1)] = traced.group(2).strip()
        elif not simulation.blocks:
            simulation.options.take(text)

    def _take_message(self, number: int, text: str) -> None:
        banner = _BANNER.match(text)
        if banner or text.startswith(("GPGPU-Sim: Configuration options", "Accel-Sim [build")):
            self._begin(number)
        simulation = self.simulations[-1]
        if banner:
            simulation.version = banner.group(1)
        elif pushed := _PUSHED.search(text):
            simulation.shapes.append(Shape(pushed[1], {GRID: pushed[2], BLOCK: pushed[3]}))
        elif begun := _BEGUN.search(text):
            self._running.add(begun.group(1) or begun.group(2))
        elif core := _CORE_ENDED.search(text):
            self._busy[int(core.group(1))] = float(core.group(2))
        elif "*** exit detected ***" in text:
            simulation.exited = True
        elif _LIMIT in text:
            simulation.limit = simulation.limit or number

    def _begin(self, number: int) -> None:
        """Begin another simulation, unless the present one has only begun."""
        self._close()
        last = self.simulations[-1]
        if last.blocks or last.options.values or last.shapes:
            self.simulations.append(Simulation(number))
            self._running.clear()
            self._busy = {}
        self._in_timing = False


def _section(block: Block, line: str) -> tuple[str, bool]:
    """Return the part of a block that a line is in, and whether the line is its heading."""
    if line.startswith("Memory Partition ") or line.startswith("DRAM["):
        return "partition", True
    if line.startswith("====="):
        block.headed = True
        return ("overall" if "Overall" in line or block.section == "overall" else ""), True
    if line.startswith(("icnt_total", "L2_total_cache", "L2_cache_bank")):
        return "", False
    return block.section, line.startswith("-----")


def _statistic(text: str, unit: str) -> Statistic:
    written = float("nan" if text == "none" else text)
    value = written if math.isfinite(written) else math.nan
    return Statistic(value, unit.replace("/Sec", "/s"), text.lstrip("+-").isdigit())
