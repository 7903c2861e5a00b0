"""What limits kernels: published rules over counters, whatever a profiler calls these, and their verdicts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache

import numpy as np

from core.frozen import Frozen
from core.trial import Kind, Metric

SUBSYSTEMS = ("dram", "L2", "L1", "compute", "scheduler", "branch", "other")
_SIGNS = (
    ("branch", r"branch|diverg|bad.?spec|mispredict|_cbu\b|cf_fu|_cf_|BR_"),
    (
        "scheduler",
        r"occupancy|warp|block|grid|threads|registers|eligible|issue|stall|waves|scheduler|inst_level|SQ_WAIT|SQ_BUSY|retir|front|fe.bound",
    ),
    (
        "dram",
        r"dram|\bfb|fbpa|device memory|hbm|TCC_(?:EA|BUBBLE)|FetchSize|WriteSize|LLC.*miss|"
        r"max bandwidth|memory throughput \[byte|gti|mem.bound",
    ),
    ("L2", r"\bl2|_l2|lts__|ltc__|TCC_|LLC|L3"),
    ("L1", r"\bl1|l1tex|\btex|tex_|TCP_|\bT[AD]_|shared|smem|MemUnit|\bgld|\bgst|lds|local_|global_|slm"),
    ("compute", r"\bSM\b|sm__|smsp__|compute|fp|flop|fma|alu|valu|salu|mfma|inst|ipc|fpu|xu|tensor|pipe|eu|core.bound"),
)
_FAMILIES = [(family, re.compile(pattern, re.IGNORECASE)) for family, pattern in _SIGNS]
_UNITS = (
    "devicememory dram, l2cache l2, unifiedcache tex, texturecache tex, l1sharedmemory l1_shared, sharedmemory shared, "
    "arithmeticfunctionunit alu_fu, singleprecisionfunctionunit single_precision_fu, "
    "doubleprecisionfunctionunit double_precision_fu, halfprecisionfunctionunit half_precision_fu, "
    "specialfunctionunit special_fu"
)
_DESCRIBED = {
    **{f"{said}utilization": f"{unit}_utilization" for said, unit in map(str.split, _UNITS.split(", "))},
    **{f"floatingpointoperations{said}precision": f"flop_count_{said[0]}p" for said in ("single", "double", "half")},
    **{f"devicememory{way}transactions": f"dram_{way}_transactions" for way in ("read", "write")},
}
"""nvprof's metrics by the letters of their descriptions, as tables of its output often head their columns."""
_WITH_UNIT = re.compile(r"\s*\[[^\]]*\]$|\s*\(%\)$")
_MODIFIERS = re.compile(r":[ukhp]+$|^\w+/([^/]+)/[ukhp]*$")


def subsystem(name: str) -> str:
    """Return the first of the subsystems whose words the name of a counter has; "other" if none."""
    return next((family for family, sign in _FAMILIES if sign.search(name)), "other")


def by_subsystem(metrics: Sequence[Metric]) -> dict[str, tuple[str, ...]]:
    """Return the names of counters by subsystem, in the order of `SUBSYSTEMS`; outcomes and settings are none."""
    found: dict[str, list[str]] = {family: [] for family in SUBSYSTEMS}
    for metric in metrics:
        if metric.kind in (Kind.COUNTER, Kind.DETERMINISTIC):
            found[subsystem(metric.name)].append(metric.name)
    return {family: tuple(names) for family, names in found.items() if names}


@lru_cache(4096)  # each kernel of a table asks for all of its counters
def plain_name(name: str) -> str:
    """Return a counter's name without unit and event modifiers, lower-case, with one kind of separator.

    A description of nvprof's, in whatever way its words are joined, is the name of its metric.
    """
    bare = _WITH_UNIT.sub("", name.strip())
    bare = _MODIFIERS.sub(lambda m: m.group(1) or "", bare)
    plain = bare.lower().replace("-", "_")
    return _DESCRIBED.get(re.sub(r"[^a-z0-9]", "", plain), plain)


class Kernel(Frozen):
    """One kernel's counters.

    Attributes
    ----------
    name : what ran, and where
    counters : metrics, each with the median over its trials; NaN where nothing was measured
    n_trials : trials behind it
    """

    name: str
    counters: Mapping[Metric, float]
    n_trials: int = 1

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[float, str]]]:
        found: dict[str, list[tuple[float, str]]] = {}
        for metric, value in self.counters.items():
            found.setdefault(plain_name(metric.name), []).append((value, metric.unit))
        return found

    def get(self, names: Iterable[str], units: Sequence[str] = ()) -> float:
        """Return the first known value of some names (see `plain_name`), of some units only; NaN if there is none."""
        for name in names:
            for value, unit in self._by_name.get(name, ()):
                if np.isfinite(value) and (not units or unit in units):
                    return value
        return float("nan")


