"""likwid-perfctr's tables: a trial per region of a run, counts added up over threads, groups of one execution joined."""

import numpy as np

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, kind, read, readers_of, value

_RULE = "-" * 80 + "\n"
_CPU = f"{_RULE}CPU name:\tIntel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\nCPU type:\tIntel Skylake SP processor\n"
_CPU += f"CPU clock:\t2.39 GHz\n{_RULE}"


def table(*rows: tuple[str, ...]) -> str:
    """A table as it is drawn."""
    wide = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    rule = "+" + "+".join("-" * (w + 2) for w in wide) + "+\n"
    head, *others = ("|" + "|".join(f" {c:^{w}} " for c, w in zip(row, wide, strict=True)) + "|\n" for row in rows)
    return rule + head + rule + "".join(others) + rule


def region(name: str, group: str, times: tuple[float, ...], events: dict[str, tuple[float, ...]]) -> str:
    """What is printed of a region: its times, its events and two metrics, and what these sum up to."""
    threads = tuple(f"HWThread {i}" for i in range(len(times)))
    counted = tuple((e.partition(":")[0], e.partition(":")[2], *map(str, own)) for e, own in events.items())
    statistics = tuple((f"{name} STAT", counter, "9", "9", "9", "9") for name, counter, *_ in counted)
    return (
        f"Region {name}, {group}\n"
        + table(("Region Info", *threads), ("RDTSC Runtime [s]", *map(str, times)), ("call count", *"3" * len(times)))
        + table(("Event", "Counter", *threads), *counted)
        + table(("Event", "Counter", "Sum", "Min", "Max", "Avg"), *statistics)
        + table(
            ("Metric", *threads),
            ("Runtime (RDTSC) [s]", *(f"{t:.4f}" for t in times)),
            ("CPI", *(str(0.5 + i) for i in range(len(times)))),
            ("Energy [J]", "63.5", *("0" for _ in times[1:])),
            ("Memory bandwidth [MBytes/s]", "200.5", *("-" for _ in times[1:])),
            ("Memory data volume [GBytes]", "0.25", *("0.5" for _ in times[1:])),
        )
    )


def run(size: int, group: str, events: dict[str, tuple[float, ...]], times: tuple[float, ...]) -> str:
    """A run, with the command as a shell shows it."""
    name = group.partition(": ")[2]
    command = f"+ likwid-perfctr -C 0-{len(times) - 1} -g {name} -m ./matmult {size}\n"
    return f"{command}{_CPU}Multiplying, {size} | {size}\n{_RULE}{region('mult', group, times, events)}"


MEMORY = {"INSTR_RETIRED_ANY:FIXC0": (100.0, 110.0), "CAS_RD:MBOX0C0": (7.0, 0.0), "CAS_RD:MBOX1C0": (5.0, 0.0)}
CACHE = {"INSTR_RETIRED_ANY:FIXC0": (101.0, 110.0), "L2_LINES_IN_ALL:PMC0": (40.0, 2.0)}
OUTPUT = (
    run(512, "Group 1: MEM", MEMORY, (0.0625, 0.125))
    + run(512, "Group 1: L2", CACHE, (0.0626, 0.1251))
    + run(512, "Group 1: MEM", MEMORY, (0.0627, 0.1252))
    + run(1024, "Group 1: MEM", {event: own[:1] for event, own in MEMORY.items()}, (0.5,))
)
CSV = """STRUCT,Info,3,,
CPU name:,AMD Ryzen 9 3900X 12-Core Processor            ,,
CPU type:,AMD K17 (Zen2) architecture,,
CPU clock:,3.793 GHz,,
TABLE,Region add,Group 1 Raw,FLOPS_DP,6,
Region Info,HWThread 1,,
RDTSC Runtime [s],0.000026,,
call count,1,,
Event,Counter,HWThread 1,
RETIRED_INSTRUCTIONS,PMC0,157538,
TABLE,Region add,Group 1 Metric,FLOPS_DP,5,
Metric,HWThread 1,,
Runtime (RDTSC) [s],2.609904e-05,,
Clock [MHz],-,,
TABLE,Region mul,Group 1 Raw,FLOPS_DP,6,
Region Info,HWThread 1,,
RDTSC Runtime [s],0.000126,,
call count,1,,
Event,Counter,HWThread 1,
RETIRED_INSTRUCTIONS,PMC0,257538,
"""
WHOLE = f"""{_CPU}time 0.5
{_RULE}Group 1: FLOPS
{table(("Event", "Counter", "Core 0", "Core 1"), ("Runtime (RDTSC) [s]", "TSC", "0.75", "0.75"), ("X", "P0", "1", "2"))}
"""


def test_groups_of_one_execution_are_one_trial() -> None:
    found = read(OUTPUT, "likwid")
    assert found.trials.application == ("mult",) * 3
    assert [value(found, "argument 1", i) for i in range(3)] == [512, 512, 1024]
    assert [value(found, "time_s", i) for i in range(3)] == [0.125, 0.1252, 0.5]
    assert [value(found, "threads", i) for i in range(3)] == [2, 2, 1]
    assert value(found, "L2_LINES_IN_ALL") == 42
    assert np.isnan(value(found, "L2_LINES_IN_ALL", 1))


def test_counts_are_sums_over_threads_and_units() -> None:
    found = read(OUTPUT, "likwid")
    assert (value(found, "INSTR_RETIRED_ANY"), value(found, "CAS_RD"), value(found, "calls")) == (210, 12, 3)
    assert (value(found, "CPI"), value(found, "Energy"), value(found, "Memory bandwidth")) == (1.0, 63.5, 200.5e6)
    assert value(found, "Memory data volume") == 0.75e9
    kinds = [kind(found, name) for name in ("CPI", "Energy", "Memory bandwidth", "Memory data volume", "threads")]
    assert kinds == [Kind.DERIVED, Kind.RESPONSE, Kind.DERIVED, Kind.COUNTER, Kind.PARAMETER]
    assert found.machines is not None
    assert found.machines.values.tolist() == [[2.39e9]]


def test_other_counts_are_another_execution() -> None:
    slower = {**CACHE, "INSTR_RETIRED_ANY:FIXC0": (150.0, 110.0)}
    found = read(run(512, "Group 1: MEM", MEMORY, (0.1, 0.1)) + run(512, "Group 1: L2", slower, (0.1, 0.1)), "likwid")
    assert len(found.trials.application) == 2


def test_csv() -> None:
    found = read(CSV, "likwid", "run.csv")
    assert found.trials.application == ("add", "mul")
    assert set(found.trials.machine) == {"AMD Ryzen 9 3900X 12-Core Processor"}
    assert [value(found, "time_s", i) for i in (0, 1)] == [0.000026, 0.000126]
    assert [value(found, "RETIRED_INSTRUCTIONS", i) for i in (0, 1)] == [157538, 257538]


def test_without_regions_the_run_is_the_trial() -> None:
    found = read(WHOLE, "likwid", "stencil.txt")
    assert (found.trials.application, value(found, "time_s"), value(found, "X")) == (("stencil",), 0.75, 3)
    older = OUTPUT.replace("Region mult, Group 1: MEM", "Group 1 MEM: Region mult").replace("HWThread", "Core")
    assert read(older, "likwid").trials.application == ("mult",) * 3


def test_what_is_no_output_of_likwid() -> None:
    assert readers_of("Event,Counter,Time\na,b,1\n") == []


def test_damage() -> None:
    check_damaged(OUTPUT, "likwid")
    check_damaged(CSV, "likwid")
