"""KTT's JSON: statuses, several kernels, typed counters, time units, and files that are damaged."""

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


def kernel(duration: float = 96.5, name: str = "vec", **more: Any) -> dict[str, Any]:
    return {
        "KernelFunction": name,
        "Duration": duration,
        "Overhead": 10513.5,
        "GlobalSize": {"X": 32768, "Y": 1, "Z": 1},
        "LocalSize": {"X": 32, "Y": 1, "Z": 1},
        "CompilationData": {
            "ConstantMemorySize": 0,
            "LocalMemorySize": 64,
            "MaxWorkGroupSize": 1024,
            "PrivateMemorySize": 0,
            "RegistersCount": 12,
        },
        **more,
    }


def result(*kernels: Any, status: str = "Ok", block: int = 32, **more: Any) -> dict[str, Any]:
    return {
        "KernelName": "vec_kernel",
        "Status": status,
        "TotalDuration": 96.5,
        "TotalOverhead": 5.5,
        "Configuration": [
            {"Name": "BLOCK", "Value": block, "ValueType": "UnsignedInt"},
            {"Name": "PAD", "Value": True, "ValueType": "Bool"},
            {"Name": "TYPE", "Value": "float4", "ValueType": "String"},
        ],
        "ComputationResults": list(kernels or (kernel(),)),
        **more,
    }


def ktt(*results: Any, unit: str = "Microseconds") -> str:
    metadata = {
        "ComputeApi": "CUDA",
        "Device": "Test GPU",
        "GlobalSizeType": "CUDA",
        "KttVersion": "2.1.0",
        "TimeUnit": unit,
    }
    return json.dumps({"Metadata": metadata, "Results": list(results or (result(),))}, indent=2)


def tuned(text: str, name: str = "out.json"):
    return read(text, "ktt_json", name)


def test_a_kernel_of_a_configuration_is_a_trial() -> None:
    found = tuned(ktt(result(), result(kernel(50.25), block=64)))
    assert found.trials.application == ("vec", "vec")
    assert found.trials.machine == ("Test GPU", "Test GPU")
    assert found.trials.labels["kernel"] == ("vec_kernel", "vec_kernel")
    assert column(found, "time_s") == pytest.approx([96.5e-6, 50.25e-6])
    assert kind(found, "time_s") is Kind.RESPONSE
    assert found.trials.where == ("result 1", "result 2")


def test_parameters_are_settings() -> None:
    found = tuned(ktt(result(), result(block=64)))
    assert column(found, "BLOCK") == [32, 64]
    assert column(found, "PAD") == [1, 1]
    assert {kind(found, "BLOCK"), kind(found, "PAD")} == {Kind.PARAMETER}
    assert (found.trials.labels["TYPE"], found.trials.parameters) == (("float4", "float4"), ("TYPE",))


def test_sizes_and_compilation_are_counters_and_costs_are_left_out() -> None:
    found = tuned(ktt())
    assert (value(found, "GlobalSize X"), value(found, "RegistersCount")) == (32768, 12)
    assert metric(found, "LocalMemorySize").unit == "byte"
    assert not {"Overhead", "TotalOverhead", "TotalDuration"} & set(names(found))
    assert "TotalDuration, TotalOverhead" in told(found)


def test_several_kernels_of_a_configuration_are_trials_of_their_own() -> None:
    found = tuned(ktt(result(kernel(10.0, "first"), kernel(20.0, "second"))))
    assert found.trials.application == ("first", "second")
    assert column(found, "time_s") == pytest.approx([1e-5, 2e-5])
    assert found.trials.where == ("result 1 kernel 1", "result 1 kernel 2")


@pytest.mark.parametrize(
    "status", ["ComputationFailed", "ValidationFailed", "CompilationFailed", "DeviceLimitsExceeded"]
)
def test_results_that_are_not_ok_are_skipped_with_their_status(status: str) -> None:
    found = tuned(ktt(result(), result(status=status)))
    assert skipped(found) == [f"result 2: status {status}"]
    assert len(found.trials) == 1