MEMORY, COMPUTE, LATENCY, OCCUPANCY = "memory", "compute", "latency", "occupancy"
FRONT_END, BAD_SPECULATION, BACK_END, BALANCED = "front end", "bad speculation", "back end", "balanced"
UNKNOWN = "cannot be told"

_HIGH, _LOW, _NEAR = 80.0, 60.0, 10.0
_FEW_WARPS, _LOST_WARPS = 80.0, 10.0
_TRY = {
    MEMORY: "Move less: reuse what was loaded, join kernels, let neighbouring threads read neighbouring addresses.",
    COMPUTE: "Compute less: leave out redundant work, use cheaper or narrower arithmetic, or look results up.",
    LATENCY: "Have more in flight: more independent instructions or warps, and fewer waits on memory and barriers.",
    OCCUPANCY: "Put more warps on each core: a larger grid, or fewer registers and less shared memory per block.",
    FRONT_END: "Make the hot code smaller and straighter, so that it arrives in time: inlining, layout by profile.",
    BAD_SPECULATION: "Make branches foreseeable or leave them out: sorted data, conditional moves, tables.",
    BACK_END: "Count memory-bound slots as well, which tell whether memory or the execution units are waited for.",
    BALANCED: "No one thing dominates: both computation and traffic have to fall before the time does.",
}


class Verdict(Frozen):
    """What limits a kernel, and why that is said.

    Attributes
    ----------
    limit : one of the constants of this module
    shares : the percentages behind it, by name, 0 to 100 of the peak (or of slots)
    rule, source : what was applied, and where it is published
    because : the comparison that decided
    advice : what to try, a sentence
    needs : counters of each rule that lacks some, where it cannot be told
    """

    limit: str
    shares: Mapping[str, float] = field(default_factory=dict)
    rule: str = ""
    source: str = ""
    because: str = ""
    advice: str = ""
    needs: tuple[str, ...] = ()


class Rule(Frozen):
    """One published rule: `judge` answers where its counters are there, else with the names of what lacks.

    Attributes
    ----------
    trace : counters (as `plain_name` has them) of which one shows that the rule's tool counted
    """

    name: str
    source: str
    judge: Callable[[Kernel], Verdict | str]
    trace: tuple[str, ...]


_PCT = ".avg.pct_of_peak_sustained_elapsed"
_SM = ("compute (sm) throughput", "compute (sm)", "sol sm", "sm", f"sm__throughput{_PCT}")
_MEM = ("memory throughput", "memory", "sol memory", f"gpu__compute_memory_throughput{_PCT}")
_LEVELS = {
    "DRAM": ("dram throughput", f"gpu__dram_throughput{_PCT}", f"dram__throughput{_PCT}", "sol dram"),
    "L2": ("l2 cache throughput", f"lts__throughput{_PCT}", "sol l2 cache"),
    "L1": (
        "l1/tex cache throughput",
        f"l1tex__throughput{_PCT}",
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
        "sol l1/tex cache",
    ),
}
_ACHIEVED = ("achieved occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active")
_POSSIBLE = ("theoretical occupancy", "sm__maximum_warps_per_active_cycle_pct")
_WAVES = ("waves per sm", "launch__waves_per_multiprocessor")
_BLOCKS = {
    "registers": ("block limit registers", "launch__occupancy_limit_registers"),
    "shared memory": ("block limit shared mem", "launch__occupancy_limit_shared_mem"),
    "warps": ("block limit warps", "launch__occupancy_limit_warps"),
    "blocks": ("block limit sm", "launch__occupancy_limit_blocks"),
}


def _known(kernel: Kernel, **asked: tuple[str, ...]) -> dict[str, float]:
    """Return percentages; names that are not the tool's own identifiers count with the unit % alone."""
    found = {n: kernel.get(names, ("%",)) for n, names in asked.items()}
    found |= {n: kernel.get([i for i in asked[n] if "__" in i]) for n, value in found.items() if np.isnan(value)}
    return {name: value for name, value in found.items() if np.isfinite(value)}


def speed_of_light(compute: float, memory: float) -> tuple[str, str]:
    """Return the limit by the percentages of peak that compute and memory reach, and the comparison that decided."""
    limit = MEMORY if memory > compute else COMPUTE
    both = f"compute {compute:.3g} %, memory {memory:.3g} % of peak"
    if max(compute, memory) >= _HIGH:
        return limit, f"{both}: {limit} is at {_HIGH:g} % or more"
    if max(compute, memory) < _LOW:
        return LATENCY, f"{both}: both are below {_LOW:g} %"
    if abs(compute - memory) < _NEAR:
        return BALANCED, f"{both}: less than {_NEAR:g} points apart"
    return limit, f"{both}: {limit} leads by {_NEAR:g} points or more"


