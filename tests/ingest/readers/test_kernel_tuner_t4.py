"""T4 results: spellings of the times, invalid configurations, KTT's dialect, and files that are damaged."""

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


def result(runtimes: list[Any] | None = None, invalidity: str = "correct", **more: Any) -> dict[str, Any]:
    whole = {
        "timestamp": "2026-01-02 03:04:05",
        "configuration": {"bx": 32, "method": "pso"},
        "times": {
            "compilation_time": 41.5,
            "framework": 1.5,
            "search_algorithm": 0,
            "validation": 0,
            "runtimes": runtimes or [2.5, 1.5],
        },
        "invalidity": invalidity,
        "correctness": 1,
        "measurements": [{"name": "time", "value": 2.0, "unit": "ms"}, {"name": "GFLOP/s", "value": 99.5, "unit": ""}],
        "objectives": ["time"],
    }
    return {**whole, **more}


def t4(*results: Any, metadata: Any = None, **more: Any) -> str:
    said = {"metadata": {"timeunit": "milliseconds"} if metadata is None else metadata}
    return json.dumps({**said, "schema_version": "1.0.0", "results": list(results or (result(),)), **more}, indent=1)


def tuned(text: str | bytes, name: str = "gemm.json"):
    return read(text, "kernel_tuner_t4", name)


def test_each_measured_execution_is_a_trial() -> None:
    found = tuned(t4(result(), result([4.0], configuration={"bx": 64, "method": "pso"})), "gemm_T4.json.gz"[:-3])
    assert column(found, "time_s") == [2.5e-3, 1.5e-3, 4e-3]
    assert column(found, "bx") == [32, 32, 64]
    assert kind(found, "bx") is Kind.PARAMETER
    assert found.trials.labels["method"] == ("pso",) * 3
    assert found.trials.parameters == ("method",)
    assert found.trials.application == ("gemm_T4",) * 3
    assert found.trials.where[2] == "result 2 run 1"


def test_measurements_are_outcomes_and_the_time_is_there_once() -> None:
    found = tuned(t4())
    assert names(found) == ["time_s", "bx", "GFLOP/s"]
    assert kind(found, "GFLOP/s") is Kind.RESPONSE
    assert "left out, as costs of tuning and not of the kernel: compilation_time, framework" in told(found)


@pytest.mark.parametrize(
    ("unit", "factor"),
    [
        ("milliseconds", 1e-3),
        ("miliseconds", 1e-3),
        ("microseconds", 1e-6),
        ("nanoseconds", 1e-9),
        ("seconds", 1),
        ("Milliseconds", 1e-3),
    ],
)
def test_time_units_and_their_spellings(unit: str, factor: float) -> None:
    assert column(tuned(t4(metadata={"timeunit": unit})), "time_s") == pytest.approx([2.5 * factor, 1.5 * factor])


def test_a_time_unit_that_is_not_said_is_milliseconds_and_said() -> None:
    found = tuned(t4(result(measurements=[{"name": "time", "value": 2.0, "unit": ""}]), metadata={}))
    assert column(found, "time_s") == [2.5e-3, 1.5e-3]
    assert "does not say its time unit" in told(found)


def test_the_time_unit_is_that_of_the_measurements_where_the_metadata_do_not_say_it() -> None:
    found = tuned(t4(result(measurements=[{"name": "time", "value": 2.0, "unit": "us"}]), metadata={}))
    assert column(found, "time_s") == pytest.approx([2.5e-6, 1.5e-6])
    assert "time unit" not in told(found)


def test_an_unknown_time_unit_is_refused() -> None:
    assert "time unit is 'fortnights'" in refusal(t4(metadata={"timeunit": "fortnights"}), "kernel_tuner_t4")


@pytest.mark.parametrize("invalidity", ["timeout", "compile", "runtime", "correctness", "constraints"])
def test_invalid_configurations_are_skipped_with_their_reason(invalidity: str) -> None:
    found = tuned(t4(result(), result(invalidity=invalidity)))
    assert skipped(found) == [f"result 2: invalid: {invalidity}"]
    assert len(found.trials) == 2


def test_results_without_a_time_are_skipped() -> None:
    bare = result(times={"runtimes": []}, measurements=[])
    found = tuned(t4(result(), bare, 3))
    assert skipped(found) == ["result 2: no time was measured", "result 3: no object"]


