"""Criterion's estimates: a trial for each benchmark, which its folders name."""

import json
from pathlib import Path

from core.ingest import SourceFile, drop, parts_of
from core.trial import Kind
from tests.ingest.tool_files import check_damaged, check_mistyped, kind, read, readers_of, refusal, value


def estimates(time: float, *, slope: bool = True) -> str:
    """The file of a benchmark that takes a time in ns."""

    def of(x: float) -> dict[str, object]:
        interval = {"confidence_level": 0.95, "lower_bound": 0.99 * x, "upper_bound": 1.01 * x}
        return {"confidence_interval": interval, "point_estimate": x, "standard_error": 0.005 * x}

    said = {"mean": of(1.1 * time), "median": of(time), "median_abs_dev": of(1.0), "std_dev": of(2.0)}
    return json.dumps(said | {"slope": of(time) if slope else None})


def test_the_time_is_what_criterion_prints_and_folders_say_what_ran() -> None:
    found = read(estimates(2500.0), "criterion", "target/criterion/matmul/tiled/1024/new/estimates.json")
    assert (found.trials.application, found.trials.input) == (("matmul/tiled",), ("1024",))
    assert (value(found, "time_s"), kind(found, "time_s")) == (2.5e-6, Kind.RESPONSE)
    assert found.inputs is not None
    assert found.inputs.values.tolist() == [[1024]]
    grouped = read(estimates(2500.0), "criterion", "criterion/matmul/1,024/new/estimates.json")
    assert (grouped.trials.application, grouped.trials.input) == (("matmul/1,024",), ("",))
    flat = read(estimates(2000.0, slope=False), "criterion", "criterion/parse/new/estimates.json")
    assert (flat.trials.application, flat.trials.input, value(flat, "time_s")) == (("parse",), ("",), 2.2e-6)
    alone = read(estimates(2000.0), "criterion", "estimates.json")
    assert alone.trials.application == ("estimates",)


def test_a_baseline_that_was_kept_is_a_setting_and_the_one_compared_with_is_refused() -> None:
    found = read(estimates(2500.0), "criterion", "criterion/parse/main/estimates.json")
    assert (found.trials.parameters, found.trials.labels["baseline"]) == (("baseline",), ("main",))
    assert "the folder `new` beside it" in refusal(estimates(1.0), "criterion", "criterion/parse/base/estimates.json")


def test_what_changed_is_no_time() -> None:
    change = {name: json.loads(estimates(0.01))[name] for name in ("mean", "median")}
    assert readers_of(json.dumps(change)) == []
    assert "no time" in refusal(estimates(0.0).replace("0.0}", "null}"), "criterion", "criterion/a/new/estimates.json")


def test_the_folder_is_read_as_cargo_leaves_it(tmp_path: Path) -> None:
    files = list[SourceFile]()
    for n in (64, 256, 1024):
        own = f"criterion/matmul/tiled/{n}/new"
        said = {"group_id": "matmul", "function_id": "tiled", "value_str": str(n), "throughput": None}
        files += [
            SourceFile(f"{own}/benchmark.json", json.dumps(said).encode()),
            SourceFile(f"{own}/estimates.json", estimates(2.5 * n).encode()),
            SourceFile(f"{own}/sample.json", b'{"sampling_mode":"Linear","iters":[1.0,2.0],"times":[5.0,11.0]}'),
            SourceFile(f"{own}/tukey.json", b"[1.0,2.0,3.0,4.0]"),
        ]
    found = drop(parts_of(files), folder=True)
    assert {own.trials.input for own in found.gathered().imports} == {("64",), ("256",), ("1024",)}


def test_one_empty_text_of_a_run_is_no_outcome() -> None:
    files = [
        SourceFile(f"run{k}.json", json.dumps({"app": "a", "time": "", "n": k, "time_s": 1.5 * k}).encode())
        for k in (1, 2, 3)
    ]
    assert drop(parts_of(files)).recognition.tables[0].rows == 3


def test_damage() -> None:
    check_damaged(estimates(1234.5), "criterion")
    check_mistyped(estimates(1234.5), "criterion")
