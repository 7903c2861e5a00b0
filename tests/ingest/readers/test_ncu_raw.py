"""Nsight Compute, raw page: units in a row of their own, attributes of the device, and damage."""

from pathlib import Path

import numpy as np
import pytest

from core.errors import ReadError
from core.ingest import Part, SourceFile
from core.ingest.joining.gather import gather
from core.ingest.readers._nvidia.printed import number
from core.ingest.readers.ncu import NcuDetails, NcuRaw
from core.trial import Kind
from tests.ingest.nvidia_files import (
    KERNEL,
    cells,
    check_damaged,
    facts,
    launch,
    long_file,
    names,
    quoted,
    read,
    readers_of,
    said,
    unit,
    value,
    wide_file,
)

METRICS = [
    ("device__attribute_display_name", ""),
    ("device__attribute_l2_cache_size", ""),
    ("device__attribute_pci_bus_id", ""),
    ("device__attribute_confidential_mode", ""),
    ("dram__bytes.sum", "Mbyte"),
    ("gpu__time_duration.max", "usecond"),
    ("gpu__time_duration.sum", "usecond"),
    ("launch__func_cache_config", ""),
    ("launch__stream_id", ""),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
]
FIRST = ("Ridge 9000", "6291456", "33", "Off", "1,004.25", "12.80", "12.80", "CachePreferNone", "7", "22.30")
SECOND = ("Ridge 9000", "6291456", "33", "Off", "1,005.75", "12.90", "12.90", "CachePreferL1", "7", "22.41")
TWO = wide_file(METRICS, FIRST, SECOND)


def test_the_row_of_units_is_no_launch_and_converts_the_values() -> None:
    found = read(TWO, "ncu_raw")
    assert len(found.trials) == 2
    assert found.trials.where == ("line 3", "line 4")
    assert found.trials.execution == ("launch 0", "launch 1")
    assert value(found, "dram__bytes.sum") == 1004250000.0
    assert unit(found, "dram__bytes.sum") == "byte"
    assert found.original_units["dram__bytes.sum"] == "Mbyte"
    assert [value(found, "time_s", i) for i in (0, 1)] == pytest.approx([12.8e-6, 12.9e-6], rel=1e-15)
    assert value(found, "sm__throughput.avg.pct_of_peak_sustained_elapsed", 1) == 22.41


def test_what_is_the_time_told_otherwise_predicts_nothing() -> None:
    columns = [
        ("gpu__time_duration.sum", "ns"),
        ("sm__cycles_elapsed.max", "cycle"),
        ("sm__cycles_active.avg", "cycle"),
    ]
    columns += [("dram__bytes.sum.per_second", "Gbyte/second"), ("sm__cycles_elapsed.avg.per_second", "Ghz")]
    columns += [("sm__inst_executed.sum.per_second", "inst/ns")]
    found = read(wide_file(columns, ("10", "14", "12", "3", "1.4", "2")), "ncu_raw")
    assert {m.name: m.kind for m in found.trials.metrics if "__" in m.name} == {
        "sm__cycles_elapsed.max": Kind.DERIVED,
        "sm__cycles_active.avg": Kind.COUNTER,
        "dram__bytes.sum.per_second": Kind.DERIVED,
        "sm__inst_executed.sum.per_second": Kind.DERIVED,
        "sm__cycles_elapsed.avg.per_second": Kind.COUNTER,
    }


def test_the_time_is_there_once_and_texts_are_labels() -> None:
    found = read(TWO, "ncu_raw")
    assert names(found) == {"time_s", "dram__bytes.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"}
    assert [m.name for m in found.trials.metrics if m.kind is Kind.RESPONSE] == ["time_s"]
    assert found.trials.labels["launch__func_cache_config"] == ("CachePreferNone", "CachePreferL1")
    assert found.trials.labels["stream"] == ("7", "7")


