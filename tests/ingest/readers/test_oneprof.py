from pathlib import Path

import pytest

from core.ingest.readers.oneprof import Oneprof
from core.trial import Kind
from tests.ingest.amd_files import column, input_facts, metrics, read, refused, skipped, source, survives, takers, unit

HEAD = "SubDeviceId,HostTimestamp,GpuTime,GpuCoreClocks,AvgGpuCoreFrequencyMHz,EuActive,GtiReadThroughput,QueryBeginTime,StreamMarker,"
OLD = f"""\
== Aggregated Metrics (Level Zero) ==

Kernel,zeCommandListAppendMemoryCopy(M2D)[4096 bytes],
{HEAD}
0,162137469,5000,4700,971,3.125,4878,70536192000,1179,

Kernel,mul<float, 2>(int, int)[SIMD16, {{8; 64; 1}} {{128; 1; 1}}],
{HEAD}
0,162820135,43000,49000,1139,74.5,7448,70536874666,1179,

"""
NEW = """\
=== Profiling Results ===

Total Execution Time: 116065933 ns

== Aggregated Kernel Metrics ==

Kernel,SubDeviceId,KernelTime[ns],GpuTime[ns],GpuCoreClocks[cycles],AvgGpuCoreFrequencyMHz[MHz],EuActive[%],EuAvgIpcRate[number],GtiReadThroughput[bytes],QueryBeginTime[ns],ReportReason,
mul<float, 2>(int, int)[SIMD16 {8; 64; 1} {128; 1; 1}],0,42500,43000,49000,1141,74.5,1.5,9804,357781162666,1,

Kernel,SubDeviceId,KernelTime[ns],GpuTime[ns],GpuCoreClocks[cycles],AvgGpuCoreFrequencyMHz[MHz],EuActive[%],EuAvgIpcRate[number],GtiReadThroughput[bytes],QueryBeginTime[ns],ReportReason,
mul<float, 2>(int, int)[SIMD16 {8; 64; 1} {128; 1; 1}],0,42700,43200,48000,1139,75.5,1.25,4128,357828949333,1,
"""
RAW = f"""\
== Raw Metrics ==

{HEAD}
0,343304199,682666,753618,1103,56.1,43008,238066688000,1179,
0,343986865,682666,773375,1132,67.1,86016,238067370666,1179,

"""
INTERVALS = """\
== Raw Kernel Intervals (Level Zero) ==

SubDeviceId,Name,Start,End,
0,zeCommandListAppendBarrier,333082914333,333082915999,
0,mul<float, 2>(int, int)[SIMD16 {8; 64; 1} {128; 1; 1}],333082916166,333125617666,
...
"""
LATER_INTERVALS = """\
== Raw Kernel Intervals ==

Kernel,SubDeviceId,Time[ns],Start[ns],End[ns],
mul[SIMD16 {8; 64; 1} {128; 1; 1}],0,4875166,66413228499,66418103665,
"""
MUL = ("mul<float, 2>(int, int)", "SIMD16 {8; 64; 1} {128; 1; 1}")


def test_older_report() -> None:
    found = read(Oneprof(), OLD)
    assert list(zip(found.trials.application, found.trials.input, strict=True)) == [
        ("zeCommandListAppendMemoryCopy(M2D)", "4096 bytes"),
        MUL,
    ]
    assert found.trials.where == ("line 5", "line 9")
    assert column(found, "time_s") == [5e-06, 43e-06]
    assert metrics(found) == ["time_s", "GpuCoreClocks", "AvgGpuCoreFrequencyMHz", "EuActive", "GtiReadThroughput"]
    assert [unit(found, name) for name in metrics(found)] == ["s", "cycle", "Hz", "%", "byte"]
    assert column(found, "AvgGpuCoreFrequencyMHz") == [971e6, 1139e6]
    assert found.original_units["AvgGpuCoreFrequencyMHz"] == "MHz"
    assert input_facts(found)[MUL] == {
        "simd_width": 16,
        "group_count_x": 8,
        "group_count_y": 64,
        "group_count_z": 1,
        "group_size_x": 128,
        "group_size_y": 1,
        "group_size_z": 1,
    }
    assert input_facts(found)["zeCommandListAppendMemoryCopy(M2D)", "4096 bytes"] == {"copied": 4096}


def test_newer_report_states_units_and_the_kernels_own_time() -> None:
    found = read(Oneprof(), NEW)
    assert list(zip(found.trials.application, found.trials.input, strict=True)) == [MUL, MUL]
    assert column(found, "time_s") == [42.5e-6, 42.7e-6]
    assert column(found, "GpuTime") == [43.0e-6, 43.2e-6]
    assert {m.name: m.kind for m in found.trials.metrics}["GpuTime"] is Kind.RESPONSE
    assert unit(found, "EuAvgIpcRate") == ""
    assert column(found, "GtiReadThroughput") == [9804, 4128]
    assert "QueryBeginTime" not in metrics(found)
    assert "ReportReason" not in metrics(found)


