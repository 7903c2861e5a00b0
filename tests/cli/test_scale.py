"""`ridgeline scale` and `ridgeline segments` from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from tests.scaling.made import made_study

STUDY = made_study(36, levels=(2, 3, 2))
NAMES = ("cores", "clock_mhz", "mem_gbs")
HIGHEST = "cores=32,clock_mhz=1000,mem_gbs=260"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("scale")
    lines = ["kernel,cores,clock_mhz,mem_gbs,flops,bytes,time_s,power_w"]
    for k, name in enumerate(STUDY.kernels):
        for c, point in enumerate(STUDY.grid):
            cells = [*point, *STUDY.counts[k, c, :2], *STUDY.values[:, k, c]]
            lines.append(",".join([name, *(f"{x:.9g}" for x in cells)]))
    (folder / "runs.csv").write_text("\n".join(lines) + "\n")
    base = [line for line in lines[1:] if ",32,1000,260," in line]
    head = lines[0].replace("cores,clock_mhz,mem_gbs,", "")
    (folder / "new.csv").write_text(
        "\n".join([head, *(line.replace("32,1000,260,", "", 1) for line in base[:3])]) + "\n"
    )
    db = str(folder / "db.duckdb")
    command = ["--db", db, "import", str(folder / "runs.csv"), "--dataset", "gpu", "--application", "kernel"]
    assert main([*command, "--parameter", ",".join(NAMES), "--response", "time_s:s", "--response", "power_w:W"]) == 0
    return db


def run(db: str, part: str, *more: str) -> list[str]:
    return ["--db", db, "scale", part, *more, "--dataset", "gpu", "--response", "time_s", "--response", "power_w"]


def as_json(argv: list[str], capsys: pytest.CaptureFixture[str]) -> dict:
    capsys.readouterr()
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_validate(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(run(database, "validate", "--base", HIGHEST, "--folds", "kfold:4", "--set", "trees=30"), capsys)
    assert found["predictor"] == "shared_leaves"
    assert (found["n_kernels"], found["n_configurations"], found["n_counters"]) == (36, 12, 2)
    time = found["responses"][0]
    assert time["scores"]["mape"] < time["mean_surface_mape"]
    assert set(time["kernels"]) == set(STUDY.kernels)
    assert time["scores"]["n"] == 36 * 11


@pytest.mark.slow
def test_validate_from_all_bases(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    argv = run(database, "validate", "--all-bases", "--folds", "kfold:3", "--clusters", "2,6", "--set", "iterations=40")
    found = as_json(argv, capsys)
    assert found["predictor"] == "network"
    assert len(found["responses"][0]["mape"]) == 12
    assert [c["n_clusters"] for c in found["responses"][0]["clusters"]] == [2, 6]
    assert main(run(database, "validate", "ridge", "--all-bases")) == 2


@pytest.mark.slow
def test_race(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(
        run(database, "race", "--folds", "kfold:3", "--predictors", "ridge,mean_surface,roofline", "--base", "highest"),
        capsys,
    )
    assert {e["predictor"] for e in found["responses"][0]["entries"]} == {"ridge", "mean_surface", "roofline"}
    assert found["responses"][0]["winner"] in ("ridge", "mean_surface")
    assert {e["predictor"]: e["n_measurements"] for e in found["responses"][0]["entries"]}["roofline"] == 3


def test_fit_predict_and_segments(database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, new = tmp_path / "gpu.json", Path(database).parent / "new.csv"
    argv = run(
        database,
        "fit",
        "extra_trees",
        "--set",
        "trees=20",
        "--folds",
        "kfold:3",
        "--base",
        HIGHEST,
        "--out",
        str(model),
    )
    found = as_json(argv, capsys)
    assert [x["response"] for x in found["answers"]] == ["time_s", "power_w"]
    capsys.readouterr()
    assert main(["scale", "predict", str(model), str(new)]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].startswith("kernel,cores,clock_mhz,mem_gbs,time_s,time_s low,time_s high,power_w")
    assert len(table) == 1 + 3 * 12
    at = as_json(["scale", "predict", str(model), str(new), "--at", "cores=16,clock_mhz=700,mem_gbs=200"], capsys)
    value = at["kernels"][0]["surfaces"]["time_s"]
    assert value["low"] < value["value"] < value["high"]
    app = {
        "devices": {"gpu": {"model": "gpu.json"}, "cpu": {}},
        "segments": [
            {"name": "load", "device": "cpu", "time_s": 0.5, "power_w": 20},
            {"name": "solve", "device": "gpu", "kernel": at["kernels"][0]["kernel"], "after": ["load"]},
        ],
    }
    (tmp_path / "app.json").write_text(json.dumps(app))
    given = ["--model", f"gpu={model},{new}"]
    told = as_json(["segments", str(tmp_path / "app.json"), *given, "--over", "gpu"], capsys)
    assert told["critical_path"] == ["load", "solve"]
    assert told["total_s"] > 0.5
    assert np.isfinite(told["energy_j"])
    assert told["over"]["n_configurations"] == 12
    slow = as_json(
        ["segments", str(tmp_path / "app.json"), *given, "--at", "gpu:cores=4,clock_mhz=300,mem_gbs=60"], capsys
    )
    assert slow["total_s"] > told["total_s"]
    head, first, *others = new.read_text().splitlines()
    *counts, time_s, power_w = first.split(",")
    again = [",".join([*counts, str(factor * float(time_s)), power_w]) for factor in (0.5, 1, 30)]
    (tmp_path / "again.csv").write_text("\n".join([head, *others, *again]))
    once, thrice = (
        as_json(["segments", str(tmp_path / "app.json"), "--model", f"gpu={model},{file}"], capsys)
        for file in (new, tmp_path / "again.csv")
    )
    assert once == thrice  # repeats are their median
    for more, said in (
        (["--at", "cpu:clock_mhz=1"], "Device 'cpu' has no model"),
        (["--at", "gpu:cores=4", "--at", "gpu:cores=16"], "--at names the device 'gpu' twice"),
        (["--model", f"gpu=none.json,{new}"], "--model names the device 'gpu' twice"),
    ):
        assert main(["segments", str(tmp_path / "app.json"), *given, *more]) == 2
        assert said in capsys.readouterr().err
    capsys.readouterr()
    assert main(["segments", str(tmp_path / "app.json")]) == 2
    assert "of which nothing was measured on 'gpu'" in capsys.readouterr().err
    assert main(["segments", str(tmp_path / "app.json"), *given]) == 0
    assert "critical path: load → solve" in capsys.readouterr().out


def test_for_people(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(run(database, "validate", "ridge", "--folds", "by:family")) == 0
    assert "36 kernels over 12 configurations" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--base", "cores=5,clock_mhz=1000,mem_gbs=260"], "No configuration has cores=5"),
        (["--set", "magic=1"], "no option 'magic'"),
        (["--folds", "often"], "Folds 'often' are not known"),
        (["--axes", "nothing"], "no metric 'nothing'"),
    ],
)
def test_one_sentence(database: str, more: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(run(database, "validate", "ridge", *more)) == 2
    assert said in capsys.readouterr().err


def test_one_point_is_printed_and_kernels_stay(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "m.json")
    assert main(run(database, "fit", "ridge", "--out", model)) == 0
    new, out = str(Path(database).parent / "new.csv"), str(tmp_path / "all.csv")
    at = ["scale", "predict", model, new, "--at", "cores=32,clock_mhz=1000,mem_gbs=260", "--out", out]
    assert main(at) == 2
    assert "give one of the two" in capsys.readouterr().err
    assert main(["scale", "predict", model, new, "--out", new]) == 2
    assert "is what is read, and would be lost" in capsys.readouterr().err


def test_some_trials_alone(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(
        run(
            database,
            "validate",
            "mean_surface",
            "--folds",
            "kfold:3",
            "--where",
            "cores=32",
            "--where",
            "clock_mhz>300",
        ),
        capsys,
    )
    assert found["n_configurations"] == 4
    assert "only trials with cores=32 and clock_mhz>300" in found["notes"]
    assert main(run(database, "validate", "mean_surface", "--where", "cores>99")) == 2
    assert "No trial fulfils cores>99" in capsys.readouterr().err
    assert main(run(database, "race", "--where", "cores")) == 2
    assert "--where takes COLUMN=VALUE" in capsys.readouterr().err


def test_one_fold_leaves_coverage_unmeasured_and_says_so(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    single = ("ridge", "--folds", "holdout:20%", "--base", HIGHEST)
    assert main(run(database, "validate", *single)) == 0
    assert "coverage not measured (one fold)" in capsys.readouterr().out
    file = tmp_path / "one.json"
    found = as_json([*run(database, "fit", *single), "--out", str(file)], capsys)
    assert [a["coverage_90"] for a in found["answers"]] == [None, None]
    assert [a["coverage_90"] for a in json.loads(file.read_text())["answers"]] == [None, None]
    assert main(["scale", "predict", str(file), str(Path(database).parent / "new.csv")]) == 0


def test_the_only_response_needs_no_name(scene, capsys: pytest.CaptureFixture[str]) -> None:
    def one() -> None:
        rows = ["kernel,cores,clock,time_s"]
        rows += [f"k{k},{c},{m},{k / c / m:.9g}" for k in range(1, 13) for c in (1, 2, 4) for m in (1, 2)]
        Path("one.csv").write_text("\n".join(rows) + "\n")
        assert (
            main(["import", "one.csv", "--dataset", "d", "--application", "kernel", "--parameter", "cores,clock"]) == 0
        )

    scene(one)
    capsys.readouterr()
    words = ["scale", "validate", "mean_surface", "--dataset", "d", "--json"]
    assert main(words) == 0
    unnamed = json.loads(capsys.readouterr().out)
    assert main([*words, "--response", "time_s"]) == 0
    assert unnamed["responses"] == json.loads(capsys.readouterr().out)["responses"]
