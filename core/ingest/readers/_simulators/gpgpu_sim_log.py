"""The lines of a GPGPU-Sim or Accel-Sim log, sorted into simulations, launches and blocks of statistics."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.frozen import Frozen
from core.ingest._vocabulary import data_of, in_order
from core.ingest.readers._declared import DECLARED

CLOCKS = "gpgpu_clock_domains"
DRAM_TIMING = "gpgpu_dram_timing_opt"

_OPTION = re.compile(r"-([A-Za-z]\S*)\s+(?:(\S.*?)\s+)?#(?:\s.*)?")
_TIMING = re.compile(r"([A-Za-z]\w*)\s+(-?\d+) #(?:\s.*)?")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
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


_FORMS = {said: "|".join(in_order(forms)) for said, forms in data_of(__package__, "statistics.toml").items()}
_OF_LAUNCH, _KNOWN_TOTAL = re.compile(_FORMS["of_launch"]), re.compile(_FORMS["known_total"])
_OF_THE_RUN = re.compile(_FORMS["of_the_run"], re.IGNORECASE)
_NO_METRICS = [re.compile(_FORMS[said]) for said in ("about_the_host", "said_by_launch", "names_something")]
_MISS_RATE = "_total_cache_miss_rate"
_STREAM = re.compile(r"\[Stream_\d+\]")
_ONLY_ABOVE_ZERO = re.compile(r"\w+_breakdown\w*\[.*\]")
_UNTOLD = Statistic(float("nan"), "", whole=False)
TWICE = ("gpu_tot_sim_cycle", "gpu_tot_sim_insn")
"""Totals whose differences are statistics of the launch itself: they check that no launch is missing."""


@dataclass
class Launch:
    """The statistics of one launch: value and unit by name; NaN where the log does not tell them.

    Attributes
    ----------
    known : whether the totals before this launch are known, so that theirs can be differenced
    first : whether the totals are its own
    """

    block: Block
    known: bool
    first: bool
    values: dict[str, tuple[float, str]] = field(default_factory=dict)


@dataclass
class Differences:
    """What was noticed while the totals of a log were differenced."""

    launches: list[Launch] = field(default_factory=list)
    of_the_run: dict[str, None] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    falling: dict[str, None] = field(default_factory=dict)
    gaps: list[int] = field(default_factory=list)
    zeros: bool = False


def differenced(simulations: Sequence[Simulation], repeated: set[str]) -> Differences:
    """Return the statistics of each launch; statistics that a block has more than once are no single numbers."""
    found = Differences()
    for simulation in simulations:
        launches = list(_launches(simulation, repeated, found))
        found.zeros |= _fill_breakdowns(launches)
        found.launches += launches
    return found


def _launches(simulation: Simulation, repeated: set[str], found: Differences) -> Iterator[Launch]:
    before: dict[str, float] = {}
    first = True
    for block in simulation.blocks:
        cycles, total = (block.values.get(name, _UNTOLD).value for name in ("gpu_sim_cycle", "gpu_tot_sim_cycle"))
        if total < before.get("gpu_tot_sim_cycle", 0.0):
            before, first = {}, True
        known = not abs(total - cycles - before.get("gpu_tot_sim_cycle", 0.0)) > 0.5  # NaN, no totals: known
        if not known:
            found.gaps.append(block.line)
        launch = Launch(block, known, first and known)
        for key, statistic in block.values.items():
            name = _STREAM.sub("", key)
            if key not in repeated and name not in TWICE and not any(rule.fullmatch(name) for rule in _NO_METRICS):
                value = _value(launch, name, statistic, before.get(key, 0.0), found)
                launch.values[name] = (launch.values.get(name, (0.0, ""))[0] + value, statistic.unit)
        _recompute_miss_rates(launch)
        yield launch
        before.update({key: s.value for key, s in block.values.items()})
        first = False


def _value(launch: Launch, name: str, statistic: Statistic, before: float, found: Differences) -> float:
    """Return what a statistic says of the launch alone, NaN if it does not say it."""
    if _OF_LAUNCH.fullmatch(name):
        return statistic.value
    if not statistic.whole or _OF_THE_RUN.search(name):
        if not name.endswith(_MISS_RATE):
            found.of_the_run[name] = None
        return statistic.value if launch.first else float("nan")
    if not _KNOWN_TOTAL.match(name):
        found.unknown[name] = None
    if (difference := statistic.value - before) < 0:
        found.falling[name] = None
    return difference if launch.known and difference >= 0 else float("nan")


def _recompute_miss_rates(launch: Launch) -> None:
    """Give later launches the miss rate of their own accesses, which the log says for the run only."""
    for name in [n for n in launch.values if n.endswith(_MISS_RATE)] if not launch.first else ():
        cache = name.removesuffix("_miss_rate")
        accesses = launch.values.get(f"{cache}_accesses", (0.0, ""))[0]
        misses = launch.values.get(f"{cache}_misses", (float("nan"), ""))[0]
        launch.values[name] = (misses / accesses if accesses > 0 else float("nan"), "")


def _fill_breakdowns(launches: list[Launch]) -> bool:
    """Give 0 to breakdowns that other launches have: some versions print only what is above 0."""
    names = {name for launch in launches for name in launch.values if _ONLY_ABOVE_ZERO.fullmatch(name)}
    filled = False
    for launch in launches:
        missing = names - set(launch.values) if launch.known else set()
        launch.values.update(dict.fromkeys(sorted(missing), (0.0, "")))
        filled |= bool(missing)
    return filled