def test_the_device_is_the_machine_and_its_attributes_are_machine_metrics() -> None:
    found = read(TWO, "ncu_raw")
    assert found.trials.machine == ("Ridge 9000", "Ridge 9000")
    assert found.machines is not None
    assert found.machines.keys == (("Ridge 9000",),)
    assert [(m.name, m.kind) for m in found.machines.metrics] == [("device__attribute_l2_cache_size", Kind.MACHINE)]
    assert found.machines.values.tolist() == [[6291456.0]]
    assert found.machines.labels["device__attribute_confidential_mode"] == ("Off",)
    assert "device__attribute_pci_bus_id, launch__stream_id" in said(found)


def test_an_attribute_that_changes_is_a_counter() -> None:
    third = (*FIRST[:1], "1", *FIRST[2:])
    found = read(wide_file(METRICS, FIRST, SECOND, third, SECOND), "ncu_raw")
    name = "device__attribute_l2_cache_size"
    assert [value(found, name, i) for i in range(4)] == [6291456, 6291456, 1, 6291456]
    assert found.machines is None or name not in [m.name for m in found.machines.metrics]


def test_two_devices() -> None:
    found = read(wide_file(METRICS, FIRST, ("Ridge 5", "4194304", *SECOND[2:])), "ncu_raw")
    assert found.trials.machine == ("Ridge 9000", "Ridge 5")
    assert found.machines is not None
    assert found.machines.values.tolist() == [[6291456.0], [4194304.0]]


def test_shape_from_columns_or_from_metrics() -> None:
    found = read(TWO, "ncu_raw")
    assert found.trials.input[0] == "grid 64x2x1, block 128x1x1"
    assert facts(found)["grid_size_x"] == 64
    header = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream")
    launched = [f"launch__{what}_dim_{axis}" for what in ("block", "grid") for axis in "xyz"]
    rows = [
        quoted(*header, *launched, "inst"),
        quoted(*("",) * 14, "inst"),
        quoted(0, 1, "p", "127.0.0.1", KERNEL, "2020-Apr-07 17:01:05", 1, 7, "1,024", 1, 1, 30, 2, 1, "5"),
    ]
    old = read("\n".join(rows) + "\n", "ncu_raw")
    assert old.trials.input == ("grid 30x2x1, block 1024x1x1",)
    assert value(old, "inst") == 5


def test_missing_values_and_columns_that_are_there_twice() -> None:
    metrics = [("a", "inst"), ("a", "inst"), ("b", "inst"), ("c", "inst"), ("d", ""), ("d", "")]
    found = read(wide_file(metrics, ("1", "1", "n/a", "", "5", "6"), ("2", "2", "3", "", "7", "7")), "ncu_raw")
    assert names(found) == {"a", "b", "d", "d [column 17]"}
    assert [value(found, "d [column 17]", i) for i in (0, 1)] == [6, 7]
    assert np.isnan(value(found, "b"))
    assert value(found, "b", 1) == 3
    assert "'b' (1 times)" in said(found)
    assert "empty for every launch: c" in said(found)


def test_numbers_that_no_float_holds_are_none() -> None:
    assert [number(text) for text in ("9" * 400, "9007199254740993", "9007199254740992", "0." + "3" * 400)] == [
        None,
        None,
        9007199254740992.0,
        0.3333333333333333,
    ]
    assert (number("1,234.5"), number("1.234,5", ","), number("5."), number("1.2.3")) == (1234.5, 1234.5, 5.0, None)


def test_units_in_brackets_of_an_export_by_hand() -> None:
    text = (
        '"ID","Function Name","Device Name","Block Size [block]","Grid Size","gpu__time_duration.sum [ms]","inst__x"\n'
    )
    found = read(text + '"0","blur","Ridge 5","256, 1, 1","4, 4, 1","1.25","7"\n', "ncu_raw")
    assert value(found, "time_s") == pytest.approx(1.25e-3, rel=1e-15)
    assert found.trials.machine == ("Ridge 5",)
    assert found.trials.input == ("grid 4x4x1, block 256x1x1",)


def test_without_a_row_of_units_no_unit_is_guessed() -> None:
    found = read(wide_file(METRICS, FIRST, units=False), "ncu_raw")
    assert "time_s" not in names(found)
    assert value(found, "dram__bytes.sum") == 1004.25
    assert "no row of units below the column names" in said(found)
    assert "not known in seconds" in said(found)


