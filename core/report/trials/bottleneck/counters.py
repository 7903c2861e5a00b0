"""Counters of a kernel by what tools call them, and by the subsystem that they belong to."""

import re
from collections.abc import Iterable, Mapping, Sequence
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
_FAMILIES = [(name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _SIGNS]
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
