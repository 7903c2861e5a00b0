"""Kernel Tuner's cache: repeats, failures, observers, files still being written, and files that are damaged."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.trial import Kind
from tests.ingest.tool_files import (
    check_damaged,
    check_mistyped,
    column,
    kind,
    metric,
    names,
    read,
    readers_of,
    refusal,
    skipped,
    told,
    value,
)

COSTS = {
    "compile_time": 440.5,
    "verification_time": 0,
    "benchmark_time": 1.5,
    "strategy_time": 0,
    "framework_time": 0.25,
}


def entry(time: Any, times: Any = None, **more: Any) -> dict[str, Any]:
    runs = {"times": times} if times is not None else {}
    return {**more, "time": time, **runs, **COSTS, "timestamp": "2026-01-02 03:04:05.678901+00:00"}


CACHE = {
    "32,1": entry(2.0, [3.5, 1.5, 1.0], bx=32, pad=1),
    "64,0": entry(4.0, [4.25, 3.75], bx=64, pad=0),
}


def cache(entries: dict[str, Any] | None = None, **more: Any) -> str:
    whole = {
        "device_name": "Test GPU 9000",
        "kernel_name": "stencil",
        "problem_size": [4096, 2048],
        "tune_params_keys": ["bx", "pad"],
        "tune_params": {"bx": [32, 64], "pad": [0, 1]},
        "objective": "time",
        **more,
        "cache": CACHE if entries is None else entries,
    }
    return json.dumps({key: part for key, part in whole.items() if part is not None}, indent=1)


def tuned(text: str | bytes, name: str = "cache.json"):
    return read(text, "kernel_tuner", name)


def test_each_measured_execution_is_a_trial() -> None:
    found = tuned(cache())
    assert column(found, "time_s") == [3.5e-3, 1.5e-3, 1e-3, 4.25e-3, 3.75e-3]
    assert metric(found, "time_s").unit == "s"
    assert kind(found, "time_s") is Kind.RESPONSE
    assert found.original_units == {"time_s": "ms"}
    assert found.trials.where[1] == "configuration '32,1' run 2"


def test_kernel_device_and_problem_size_name_the_trials() -> None:
    found = tuned(cache())
    assert set(found.trials.application) == {"stencil"}
    assert set(found.trials.machine) == {"Test GPU 9000"}
    assert set(found.trials.input) == {"4096x2048"}
    assert found.inputs is not None
    assert found.inputs.keys == (("stencil", "4096x2048"),)
    assert [m.name for m in found.inputs.metrics] == ["problem_size_x", "problem_size_y"]
    assert found.inputs.values.tolist() == [[4096, 2048]]


@pytest.mark.parametrize(("size", "name"), [(80000000, "80000000"), ("callable", ""), (["n", 2], "nx2"), (None, "")])
def test_problem_sizes_of_other_kinds(size: Any, name: str) -> None:
    assert set(tuned(cache(problem_size=size)).trials.input) == {name}


def test_a_kernel_without_a_name_is_called_like_the_file() -> None:
    assert set(tuned(cache(kernel_name=None), "gemm_A100.json").trials.application) == {"gemm_A100"}


def test_parameters_are_settings_and_costs_of_tuning_are_left_out() -> None:
    found = tuned(cache())
    assert column(found, "bx") == [32, 32, 32, 64, 64]
    assert {kind(found, "bx"), kind(found, "pad")} == {Kind.PARAMETER}
    assert names(found) == ["time_s", "bx", "pad"]
    assert f"left out, as costs of tuning and not of the kernel: {', '.join(COSTS)}" in told(found)


def test_texts_are_labels_that_tell_configurations_apart_and_booleans_are_numbers() -> None:
    entries = {
        "a": entry(1.0, [1.0], bx="float4", pad=True),
        "b": entry(1.0, [1.0], bx=2, pad=False),
        "c": entry(1.0, [1.0], bx={"deep": 1}, pad=False),
    }
    found = tuned(cache(entries))
    assert found.trials.labels["bx"] == ("float4", "2", '{"deep":1}')
    assert found.trials.parameters == ("bx",)
    assert column(found, "pad") == [1, 0, 0]


@pytest.mark.parametrize(
    ("failed", "why"),
    [
        (entry("CompilationFailedConfig", bx=1, pad=0), "failed: CompilationFailedConfig"),
        (entry("RuntimeFailedConfig", bx=1, pad=0), "failed: RuntimeFailedConfig"),
        (entry("InvalidConfig", bx=1, pad=0), "failed: InvalidConfig"),
        ({"bx": 1, "pad": 0, "__error__": "InvalidConfig", **COSTS}, "failed: InvalidConfig"),
        ({"bx": 1, "pad": 0, "__error__": {"kind": "timeout"}, "time": 3.0}, 'failed: {"kind":"timeout"}'),
        (entry(1e20, bx=1, pad=0), "failed: its time is 1e+20, with which Kernel Tuner marks failures"),
        (entry(float("nan"), [], bx=1, pad=0), "no time was measured"),
        ({"bx": 1, "pad": 0}, "no time was measured"),
        (7, "no object"),
    ],
    ids=range(9),
)
def test_failures_are_skipped_with_their_reason(failed: Any, why: str) -> None:
    found = tuned(cache({**CACHE, "1,0": failed}))
    assert skipped(found) == [f"configuration '1,0': {why}"]
    assert len(found.trials) == 5


def test_a_failure_may_stand_at_the_objective() -> None:
    entries = {**CACHE, "1,0": {"bx": 1, "pad": 0, "GFLOP/s": "RuntimeFailedConfig"}}
    found = tuned(cache(entries, objective="GFLOP/s"))
    assert skipped(found) == ["configuration '1,0': failed: RuntimeFailedConfig"]


def test_a_cache_of_failures_alone_is_refused() -> None:
    sentence = refusal(cache({"1,0": entry("InvalidConfig", bx=1, pad=0)}), "kernel_tuner")
    assert "failed: InvalidConfig" in sentence


def test_where_only_the_mean_is_kept_it_is_the_trial() -> None:
    found = tuned(cache({"32,1": entry(2.5, bx=32, pad=1)}))
    assert column(found, "time_s") == [2.5e-3]
    assert "mean is the trial" in told(found)


def test_a_run_whose_time_is_no_number_is_skipped() -> None:
    found = tuned(cache({"32,1": entry(2.5, [1.0, float("nan"), 3.0], bx=32, pad=1)}))
    assert column(found, "time_s") == [1e-3, 3e-3]
    assert skipped(found) == ["configuration '32,1' run 2: its time is no number"]


def test_outcomes_of_observers_are_responses_and_counters_are_counters() -> None:
    more = {
        "ps_energy": 0.25,
        "nvml_power": 75.5,
        "core_freq": 1080.0,
        "temperature": 45.0,
        "gr_voltage": 700.0,
        "GFLOP/s": 812.5,
        "dram__bytes.sum": 4096.0,
        "nvml_energy": [0.5, 0.75],
        "power_readings": [[0, 1], [1, 2], [2, 3]],
    }
    found = tuned(cache({"32,1": entry(2.0, [1.0, 3.0], bx=32, pad=1, **more)}))
    units = {name: (metric(found, name).unit, kind(found, name).value) for name in more if name in names(found)}
    assert units == {
        "ps_energy": ("J", "response"),
        "nvml_power": ("W", "response"),
        "core_freq": ("Hz", "response"),
        "temperature": ("°C", "response"),
        "gr_voltage": ("V", "response"),
        "GFLOP/s": ("", "response"),
        "dram__bytes.sum": ("", "counter"),
        "nvml_energy": ("J", "response"),
    }
    assert column(found, "core_freq") == [1.08e9, 1.08e9]
    assert column(found, "nvml_energy") == [0.5, 0.75]
    assert "neither one number nor one for each run: power_readings" in told(found)


def test_a_list_of_single_values_and_its_mean_are_one_outcome() -> None:
    more = {
        "cores_freqs": [1000.0, 1080.0],
        "core_freq": 1040.0,
        "temperatures": [44.0, 46.0],
        "temperature": 45.0,
        "nvml_energy": 0.625,
        "nvml_energys": [0.5, 0.75],
    }
    found = tuned(cache({"32,1": entry(2.0, [1.0, 3.0], bx=32, pad=1, **more)}))
    outcomes = [m.name for m in found.trials.metrics if m.kind is Kind.RESPONSE]
    assert sorted(outcomes) == ["core_freq", "nvml_energy", "temperature", "time_s"]
    assert (column(found, "core_freq"), metric(found, "core_freq").unit) == ([1e9, 1.08e9], "Hz")
    assert (column(found, "temperature"), column(found, "nvml_energy")) == ([44.0, 46.0], [0.5, 0.75])


WHOLE = cache()


@pytest.mark.parametrize("ending", ["", ",", ",\n", "\n", "\n}", "}"], ids=repr)
def test_a_cache_that_was_left_open_is_read(ending: str) -> None:
    text = WHOLE.rstrip()[:-1].rstrip()[:-1].rstrip() + ending
    found = tuned(text)
    assert len(found.trials) == 5
    assert skipped(found)[0].endswith("the file breaks off; tuning was stopped or still ran")


@pytest.mark.parametrize("cut", [1, 5, 40, 90, 150])
def test_a_cache_cut_inside_an_entry_gives_the_entries_before_it(cut: int) -> None:
    found = tuned(WHOLE[: WHOLE.index('"64,0"') + cut])
    line = WHOLE[: WHOLE.index('"64,0"')].count("\n")
    assert column(found, "time_s") == [3.5e-3, 1.5e-3, 1e-3]
    assert skipped(found) == [f"after line {line}: the file breaks off; tuning was stopped or still ran"]


def test_a_cache_broken_in_the_middle_is_refused() -> None:
    assert "no valid JSON" in refusal(WHOLE.replace('"bx": 32', '"bx" 32'), "kernel_tuner")


def test_a_cache_that_had_only_begun_is_refused() -> None:
    begun = WHOLE[: WHOLE.index('"32,1"')]
    assert readers_of(begun) == ["kernel_tuner"]
    assert "no valid JSON" in refusal(begun, "kernel_tuner")
    assert "holds no measurements" in refusal(cache({}), "kernel_tuner")


def test_a_configuration_said_twice_is_refused() -> None:
    assert "twice" in refusal(WHOLE.replace('"64,0"', '"32,1"'), "kernel_tuner")


def test_a_packed_cache() -> None:
    assert len(tuned(gzip.compress(WHOLE.encode(), mtime=0), "A100.json.gz").trials) == 5


@pytest.mark.parametrize(
    "text", ['{"tune_params_keys": 3}', '{"cache": {}}', '[{"tune_params_keys": []}]', "tune_params_keys\n"]
)
def test_other_files_are_no_caches(text: str) -> None:
    assert "kernel_tuner" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(WHOLE, "kernel_tuner")
    check_mistyped(WHOLE, "kernel_tuner", n=300)


@pytest.mark.parametrize(
    ("file", "n_trials", "first", "machine"),
    [
        ("cache_vector_add_A4000.json", 15 * 7, 0.1268800050020218, "NVIDIA RTX A4000"),
        ("cache_time_energy.json", 15 * 32, 3.2092161178588867, "NVIDIA RTX 4000 Ada Generation"),
    ],
)
def test_real_files(real_data: Path, file: str, n_trials: int, first: float, machine: str) -> None:
    found = tuned((real_data / "formats/kernel_tuner" / file).read_bytes(), file)
    assert len(found.trials) == n_trials
    assert value(found, "time_s") == pytest.approx(first / 1000, rel=1e-15)
    assert (found.trials.application[0], found.trials.machine[0]) == ("vector_add", machine)
    assert value(found, "block_size_x") == 128
    assert not skipped(found)
