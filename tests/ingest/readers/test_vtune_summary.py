"""VTune's summary: a trial per run, its command's arguments and its processor; other tables in it are left out."""

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, kind, metric, read, refusal, skipped, value

SUMMARY = """\
Hierarchy Level,Metric Name,Metric Value
0,Elapsed Time,12.5
1,CPU Time,95.25
2,Spin Time,5.125
1,Instructions Retired,331234000000
1,CPI Rate,0.75
1,Memory Bound(%),42.5
2,DRAM Bound(% of clockticks),11.25
2,Store Bound,N/A with HT on
1,Total Thread Count,8
0,Bandwidth Utilization,
1,Bandwidth Domain,Platform Maximum,Observed Maximum,Average
1,"DRAM, GB/sec",118.0,47.9,8.35
0,Collection and Platform Info,
1,Application Command Line,./stencil -n 2048
1,Computer Name,node7
1,CPU,
2,Name,Intel(R) Xeon(R) Processor code named Icelake
2,Frequency,2294600000
2,Logical CPU Count,64
"""


@pytest.mark.parametrize("text", [SUMMARY, SUMMARY.replace(",", "\t").replace('"DRAM\t', '"DRAM,')])
def test_a_run_is_a_trial(text: str) -> None:
    found = read(text, "vtune_summary", "summary.csv")
    assert found.trials.application == ("stencil",)
    assert found.trials.machine == ("Intel(R) Xeon(R) Processor code named Icelake",)
    assert found.trials.labels["host"] == ("node7",)
    said = {"time_s": 12.5, "Spin Time": 5.125, "CPI Rate": 0.75, "Memory Bound": 42.5, "DRAM Bound": 11.25, "n": 2048}
    assert {name: value(found, name) for name in said} == said
    assert [kind(found, name) for name in ("CPU Time", "CPI Rate")] == [Kind.RESPONSE] * 2
    assert [kind(found, name) for name in ("Total Thread Count", "n")] == [Kind.PARAMETER] * 2
    assert [kind(found, name) for name in ("Instructions Retired", "Memory Bound")] == [Kind.COUNTER] * 2
    assert [metric(found, name).unit for name in ("CPU Time", "DRAM Bound")] == ["s", "%"]
    assert found.machines is not None
    assert found.machines.values.tolist() == [[2294600000, 64]]
    assert "Frequency" not in [m.name for m in found.trials.metrics]
    assert skipped(found) == ["lines 12, 13: a row of another table than the summary's"]


def test_a_name_below_two_others_is_two_metrics() -> None:
    more = "1,Front-End Bound(%),20.0\n2,Other(%),5.0\n1,Retiring(%),30.0\n2,Other(%),7.0\n"
    found = read(SUMMARY.replace("0,Bandwidth", f"{more}0,Bandwidth"), "vtune_summary")
    assert (value(found, "Other"), value(found, "Other [Elapsed Time / Retiring(%)]")) == (5, 7)


def test_a_summary_that_was_cut_off() -> None:
    assert "without an elapsed time" in refusal(SUMMARY.partition("0,")[0], "vtune_summary")


def test_levels_that_are_none() -> None:
    found = read(SUMMARY + "".join(f"{'9' * n},Deep,1\n" for n in (3, 9, 5000)), "vtune_summary")
    assert value(found, "Deep") == 1


def test_damage() -> None:
    check_damaged(SUMMARY, "vtune_summary")
