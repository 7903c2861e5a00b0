"""Names by which tools call things."""

import pytest

from core.ingest.recognition.words import (
    is_counter,
    is_efficiency,
    is_identifier,
    is_input,
    is_outcome,
    is_run,
    is_setting,
    key,
    tokens,
)


def test_names_are_split_alike() -> None:
    assert tokens("AppName") == tokens("app_name") == tokens("App.Name") == ["app", "name"]
    assert key("Input.Size") == "input_size"
    assert tokens("Comparações") == ["comparacoes"]
    assert tokens("std::sort") == ["sort"]


OUTCOMES = [
    "kernel_time_us",
    "time",
    "runtime",
    "Duration",
    "DurationNs",
    "latency_ms",
    "energy_mj",
    "power_w",
    "Power A15",
    "Workload Duration",
    "cycles",
    "wattage",
    "gpu__time_duration.sum",
    "kernel time",
    "run_time",
    "median_time_ms",
    "GFLOP/s",
    "busbw_oop",
]
OTHERS = [
    "timestamp",
    "compile_time",
    "power_limit",
    "tdp_w",
    "active_cycles",
    "clock_mhz",
    "times_called",
    "instructions",
    "l2_misses",
    "power_of_two",
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed",
    "TCP_LATENCY_sum",
    "idle_power",
    "time_step",
]


@pytest.mark.parametrize("name", OUTCOMES)
def test_outcomes(name: str) -> None:
    assert is_outcome(name)


@pytest.mark.parametrize("name", OTHERS)
def test_no_outcomes(name: str) -> None:
    assert not is_outcome(name)


def test_runs_and_identifiers() -> None:
    assert all(map(is_run, ("run", "Repeat", "iteration", "trial_id")))
    assert not is_run("runtime")
    assert all(map(is_identifier, ("ID", "Process ID", "gpu-id", "Kernel_Id", "kernel_idx")))
    assert not is_identifier("width")


def test_an_outcome_is_one_with_or_without_something() -> None:
    assert all(map(is_outcome, ("gpu_time_no_memcpy", "gpu_time_with_memcpy", "cputime", "base_dur")))
    assert not any(map(is_outcome, ("no_of_runs", "with_cache", "tile_without_halo")))
    assert all(map(is_counter, ("L1_DCM", "PAPI_TOT_INS")))


def test_efficiencies_say_of_what_they_are_one_or_of_nothing() -> None:
    assert all(map(is_efficiency, ("Efficiency", "eff_pct", "strong_scaling_efficiency", "efficiency_total")))
    assert all(map(is_efficiency, ("eficiencia_paralela", "Effizienz", "Efficacité")))
    assert not any(map(is_efficiency, ("warp_execution_efficiency", "busbw_eff", "total", "parallel")))


def test_counts_of_other_languages_are_counters_and_sizes_of_a_program_no_problem() -> None:
    assert all(map(is_counter, ("Comparações", "Comparacoes", "Movimientos", "Vergleiche", "échanges", "Iterationen")))
    assert not any(map(is_input, ("buffer_size", "window_size", "pool_size", "cacheline_size", "resident set size")))
    assert is_input("matrix_size")


def test_an_average_was_not_set() -> None:
    assert is_setting("filter_size")
    assert not is_setting("Avg FILTER SRAM BW")
