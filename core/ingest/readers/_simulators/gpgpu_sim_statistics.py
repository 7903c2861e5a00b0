"""What each statistic of GPGPU-Sim counts: one launch, or the run so far, which is differenced over launches."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.ingest._vocabulary import data_of, in_order
from core.ingest.readers._simulators.gpgpu_sim_log import Block, Simulation, Statistic

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