def test_an_empty_result_and_a_kernel_without_a_time_are_skipped() -> None:
    empty = {**result(), "ComputationResults": []}
    found = tuned(ktt(result(), empty, result({"KernelFunction": "x"})))
    assert skipped(found) == ["result 2: no kernel was measured", "result 3: no time was measured"]


def test_counters_with_their_types() -> None:
    counters = [
        {"Name": "dram__sectors_read.sum", "Type": "Double", "Value": 262325.0},
        {"Name": "sm_efficiency", "Type": "Percent", "Value": 87.5},
        {"Name": "smsp__thread_inst_executed_per_inst_executed.pct", "Type": "Double", "Value": 100.0},
        {"Name": "inst_executed", "Type": "UnsignedInt", "Value": 7},
    ]
    found = tuned(ktt(result(kernel(ProfilingData={"Counters": counters, "RemainingProfilingRuns": 0}))))
    assert {c["Name"]: value(found, c["Name"]) for c in counters} == {c["Name"]: c["Value"] for c in counters}
    units = [metric(found, c["Name"]).unit for c in counters]
    assert units == ["", "%", "%", ""]
    assert kind(found, "inst_executed") is Kind.COUNTER


def test_counters_that_are_not_all_measured_are_said() -> None:
    found = tuned(ktt(result(kernel(ProfilingData={"Counters": [], "RemainingProfilingRuns": 2}))))
    assert "not all profiling runs were made" in told(found)


@pytest.mark.parametrize(
    ("unit", "factor"), [("Nanoseconds", 1e-9), ("Microseconds", 1e-6), ("Milliseconds", 1e-3), ("Seconds", 1)]
)
def test_time_units(unit: str, factor: float) -> None:
    assert column(tuned(ktt(unit=unit)), "time_s") == pytest.approx([96.5 * factor])


def test_an_unknown_time_unit_is_refused() -> None:
    assert "time unit is 'Hours'" in refusal(ktt(unit="Hours"), "ktt_json")


def test_the_older_way_to_say_types() -> None:
    text = ktt().replace('"ValueType": "UnsignedInt"', '"IsDouble": false')
    assert column(tuned(text), "BLOCK") == [32]


def test_a_file_cut_off_gives_what_is_whole() -> None:
    text = ktt(result(), result(block=64))
    found = tuned(text[: text.rindex('"RegistersCount"') + 9])
    assert column(found, "BLOCK") == [32]
    assert "breaks off" in skipped(found)[0]


def test_no_results_are_refused() -> None:
    text = '{"Metadata": {"KttVersion": "2.1.0", "TimeUnit": "Seconds"}, "Results": []}'
    assert readers_of(text) == ["ktt_json"]
    assert "holds no measurements" in refusal(text, "ktt_json")


@pytest.mark.parametrize(
    "text", ['{"Metadata": {}, "Results": []}', '{"KttVersion": "2"}', '[{"Metadata": {}, "ComputationResults": []}]']
)
def test_other_json_is_not_ktts(text: str) -> None:
    assert "ktt_json" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(ktt(result(), result()), "ktt_json")
    check_mistyped(ktt(result(), result()), "ktt_json", n=300)


@pytest.mark.parametrize(
    ("file", "n_trials", "application", "time", "checked"),
    [
        ("SimulationInput_counters.json", 4, "vectorAddition", 96.256, ("dram__sectors_read.sum", 262325)),
        ("TuningOutput_triad_3060.json", 10, "triad", 16.384, ("BLOCK_SIZE", 32)),
    ],
)
def test_real_files(
    real_data: Path, file: str, n_trials: int, application: str, time: float, checked: tuple[str, float]
) -> None:
    found = tuned((real_data / "formats/ktt" / file).read_text(), file)
    assert len(found.trials) == n_trials
    assert found.trials.application[0] == application
    assert value(found, "time_s") == pytest.approx(time * 1e-6)
    assert value(found, checked[0]) == checked[1]
    assert not skipped(found)