def _nsight(kernel: Kernel) -> Verdict | str:
    known = _known(kernel, compute=_SM, memory=_MEM)
    lacks = [f"{n[0].title()} or {n[-1]}" for n, k in ((_SM, "compute"), (_MEM, "memory")) if k not in known]
    if lacks:
        return " and ".join(lacks)
    shares = known | _known(kernel, **_LEVELS, occupancy=_ACHIEVED, theoretical_occupancy=_POSSIBLE)
    limit, because = speed_of_light(known["compute"], known["memory"])
    if limit == LATENCY:
        limit, because = _starved(kernel, shares, because)
    levels = {n: shares[n] for n in _LEVELS if n in shares}
    if limit == MEMORY and levels:
        because += f"; of its levels {max(levels, key=levels.__getitem__)} is busiest"
    return Verdict(limit, {name.replace("_", " "): value for name, value in shares.items()}, because=because)


def _starved(kernel: Kernel, shares: Mapping[str, float], because: str) -> tuple[str, str]:
    """Return occupancy as the limit where few warps are why latency is not hidden, else latency."""
    waves = kernel.get(_WAVES)
    if waves < 1:
        return OCCUPANCY, f"{because}; the grid fills {waves:.3g} of one wave"
    possible, achieved = shares.get("theoretical_occupancy", np.nan), shares.get("occupancy", np.nan)
    if possible < _FEW_WARPS:
        limits = {name: kernel.get(names) for name, names in _BLOCKS.items()}
        least = min((v for v in limits.values() if np.isfinite(v)), default=np.nan)
        by = " and ".join(n for n, v in limits.items() if v == least)
        return OCCUPANCY, f"{because}; occupancy is at most {possible:.3g} %{f', limited by {by}' if by else ''}"
    if possible - achieved > _LOST_WARPS:
        return OCCUPANCY, f"{because}; occupancy is {achieved:.3g} % of {possible:.3g} % possible"
    return LATENCY, because


_UNITS_OF_NVPROF = ("dram", "l2", "tex", "l1_shared", "shared")
_FUNCTIONS = ("alu_fu", "single_precision_fu", "double_precision_fu", "half_precision_fu", "special_fu")


def _nvprof(kernel: Kernel) -> Verdict | str:
    def levels(names: tuple[str, ...]) -> dict[str, float]:
        found = {n: 10 * kernel.get([f"{n}_utilization"]) for n in names}
        return {n: v for n, v in found.items() if np.isfinite(v)}

    memory, compute = levels(_UNITS_OF_NVPROF), levels(_FUNCTIONS)
    if "dram" not in memory or not compute:
        return "dram_utilization and one of " + ", ".join(f"{n}_utilization" for n in _FUNCTIONS)
    limit, because = speed_of_light(max(compute.values()), max(memory.values()))
    if limit == MEMORY:
        because += f"; of its levels {max(memory, key=memory.__getitem__)} is busiest"
    return Verdict(limit, compute | memory, because=f"{because} (levels 0 to 10, each 10 %)")


def _rocm(kernel: Kernel) -> Verdict | str:
    compute, memory = kernel.get(("valubusy",)), kernel.get(("memunitbusy",))
    if not np.isfinite([compute, memory]).all():
        return "VALUBusy and MemUnitBusy"
    limit, because = speed_of_light(float(compute), float(memory))
    return Verdict(limit, {"compute": float(compute), "memory": float(memory)}, because=because)


