"""toplev's CSV: a trial per run, means over CPUs that were not idle, its summary in place of intervals."""

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, kind, metric, names, read, refusal, skipped, told, value

TAIL = "Unit,Description,Sample,Stddev,Multiplex,Bottleneck,Idle\n"
PROCESSOR = "# 4.7-full-perf on Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz [icx/icelake]\n"
RUN = (
    f"CPUs,Area,Value,{TAIL}"
    'C0,Frontend_Bound,12.5,% Slots <,"Slots that the frontend, or what it reads, left empty...",,0.0,25.0,,\n'
    "C0,Backend_Bound.Memory_Bound,50.5,% Slots,,,0.1,24.0,<==,\n"
    "C1,Frontend_Bound,13.5,% Slots <,,,0.0,25.0,,\n"
    "C1,Backend_Bound.Memory_Bound,47.5,% Slots,,,0.1,25.0,<==,\n"
    "C2,Frontend_Bound,90.0,% Slots,,,0.0,25.0,,Y\n"
    "C2,Backend_Bound.Memory_Bound,1.0,% Slots <,,,0.0,25.0,,Y\n"
    "C0-T0,Info.Thread.IPC,1.25,Metric,,,0.0,100.0,,\n"
    "C0-T0,Info.System.Time,4.5,Seconds,,,0.0,,,\n"
    "Info.System.Power,85.0,SystemMetric,,,0.0,,,\n" + PROCESSOR
)


def test_a_run_is_a_trial_with_means_over_busy_cpus() -> None:
    found = read(RUN, "toplev", "stencil.csv")
    assert (found.trials.application, found.trials.machine) == (
        ("stencil",),
        ("Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz",),
    )
    assert names(found) == [
        "Frontend_Bound",
        "Backend_Bound.Memory_Bound",
        "Info.Thread.IPC",
        "Info.System.Power",
        "time_s",
    ]
    assert [value(found, name) for name in names(found)] == [13, 49, 1.25, 85, 4.5]
    assert (metric(found, "Frontend_Bound").unit, kind(found, "Frontend_Bound")) == ("% Slots", Kind.COUNTER)
    assert (metric(found, "Info.Thread.IPC").unit, kind(found, "Info.Thread.IPC")) == ("inst/cycle", Kind.RESPONSE)
    assert found.trials.labels["counted share of Backend_Bound.Memory_Bound"] == ("24.00 %",)
    assert "counted share of Info.Thread.IPC" not in found.trials.labels
    assert "means over C0, C1, C0-T0." in told(found)


def test_of_one_cpu_and_without_a_time() -> None:
    found = read(f"Area;Value;{TAIL}Retiring;49.9;% Slots <;;;0.0;3.7;;\n".replace(",", ";"), "toplev")
    assert names(found) == ["Retiring"]
    assert "does not say how long the run took" in told(found)
    assert "means" not in told(found)


ROWS = "2.0,{0}Retiring,20.0,% Slots,,,0.0,,,\n3.0,{0}Retiring,50.0,% Slots,,,0.0,,,\n"


@pytest.mark.parametrize(("more", "mean"), [("", 30), ("SUMMARY,Retiring,35.0,% Slots,,,0.0,,,\n", 35)])
def test_intervals_are_a_run(more: str, mean: float) -> None:
    found = read(f"Timestamp,Area,Value,{TAIL}{ROWS.format('')}{more}", "toplev")
    assert (value(found, "time_s"), value(found, "Retiring")) == (3.0, mean)
    assert ("means over 2 intervals" in told(found)) == (not more)


def test_a_column_for_each_cpu() -> None:
    text = (
        "Area,Node,C0,C1,Description,Sample,Stddev,Multiplex\nBE,Backend_Bound,60.0,50.0,,,0.0,\n,Time,2.0,2.0,,,0.0,\n"
    )
    found = read(text, "toplev")
    assert (value(found, "Backend_Bound"), value(found, "time_s")) == (55, 2)


def test_runs_below_each_other_and_rows_that_are_none() -> None:
    found = read(RUN + RUN.replace("12.5", "22.5") + "C0,Frontend\n", "toplev")
    assert [value(found, "Frontend_Bound", i) for i in (0, 1)] == [13, 18]
    assert skipped(found) == [f"line {2 * RUN.count(chr(10)) + 1}: no row of 10 cells"]
    assert "a table without numbers" in refusal(RUN.partition("\n")[0] + "\n", "toplev")


def test_damage() -> None:
    check_damaged(RUN, "toplev")
