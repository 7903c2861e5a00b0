"""What both of KTT's forms have in common: names of counters, and what compilers say of a kernel."""

import re

COUNTER = re.compile(
    r"(?:.*__.*|.*_(?:utilization|efficiency|transactions|transactions_per_request|throughput|hit_rate|occupancy|"
    r"overhead|requests|sectors|replays)|(?:issued_)?ipc|issue_slots?|"
    r"(?:inst|flop|stall|cf|ldst|dram|gld|gst)_\w+|eligible_warps_per_cycle)(?: \d+)?"
)
"""Counters of CUPTI and of Nsight Compute; tuning parameters are called otherwise."""
COMPILED = {
    name: unit
    for known, unit in (
        ("max work-group size", ""),
        ("maximum work-group size", ""),
        ("registers count", ""),
        ("local memory size", "byte"),
        ("private memory size", "byte"),
        ("constant memory size", "byte"),
    )
    for name in (known, re.sub(r"[ -]", "", known))
}
"""What the compiler says of a configuration, and in which unit, by lower-case name."""


def counter_unit(name: str, kind: str = "") -> str:
    """Return the unit of a counter, where its type or its name says that it is a percentage."""
    return "%" if kind == "Percent" or re.search(r"\.pct(?:_of_peak_\w+)?$", name) else ""