_OF_ROCPROF_COMPUTE = (
    *("SQ_ACTIVE_INST_VALU", "GRBM_GUI_ACTIVE", "time_s", "cu_per_gpu", "simd_per_cu", "hbm_bw"),
    *("TCC_EA_RDREQ_sum", "TCC_EA_RDREQ_32B_sum", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"),
)


def _rocprof_compute(kernel: Kernel) -> Verdict | str:
    def count(name: str) -> float:
        return kernel.get((name.lower(), name.lower().replace("tcc_ea_", "tcc_ea0_")))

    known = {name: count(name) for name in _OF_ROCPROF_COMPUTE}
    if lacks := [name for name, value in known.items() if not np.isfinite(value)]:
        return f"{', '.join(lacks)} (the machine's stand in sysinfo.csv)"
    valu, cycles, seconds, units, simds, bandwidth, *requests = known.values()
    if min(cycles, seconds, units, simds, bandwidth) <= 0:
        return "a time, cycles and a description of the machine above 0"
    one_die = cycles / np.nan_to_num(kernel.get(("num_xcd",)), nan=1.0)
    compute = 100 * 4 * valu / (one_die * units * simds)
    long = np.nan_to_num(kernel.get(("tcc_bubble_sum",)))
    memory = 100 * _hbm_bytes(requests, long) / seconds / bandwidth
    limit, because = speed_of_light(float(compute), float(memory))
    return Verdict(limit, {"compute": float(compute), "memory": float(memory)}, because=because)


def _hbm_bytes(requests: Sequence[float], long: float) -> float:
    """Return bytes of reads of 64 (short: 32, long: 128) and of writes of 32 (wide: 64)."""
    read, short, write, wide = requests
    return 64 * read - 32 * short + 64 * long + 32 * (write + wide)


_SLOTS = {
    "retiring": ("topdown_retiring", "tma_retiring", "retiring", "topdown_retiring%"),
    "bad speculation": ("topdown_bad_spec", "tma_bad_speculation", "bad_speculation", "bad speculation", "speculation"),
    "front end": ("topdown_fe_bound", "tma_frontend_bound", "frontend_bound", "frontend bound", "front end"),
    "back end": ("topdown_be_bound", "tma_backend_bound", "backend_bound", "backend bound", "back end"),
}
_MEMORY_SLOTS = ("topdown_mem_bound", "tma_memory_bound", "memory_bound", "memory bound")
_FAIR = {BAD_SPECULATION: 15.0, FRONT_END: 15.0, BACK_END: 20.0}


def _top_down(kernel: Kernel) -> Verdict | str:
    slots = {name: kernel.get(names) for name, names in _SLOTS.items()}
    lacks = [_SLOTS[name][0].replace("_", "-") for name, value in slots.items() if np.isnan(value)]
    total = sum(slots.values())
    if lacks or total <= 0:
        return ", ".join(lacks) or "slots above 0"
    shares = {name: 100 * value / total for name, value in slots.items()}
    over = {name: shares[name] - fair for name, fair in _FAIR.items() if shares[name] > fair}
    if not over:
        told = "no share is above its threshold (front end and bad speculation 15 %, back end 20 % of slots)"
        return Verdict(COMPUTE if shares["retiring"] > 70 else BALANCED, shares, because=told)
    limit = max(over, key=lambda name: shares[name])
    because = f"{limit} has {shares[limit]:.3g} % of slots, the most above its threshold of {_FAIR[limit]:g} %"
    if limit == BACK_END and np.isfinite(memory := kernel.get(_MEMORY_SLOTS)):
        shares["memory"] = 100 * memory / total
        shares["core"] = max(shares["back end"] - shares["memory"], 0.0)
        limit = MEMORY if shares["memory"] >= shares["core"] else COMPUTE
        because += f"; {shares['memory']:.3g} wait for memory, {shares['core']:.3g} for execution units"
    return Verdict(limit, shares, because=because)


_SOL = "SOLBottleneck.py of Nsight Compute (thresholds 80, 60 and 10 %), with its occupancy rules (80 and 10 %)"
_OF_NVIDIA = "thresholds of NVIDIA's SOLBottleneck.py"
_OF_UTILIZATION = f"VALU utilization and HBM bandwidth of rocprof-compute; {_OF_NVIDIA}"
_YASIN = "Yasin, A top-down method for performance analysis (ISPASS 2014); thresholds of Intel's perfmon metrics"
_ALL_SLOTS = tuple(name for names in _SLOTS.values() for name in names)
_LEVELS_OF_NVPROF = "NVIDIA's metrics of 0 to 10; thresholds of SOLBottleneck.py"
_COUNTED = ("sq_active_inst_valu", "grbm_gui_active")
RULES = (
    Rule("speed of light (Nsight Compute)", _SOL, _nsight, (*_SM, *_MEM)),
    Rule("utilization levels (nvprof)", _LEVELS_OF_NVPROF, _nvprof, ("dram_utilization",)),
    Rule("busy units (rocprof)", f"AMD's derived metrics; {_OF_NVIDIA}", _rocm, ("valubusy", "memunitbusy")),
    Rule("speed of light (rocprof-compute)", _OF_UTILIZATION, _rocprof_compute, _COUNTED),
    Rule("top-down, level 1", _YASIN, _top_down, _ALL_SLOTS),
)


def verdict(kernel: Kernel) -> Verdict:
    """Return what limits a kernel by the first rule whose counters are there; else what the rules lack."""
    needs = []
    for rule in RULES:
        judged = rule.judge(kernel)
        if isinstance(judged, Verdict):
            return replace(judged, rule=rule.name, source=rule.source, advice=_TRY[judged.limit])
        needs.append((any(np.isfinite(kernel.get((name,))) for name in rule.trace), f"{rule.name}: {judged}"))
    nearest = tuple(text for began, text in needs if began) or tuple(text for _, text in needs)
    return Verdict(UNKNOWN, needs=nearest)


def judged_by(metrics: Iterable[Metric]) -> tuple[str, ...]:
    """Return the names of the rules whose tools counted at least one of some metrics."""
    known = {plain_name(metric.name) for metric in metrics}
    return tuple(rule.name for rule in RULES if known.intersection(rule.trace))