def test_both_reports_name_the_same_launch() -> None:
    keys = {(f.trials.application[-1], f.trials.input[-1]) for f in (read(Oneprof(), OLD), read(Oneprof(), NEW))}
    assert keys == {MUL}


def test_samples_over_time_are_left_out() -> None:
    found = read(Oneprof(), RAW + OLD)
    assert len(found.trials) == 2
    assert skipped(found) == {"lines 4, 5": "Raw Metrics: samples over time, of no one execution"}


def test_samples_alone_are_refused() -> None:
    assert takers(RAW) == ["oneprof"]
    assert refused(Oneprof(), RAW) == (
        "run.csv holds samples of the device over time ('Raw Metrics') and no metrics of whole kernels. "
        "Run oneprof with --aggregation (-a) or --kernel-query (-q)."
    )
    assert "('Kernel Metrics')" in refused(Oneprof(), OLD.replace("Aggregated Metrics", "Kernel Metrics"))


def test_intervals_have_times_alone() -> None:
    found = read(Oneprof(), INTERVALS)
    assert found.trials.application == ("zeCommandListAppendBarrier", MUL[0])
    assert found.trials.input == ("", MUL[1])
    assert metrics(found) == ["time_s"]
    assert column(found, "time_s") == [1.666e-06, 42.7015e-3]
    assert column(read(Oneprof(), LATER_INTERVALS), "time_s") == [4.875166e-3]


def test_intervals_beside_metrics_are_not_counted_twice() -> None:
    found = read(Oneprof(), INTERVALS.replace("...", "") + NEW)
    assert len(found.trials) == 2
    assert skipped(found)["lines 4, 5"].startswith("Raw Kernel Intervals: the same executions")


def test_queried_metrics() -> None:
    text = NEW.replace("Aggregated Kernel", "Query Kernel").replace("KernelTime[ns],", "").replace(",42500,", ",")
    found = read(Oneprof(), text.replace(",42700,", ","))
    assert column(found, "time_s") == [43.0e-6, 43.2e-6]
    assert "GpuTime" not in metrics(found)


def test_sub_devices_are_apart() -> None:
    row = NEW.splitlines()[-1]
    found = read(Oneprof(), NEW + row.replace("],0,", "],1,") + "\n")
    assert found.trials.labels["sub-device"] == ("0", "0", "1")
    assert any("2 sub-devices" in w for w in found.warnings)


def test_output_of_the_application_around_it() -> None:
    text = "Matrix 1024 x 1024\nCONGRATULATIONS\n" + OLD.replace("\n", "\r\n")
    assert takers(text) == ["oneprof"]
    assert column(read(Oneprof(), text), "time_s") == [5e-06, 43e-06]


def test_broken_off_and_bad_cells() -> None:
    found = read(Oneprof(), NEW.replace("74.5", "?x")[:-70])
    assert len(found.trials) == 1
    assert skipped(found) == {
        "line 8": "'EuActive[%]' is '?x', expected a number: it is missing there",
        "line 11": "the file breaks off within this row",
    }


def test_only_messages() -> None:
    text = "=== Profiling Results ===\n\nTotal Execution Time: 11 ns\n[WARNING] No metric results found\n"
    assert takers(text) == ["oneprof"]
    assert refused(Oneprof(), text) == (
        "run.csv holds only messages of oneprof and no measurements: '[WARNING] No metric results found' (line 4). "
        "Run the capture again."
    )


def test_a_section_without_rows() -> None:
    assert refused(Oneprof(), OLD.splitlines()[0] + "\n") == (
        "run.csv has a section of oneprof and no rows in it. Run the capture again."
    )


@pytest.mark.parametrize("text", [OLD, NEW, INTERVALS])
def test_only_this_reader_takes_its_files(text: str) -> None:
    assert takers(text) == ["oneprof"]


@pytest.mark.parametrize("text", [OLD, NEW, INTERVALS])
def test_damaged_files(text: str) -> None:
    assert survives(Oneprof(), text) > 50


def test_real_file(real_data: Path) -> None:
    path = real_data / "formats/intel_oneprof/aggregated_and_raw_excerpt.txt"
    found = Oneprof().read(source(path.read_bytes()))
    assert found.trials.application == ("GEMM",)
    assert column(found, "time_s") == [43007958e-9]
    assert column(found, "EuActive") == [74.4577]
    assert unit(found, "EuActive") == "%"
    assert column(found, "GtiReadThroughput") == [417155712]


def test_a_column_without_a_name_is_no_metric() -> None:
    found = read(Oneprof(), NEW.replace("EuAvgIpcRate[number]", ""))
    assert "" not in metrics(found)