def test_where_only_the_mean_is_kept_it_is_the_trial() -> None:
    found = tuned(t4(result(times={"compilation": 1.0})))
    assert column(found, "time_s") == [2e-3]
    assert "mean is the trial" in told(found)


def test_one_value_for_each_run_and_texts() -> None:
    measurements = [
        {"name": "energy", "value": [0.5, 0.25], "unit": "J"},
        {"name": "note", "value": "cold", "unit": ""},
        {"name": "dram__bytes.sum", "value": "4096", "unit": ""},
    ]
    found = tuned(t4(result(measurements=measurements)))
    assert column(found, "energy") == [0.5, 0.25]
    assert metric(found, "energy").unit == "J"
    assert kind(found, "dram__bytes.sum") is Kind.COUNTER
    assert "neither one number nor one for each run: note" in told(found)


def test_the_dialect_of_ktt() -> None:
    ktt = result(
        [90.5],
        configuration={"BLOCK": "32", "VECTOR": "float4", "PAD": "true"},
        measurements=[
            {"name": "time", "unit": "", "value": 90.5},
            {"name": "sm__warps.avg.pct_of_peak_sustained_active", "type": "Double", "unit": "", "value": 24.5},
            {"name": "inst_executed", "type": "UnsignedInt", "unit": "", "value": 7},
        ],
        compilation_data={"registers": 12, "local_memory_size": 64, "global_size": {"x": 32768, "y": 1, "z": 1}},
    )
    found = tuned(t4(ktt, metadata={"timeunit": "microseconds", "device": "Test GPU", "autotuner": "KTT"}))
    assert value(found, "time_s") == pytest.approx(90.5e-6)
    assert found.trials.machine == ("Test GPU",)
    assert (value(found, "BLOCK"), value(found, "PAD")) == (32, 1)
    assert found.trials.labels["VECTOR"] == ("float4",)
    assert (metric(found, "sm__warps.avg.pct_of_peak_sustained_active").unit, kind(found, "inst_executed")) == (
        "%",
        Kind.COUNTER,
    )
    assert (value(found, "registers"), value(found, "global_size x")) == (12, 32768)
    assert metric(found, "local_memory_size").unit == "byte"


def test_a_packed_file() -> None:
    assert len(tuned(gzip.compress(t4().encode(), mtime=0), "A100_T4.json.gz").trials) == 2


def test_results_cut_off_give_what_is_whole() -> None:
    text = t4(result(), result([9.0]))
    found = tuned(text[: text.rindex('"runtimes"') + 5])
    assert column(found, "time_s") == [2.5e-3, 1.5e-3]
    assert "breaks off" in skipped(found)[0]


def test_metadata_alone_is_refused() -> None:
    text = '{"metadata": {"hardware": {"operating_system": "Linux"}}, "schema_version": "1.0.0"}'
    assert readers_of(text) == ["kernel_tuner_t4"]
    assert "Import the file with results" in refusal(text, "kernel_tuner_t4")


def test_no_results_are_refused() -> None:
    text = '{"results": [], "schema_version": "1.0.0"}'
    assert readers_of(text) == ["kernel_tuner_t4"]
    assert "holds no measurements" in refusal(text, "kernel_tuner_t4")


@pytest.mark.parametrize(
    "text", ['{"results": [1, 2]}', '{"results": [{"name": 1}]}', '{"type": "object", "properties": {"results": {}}}']
)
def test_other_json_is_no_t4(text: str) -> None:
    assert "kernel_tuner_t4" not in readers_of(text)


def test_damaged_files_end_in_one_sentence() -> None:
    check_damaged(t4(result(), result(compilation_data={"registers": 3})), "kernel_tuner_t4")
    check_mistyped(t4(result(), result(compilation_data={"registers": 3})), "kernel_tuner_t4", n=300)


def test_a_real_file(real_data: Path) -> None:
    raw = (real_data / "formats/kernel_tuner/T4_results_dual_annealing.json").read_bytes()
    found = tuned(raw, "T4_results_dual_annealing.json")
    assert len(found.trials) == 8
    assert value(found, "time_s") == pytest.approx(2291.3094415632077)
    assert (value(found, "score"), kind(found, "score")) == (-0.234, Kind.RESPONSE)
    assert found.trials.labels["method"][:2] == ("COBYLA", "L-BFGS-B")