def test_a_row_of_units_may_be_empty() -> None:
    assert not read(wide_file([("a", ""), ("b", "")], ("1", "2")), "ncu_raw").warnings


def test_output_between_header_and_units_and_rows() -> None:
    rows = TWO.splitlines()
    noisy = ["==PROF== Connected to process 1", *rows[:1], "step 1", *rows[1:3], "1, 2, 3", "==PROF== x", *rows[3:]]
    found = read("\n".join(noisy) + "\n", "ncu_raw")
    assert cells(found) == cells(read(TWO, "ncu_raw"))


def test_a_damaged_row_of_units_is_refused() -> None:
    with pytest.raises(ReadError, match="line 2: the row of units below the column names is damaged"):
        read(TWO.replace('"Mbyte",', '"Mbyte"', 1), "ncu_raw")


def test_details_and_raw_page_of_one_run_are_joined() -> None:
    details = long_file(*launch([("S", "Occupancy", "%", "50")]), *launch([("S", "Occupancy", "%", "51")], 1))
    raw = wide_file(METRICS[4:], FIRST[4:], SECOND[4:])
    parts = [
        Part(SourceFile("details.csv", details.encode()), NcuDetails()),
        Part(SourceFile("raw.csv", raw.encode()), NcuRaw()),
    ]
    (found,) = gather(parts).imports
    assert len(found.trials) == 2
    assert [value(found, "Occupancy", i) for i in (0, 1)] == [50, 51]
    assert value(found, "time_s", 1) == pytest.approx(12.9e-6)


def test_both_pages_in_one_file() -> None:
    text = long_file(*launch([("S", "Occupancy", "%", "50")])) + "==PROF== y\n" + wide_file(METRICS[4:], FIRST[4:])
    found = read(text, "ncu_details")
    assert len(found.trials) == 1
    assert (value(found, "Occupancy"), value(found, "dram__bytes.sum")) == (50, 1004250000)


def test_rows_that_are_cut_off_or_too_wide_are_skipped() -> None:
    rows = TWO.splitlines()
    found = read("\n".join([*rows[:3], rows[3] + ',"9"', rows[3][:90]]), "ncu_raw")
    assert len(found.trials) == 1
    assert "line 4: not read: the row has 22 cells, the table 21 columns" in said(found)
    assert "line 5: not read" in said(found)


def test_exactly_one_reader_takes_it() -> None:
    assert readers_of(TWO.encode()) == ["ncu_raw"]
    assert readers_of(("==PROF== x\n" + TWO).encode()[:900]) == ["ncu_raw"]
    assert not NcuRaw().sniff(b"ID,Kernel Name,time\n1,k,2\n")


@pytest.mark.slow
def test_damage_never_changes_untouched_rows() -> None:
    whole = [key for key in cells(read(TWO, "ncu_raw")) if key[-1] != "trial"]
    by_line = {1: set(whole), 2: set(whole)}
    by_line |= {n: {k for k in whole if k[3] == f"launch {n - 3}"} for n in (3, 4)}
    check_damaged(TWO, "ncu_raw", by_line, seed=11, n=400)


def test_a_real_raw_page(real_data: Path) -> None:
    raw = (real_data / "formats" / "ncu" / "wide_raw_b200_sdpa_flash.csv").read_bytes()
    assert readers_of(raw) == ["ncu_raw"]
    found = read(raw, "ncu_raw")
    assert len(found.trials) == 16
    assert set(found.trials.machine) == {"NVIDIA B200"}
    assert found.trials.input[0] == "grid 1x64x8, block 128x1x1"
    assert [value(found, "time_s", i) for i in (0, 15)] == pytest.approx([687488e-9, 687872e-9], rel=1e-15)
    assert value(found, "sm__inst_executed.avg.per_cycle_active") == 1.63
    assert unit(found, "profiler__replayer_bytes_mem_accessible.sum") == "byte"
    assert len(found.trials.metrics) == 290
    assert found.machines is not None
    assert len(found.machines.metrics) == 154
    assert found.trials.labels["launch__execution_model"][0] == "SIMT"
