"""Metrics in groups: the tools' units and sections, common beginnings, kinds of their own."""

from core.ingest.recognition.groups import metric_groups
from core.trial import Kind, Metric


def grouped(*names: str) -> dict[str, int]:
    fill = [Metric(f"filler_{i}") for i in range(25)]
    found = metric_groups([*map(Metric, names), *fill])
    assert sum(len(group.metrics) for group in found) == len(names) + 25
    return {group.name: len(group.metrics) for group in found if group.name != "filler …"}


def test_units_of_the_hardware_are_groups() -> None:
    assert grouped(
        "l1tex__t_sectors.sum", "l1tex__data.sum", "lts__t_hit.pct", "TCC_HIT[0]", "TCC_HIT_sum", "SQ_WAVES"
    ) == {
        "L1 and texture cache": 2,
        "L2 cache": 1,
        "L2 cache (TCC)": 2,
        "sequencer (SQ)": 1,
    }


def test_sections_beginnings_and_others() -> None:
    names = ("Throughput [Memory Workload]", "branch-misses", "branch-loads", "branch_x", "alone")
    assert grouped(*names) == {"Memory Workload": 1, "branch …": 3, "others": 1}


def test_kinds_are_groups_and_others_stand_last() -> None:
    kinds = [Metric("time_s", Kind.RESPONSE), Metric("block", Kind.PARAMETER), Metric("cores", Kind.MACHINE)]
    found = metric_groups([*kinds, *(Metric(f"c{chr(97 + i)}{chr(98 + i)}") for i in range(24))])
    assert [group.name for group in found][-1] == "others"
    assert {group.name for group in found} == {"outcomes", "parameters", "of the machine", "others"}


def test_few_metrics_are_one_group() -> None:
    assert [g.name for g in metric_groups([Metric("a"), Metric("b")])] == ["metrics"]
    assert metric_groups([]) == ()
