"""KTT's CSV: parameters told from counters, several kernels, failures, and files that are damaged."""

import pytest

from core.trial import Kind
from tests.ingest.tool_files import check_damaged, column, kind, metric, names, read, readers_of, refusal, skipped, told
from tests.ingest.tool_files import value as value_of

NEW = """Kernel name,Computation duration (us),Global size,Local size,multiply_block_size,UNROLL,dram__throughput.avg.pct_of_peak_sustained_elapsed,smsp__inst_executed.sum,Maximum work-group size,Local memory size,Private memory size,Constant memory size,Registers count
vec_kernel,77.5,1048576,32,32,1,52.25,2.09715e+06,1024,64,0,0,12
vec_kernel,63.25,1048576,64,64,2,76.75,262231,1024,128,0,0,14
"""
OLD = """Kernel name,Computation duration (ms),Global size,Local size,MWG,NWG,PRECISION,inst_executed,dram_utilization
gemm,1.5,1024,32,16,32,float,1000,3
gemm,2.5,1024,32,16,64,double,2000,

Kernel name,Error message,Global size,Local size,MWG,NWG,PRECISION,inst_executed,dram_utilization
gemm,CUDA error  out of resources,1024,2048,64,32,float
"""


def tuned(text: str, name: str = "out.csv"):
    return read(text, "ktt_csv", name)


def test_a_row_is_a_trial_with_its_time_in_seconds() -> None:
    found = tuned(NEW)
    assert found.trials.application == ("vec_kernel", "vec_kernel")
    assert column(found, "time_s") == pytest.approx([77.5e-6, 63.25e-6])
    assert kind(found, "time_s") is Kind.RESPONSE
    assert found.trials.where == ("line 2", "line 3")


def test_parameters_are_told_from_counters_by_place_and_name() -> None:
    found = tuned(NEW)
    assert [m.name for m in found.trials.metrics if m.kind is Kind.PARAMETER] == ["multiply_block_size", "UNROLL"]
    assert value_of(found, "smsp__inst_executed.sum") == 2097150
    assert kind(found, "smsp__inst_executed.sum") is Kind.COUNTER
    assert metric(found, "dram__throughput.avg.pct_of_peak_sustained_elapsed").unit == "%"
    assert "taken for tuning parameters, by their place and names: multiply_block_size, UNROLL." in told(found)


def test_what_the_compiler_says_has_units() -> None:
    found = tuned(NEW)
    assert (metric(found, "Local memory size").unit, column(found, "Local memory size")) == ("byte", [64, 128])
    assert column(found, "Registers count") == [12, 14]


def test_old_files_with_counters_of_cupti_and_texts() -> None:
    found = tuned(OLD)
    assert found.trials.parameters == ("PRECISION",)
    assert found.trials.labels["PRECISION"] == ("float", "double")
    assert column(found, "inst_executed") == [1000, 2000]
    assert column(found, "dram_utilization")[0] == 3
    assert column(found, "time_s") == pytest.approx([1.5e-3, 2.5e-3])


def test_configurations_that_failed_are_skipped_with_their_message() -> None:
    text = OLD.replace("64,32,float\n", "64,32,float,0,0\n")
    assert skipped(tuned(text)) == ["line 6: failed: CUDA error  out of resources"]
    assert skipped(tuned(OLD)) == ["line 6: 7 cells where the header has 9"]


def test_several_kernels_and_spaces_after_commas() -> None:
    text = """Kernel name, Computation duration (ns), Global size 0, Local size 0, Global size 1, Local size 1, A, B,
two, 1500, 10, 1, 20, 2, 1, 2,
two, 1600, 10, 1, 20, 2
two, n/a, 10, 1, 20, 2, 1, 2,
"""
    found = tuned(text)
    assert column(found, "Global size 1") == [20]
    assert (value_of(found, "time_s"), value_of(found, "B")) == (pytest.approx(1.5e-6), 2)
    assert skipped(found) == ["line 3: 6 cells where the header has 8", "line 4: its time is 'n/a', expected a number"]


@pytest.mark.parametrize(
    "name",
    [
        "inst_executed 1",
        "achieved_occupancy",
        "l2_read_transactions",
        "sm_efficiency",
        "flop_count_dp",
        "lts__t_bytes.sum",
    ],
)
def test_counters_of_cupti_and_ncu(name: str) -> None:
    found = tuned(
        f"Kernel name,Computation duration (us),Global size,Local size,LOCAL_SIZE,warp_size,{name}\nk,1,1,1,2,3,4\nk,2,1,1,4,3,5\n"
    )
    assert kind(found, name) is Kind.COUNTER
    assert {kind(found, n) for n in ("LOCAL_SIZE", "warp_size")} == {Kind.PARAMETER}


def test_an_older_header_and_banners() -> None:
    found = tuned("[Info] Initializing\nKernel name,Kernel duration (us),Global size,Local size,A\nk,3,1,1,7\n")
    assert (value_of(found, "time_s"), value_of(found, "A")) == (pytest.approx(3e-6), 7)
    assert skipped(found) == ["line 1: above the header of KTT"]


def test_a_header_without_rows_is_refused() -> None:
    assert "holds no measurements" in refusal(NEW.splitlines()[0] + "\n", "ktt_csv")


def test_a_cell_that_is_no_number_is_missing_and_said() -> None:
    found = tuned(NEW.replace("262231", "oops"))
    assert names(found).count("smsp__inst_executed.sum") == 1
    assert skipped(found) == ["line 3, smsp__inst_executed.sum: 'oops' is no number"]


@pytest.mark.parametrize(
    "text", ["Kernel name,time\nk,1\n", "name,Computation duration (us)\nk,1\n", "Kernel name,Duration (us)\nk,1\n"]
)
def test_other_tables_are_not_ktts(text: str) -> None:
    assert "ktt_csv" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(NEW, "ktt_csv")
    check_damaged(OLD, "ktt_csv", seed=1)
