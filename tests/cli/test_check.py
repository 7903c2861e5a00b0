"""`ridgeline check`: alarms with and without a baseline, exit codes, JSON, JUnit and HTML."""

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from core.cli import main

KERNELS = [f"k{i}" for i in range(8)]


def runs(seed: int, n: int = 8, noise: float = 0.02) -> pd.DataFrame:
    """Kernels of two sizes, repeated, whose loads tell their time."""
    rng = np.random.default_rng(seed)
    rows = [(k, s, 1000.0 * (i + 1) * s, 50.0 + 3 * i) for i, k in enumerate(KERNELS) for s in (1, 4) for _ in range(n)]
    made = pd.DataFrame(rows, columns=["kernel", "size", "loads", "stores"])
    made["variant"] = ["small" if s == 1 else "large" for s in made.pop("size")]
    return made.assign(time=1e-6 * made["loads"] ** 1.1 * rng.lognormal(0.0, noise, len(made)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check")
    runs(0).rename(columns={"time": "time (s)"}).to_csv(path / "old.csv", index=False)
    runs(1).to_csv(path / "same.csv", index=False)
    slow = runs(2)
    slow.loc[slow["kernel"] == "k3", "time"] *= 1.15
    slow.to_csv(path / "slow.csv", index=False)
    words = f"--db {path / 'db'} import {path / 'old.csv'} --dataset old --application kernel --input variant"
    assert main(words.split()) == 0
    words = f"--db {path / 'db'} fit ols --dataset old --response time --folds kfold:5 --out {path / 'model.json'}"
    assert main(words.split()) == 0
    return path


def checked(folder: Path, words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict]:
    capsys.readouterr()
    code = main(["check", str(folder / "model.json"), *words.replace("@", f"{folder}/").split(), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_slower_kernel_is_named_beside_a_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = checked(folder, "@slow.csv --baseline @old.csv", capsys)
    assert (code, found["alarms"], found["judged_by"]) == (1, ["k3"], "baseline")
    group = found["groups"][0]
    assert group["low"] < 15 < group["high"]
    assert "were expected from the baseline and its counters" in group["sentence"]
    assert len(group["configurations"]) == 2


def test_configurations_of_one_run_alarm_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One run before and one after give a configuration no interval, whichever way is worse."""
    spread = pd.concat([runs(seed, 1).assign(batch=seed) for seed in range(20)])
    spread.to_csv(folder / "one.csv", index=False)
    slow = spread.assign(time=spread["time"] * np.where(spread["kernel"] == "k3", 1.2, 1.0))
    slow.to_csv(folder / "one_slow.csv", index=False)
    for words in ("@one_slow.csv --baseline @one.csv", "@one.csv --baseline @one_slow.csv --worse lower"):
        code, found = checked(folder, f"{words} --key kernel,variant,batch", capsys)
        assert (code, found["alarms"]) == (1, ["k3"])
        group = found["groups"][0]
        assert group["configurations"][0]["low"] is None
        assert "unlike the baseline and its counters" in group["sentence"]


def test_a_response_that_never_changes_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, times in (("old", range(1, 61)), ("new", [0] * 60)):
        lines = [f"a{i % 6},m{i % 3},{2 ** (i % 7)},{i % 8},{time}\n" for i, time in enumerate(times)]
        (tmp_path / f"{name}.csv").write_text("".join(["application,machine,n,k,time_s\n", *lines]))
    assert main(["check", str(tmp_path / "new.csv"), "--baseline", str(tmp_path / "old.csv")]) == 2
    assert "no measured 'time_s', or the same in each row. Add or correct it." in capsys.readouterr().err


def test_of_what_was_expected_below_0_nothing_is_a_percentage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    rows = [(k, size, rng.normal(size - 4.0, 0.05)) for k in ("a", "b", "c") for size in range(9) for _ in range(4)]
    known = pd.DataFrame(rows, columns=["kernel", "size", "gain (ms)"])
    known.to_csv(tmp_path / "old.csv", index=False)
    moved = known.assign(**{"gain (ms)": known["gain (ms)"] + 3.0 * (known["kernel"] == "b")})
    moved.to_csv(tmp_path / "new.csv", index=False)
    data = ["--db", str(tmp_path / "db"), "--dataset", "d"]
    told = ["--application", "kernel", "--parameter", "size", "--response", "gain (ms)"]
    assert main(["import", str(tmp_path / "old.csv"), *data, *told]) == 0
    model = str(tmp_path / "gain.json")
    assert main(["fit", "ols", *data, "--metrics", "size", "--out", model]) == 0
    capsys.readouterr()
    assert main(["check", model, str(tmp_path / "new.csv"), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["groups"][0]
    assert (found["name"], found["change"]) == ("b", None)
    assert found["sentence"].endswith(" ms over its 9 configurations.")
    assert float(found["sentence"].rpartition("; +")[2].split()[0]) == pytest.approx(3, abs=0.2)


def test_columns_called_like_predictions_are_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What predict wrote, with new times filled in, is a table as any other where nothing is written beside it."""
    runs(1).assign(prediction=0.0, low=1.0).to_csv(folder / "again.csv", index=False)
    assert checked(folder, "@again.csv", capsys)[0] == 0
    assert checked(folder, "@again.csv --baseline @old.csv", capsys)[0] == 0
    assert main(["drift", str(folder / "model.json"), str(folder / "again.csv")]) == 0
    assert main(["why", str(folder / "model.json"), str(folder / "again.csv")]) == 0


def test_a_change_either_way_is_not_called_worse(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What became faster alarms too where both ways count, and was said to be worse, between ends with a hyphen."""
    words = [str(folder / name) for name in ("model.json", "old.csv", "slow.csv")]
    assert main(["check", words[0], words[1], "--baseline", words[2], "--worse", "both"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("1 of 8 groups (16 configurations) differ from what was expected: k3.")
    assert "A change either way counts." in said
    assert "(−" in said
    assert "(-" not in said
    assert main(["check", words[0], words[1], "--baseline", words[1], "--worse", "both"]) == 0
    assert "none of 8 groups (16 configurations) differs from what was expected." in capsys.readouterr().out


def test_a_setting_that_differs_between_the_files_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that knows the compiler explains what the compiler did, so that no alarm says nothing about it."""
    table = pd.concat([runs(0).assign(compiler="a"), runs(1).assign(compiler="b")])
    table.loc[table["compiler"] == "b", "time"] *= 1.5
    for name, rows in (("all", table), *table.groupby("compiler")):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    data = ["--db", str(tmp_path / "db"), "--dataset", "d"]
    told = ["--application", "kernel", "--input", "variant", "--parameter", "compiler"]
    assert main(["import", str(tmp_path / "all.csv"), *data, *told]) == 0
    files = [str(tmp_path / "b.csv"), "--baseline", str(tmp_path / "a.csv")]
    named = "compiler differs between the two files, not within them."
    for metrics, alarms in (("loads,stores,compiler=a,compiler=b", 0), ("loads,stores", 1)):
        model = str(tmp_path / f"{alarms}.json")
        assert main(["fit", "ols", *data, "--response", "time", "--metrics", metrics, "--out", model]) == 0
        capsys.readouterr()
        assert main(["check", model, *files]) == alarms
        assert (named in capsys.readouterr().out) == (not alarms)


def test_without_a_change_there_is_no_alarm(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(folder, "@same.csv --baseline @old.csv", capsys)[:1] == (0,)
    code, found = checked(folder, "@same.csv", capsys)
    assert (code, found["alarms"], found["judged_by"]) == (0, [], "model")


def test_what_counters_explain_is_no_regression(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = runs(3)
    grown = more["kernel"] == "k3"
    more.loc[grown, "time"] *= 1.2
    more.loc[grown, "loads"] *= 1.2 ** (1 / 1.1)
    more.to_csv(folder / "more.csv", index=False)
    model = json.loads((folder / "model.json").read_text())
    assert "loads" in [m["name"] for m in model["metrics"]]
    code, found = checked(folder, "@more.csv --baseline @old.csv --least 5 --key kernel,variant", capsys)
    own = next(g for g in found["groups"] if g["name"] == "k3")
    assert own["explained"] > 10
    assert (code, found["alarms"]) == (0, [])


def test_less_is_worse_where_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(folder, "@old.csv --baseline @slow.csv", capsys)[0] == 0
    code, found = checked(folder, "@old.csv --baseline @slow.csv --worse lower", capsys)
    assert (code, found["alarms"]) == (1, ["k3"])
    assert checked(folder, "@old.csv --baseline @slow.csv --worse both", capsys)[0] == 1


def test_of_a_rate_less_is_worse_where_nobody_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("old", "slow"):
        table = pd.read_csv(folder / f"{name}.csv").rename(columns={"time (s)": "time"})
        table["rate (ops/s)"] = 1.0 / table.pop("time")
        table.to_csv(folder / f"{name}_rate.csv", index=False)
    words = (
        f"--db {folder / 'db'} import {folder / 'old_rate.csv'} --dataset rates --application kernel --input variant"
    )
    assert main(words.split()) == 0
    words = f"--db {folder / 'db'} fit ols --dataset rates --response rate --folds kfold:5 --out {folder / 'rate.json'}"
    assert main(words.split()) == 0
    capsys.readouterr()
    said = [str(folder / name) for name in ("rate.json", "slow_rate.csv", "old_rate.csv")]
    assert main(["check", said[0], said[1], "--baseline", said[2], "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["alarms"], found["question"]["worse"]) == (["k3"], "lower")
    assert main(["check", said[0], said[2], "--baseline", said[1]]) == 0
    assert "Lower is worse. At most 10 %" in capsys.readouterr().out


def test_the_model_alone_sees_what_is_far_outside_its_interval(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far = runs(4)
    far.loc[far["kernel"] == "k6", "time"] *= 30
    far.to_csv(folder / "far.csv", index=False)
    code, found = checked(folder, "@far.csv --level 0.1", capsys)
    assert (code, found["alarms"]) == (1, ["k6"])
    assert "were expected from its counters" in found["groups"][0]["sentence"]
    assert found["n_held_out"] == 128


def test_repeats_of_a_run_are_one_measurement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("old", "slow"):
        table = pd.read_csv(folder / f"{name}.csv")
        table.assign(session=table.groupby(["kernel", "variant"]).cumcount() // 4).to_csv(
            folder / f"{name}4.csv", index=False
        )
    _, found = checked(folder, "@slow4.csv --baseline @old4.csv --run session", capsys)
    assert {one["n"] for group in found["groups"] for one in group["configurations"]} == {2}


def test_files_for_pipelines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = checked(folder, "@slow.csv --baseline @old.csv --junit @out.xml --html @out.html", capsys)
    suite = ElementTree.parse(folder / "out.xml").getroot()
    assert code == 1
    assert suite.attrib | {"name": ""} == {"name": "", "tests": "8", "failures": "1", "errors": "0", "skipped": "0"}
    failed = [case for case in suite if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["k3"]
    page = (folder / "out.html").read_text()
    assert found["groups"][0]["sentence"] in page
    assert "<script" not in page
    assert "http:" not in page


def test_what_is_not_in_the_baseline_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = runs(5)
    new["kernel"] = new["kernel"].replace("k0", "<k&0>")
    new.to_csv(folder / "renamed.csv", index=False)
    _, found = checked(folder, "@renamed.csv --baseline @old.csv --junit @left.xml --html @left.html", capsys)
    assert {one["why"] for one in found["left_out"]} == {"it is not in the baseline", "it is in the baseline only"}
    suite = ElementTree.parse(folder / "left.xml").getroot()
    assert suite.get("skipped") == "4"
    assert "&lt;k&amp;0&gt;" in (folder / "left.html").read_text()


def test_what_failed_is_not_judged_and_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = runs(8).astype({"time": object})
    new.loc[new["kernel"] == "k5", "time"] = "FAILED"
    new.to_csv(folder / "failed.csv", index=False)
    for words in ("@failed.csv", "@failed.csv --baseline @old.csv"):
        code, found = checked(folder, words, capsys)
        assert (code, found["alarms"]) == (0, [])
        left = len(found["left_out"])
        assert found["verdict"].endswith(f"expected. {left} further configurations could not be judged.")
        assert {(one["name"][:2], one["why"]) for one in found["left_out"]} == {("k5", "it has no measured time")}
    _, found = checked(folder, "@same.csv --baseline @failed.csv", capsys)
    assert {one["why"] for one in found["left_out"]} == {"it has no measured time in the baseline"}


def test_numbers_that_tell_apart_are_the_same_however_they_are_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """pandas writes a column of whole numbers with a gap as 1000.0, and the gap itself tells nothing apart."""
    old, new = runs(0).assign(count=1000), runs(1).assign(count=1000.0)
    old.loc[old["kernel"] == "k3", "count"] = 2000
    new.loc[new["kernel"] == "k3", "count"] = 2000.0
    old.rename(columns={"time": "time (s)"}).to_csv(folder / "whole.csv", index=False)
    new.to_csv(folder / "points.csv", index=False)
    code, found = checked(folder, "@points.csv --baseline @whole.csv --key kernel,variant,count", capsys)
    assert (code, len(found["groups"]), found["left_out"]) == (0, 8, [])
    gap = runs(1)
    gap.loc[0, "loads"] = np.nan
    gap.to_csv(folder / "gap.csv", index=False)
    code, found = checked(folder, "@gap.csv --baseline @old.csv", capsys)
    assert (code, len(found["groups"]), found["left_out"]) == (0, 8, [])
    assert all(len(group["configurations"]) == 2 for group in found["groups"])


@pytest.mark.parametrize("value", [0.0, -0.003])
def test_what_has_no_logarithm_is_judged(folder: Path, value: float, capsys: pytest.CaptureFixture[str]) -> None:
    new = runs(7)
    new.loc[new["kernel"] == "k5", "time"] = value
    new.to_csv(folder / "none.csv", index=False)
    code, found = checked(folder, "@none.csv", capsys)
    assert (code, found["alarms"], found["left_out"]) == (0, [], [])
    assert "2 configurations at 0 or below, such as k5" in found["notes"][0]
    code, found = checked(folder, "@none.csv --worse lower", capsys)
    assert (code, found["alarms"], found["left_out"]) == (1, ["k5"], [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--by nothing @same.csv", "has no column 'nothing'"),
        ("@same.csv --level 2", "between 0 and 1"),
        ("@same.csv --least -1", "from 0 on"),
        ("@apart.csv --baseline @old.csv", "No configuration of apart.csv is in old.csv too"),
        ("@negative.csv --baseline @old.csv", "compared by ratios"),
        ("@silent.csv", "has no measured 'time'"),
    ],
)
def test_what_is_wrong_is_a_sentence(folder: Path, words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    table = runs(6)
    table.assign(kernel="other").to_csv(folder / "apart.csv", index=False)
    table.assign(time=-table["time"]).to_csv(folder / "negative.csv", index=False)
    table.drop(columns="time").to_csv(folder / "silent.csv", index=False)
    assert main(["check", str(folder / "model.json"), *words.replace("@", f"{folder}/").split()]) == 2
    assert said in capsys.readouterr().err


def test_files_of_earlier_versions_are_judged_by_the_points_that_they_keep(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = json.loads((folder / "model.json").read_text())
    assert len(model["validation"].pop("far")) == 128
    (folder / "older.json").write_text(json.dumps(model))
    assert main(["check", str(folder / "older.json"), str(folder / "same.csv"), "--json"]) == 0
    assert 100 < json.loads(capsys.readouterr().out)["n_held_out"] <= 128
    model["validation"] = {}
    (folder / "untested.json").write_text(json.dumps(model))
    assert main(["check", str(folder / "untested.json"), str(folder / "same.csv")]) == 2
    assert "never tested" in capsys.readouterr().err


def alone(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict]:
    """Check against a baseline without a model."""
    capsys.readouterr()
    code = main(["check", *words.split(), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_beside_a_baseline_no_model_is_needed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = alone(f"{folder}/slow.csv --baseline {folder}/old.csv", capsys)
    assert (code, found["alarms"], found["model"], found["judged_by"]) == (1, ["k3"], None, "baseline")
    group = found["groups"][0]
    assert (group["explained"], len(group["configurations"])) == (None, 2)
    assert group["low"] < 15 < group["high"]
    assert "were expected from the baseline; +" in group["sentence"]
    main(["check", f"{folder}/slow.csv", "--baseline", f"{folder}/old.csv"])
    said = capsys.readouterr().out
    assert "told apart by kernel, variant; changes" in said
    assert "counters" not in said
    assert alone(f"{folder}/same.csv --baseline {folder}/old.csv", capsys)[0] == 0


def test_without_a_model_units_are_converted_and_parameters_tell_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The baseline is in milliseconds and of many commits; a size is a number; a second outcome is for --response."""
    rng = np.random.default_rng(0)
    rows = [(b, n, r) for b in ("sort", "hash") for n in (1000, 8000) for r in range(8)]
    made = pd.DataFrame(rows, columns=["benchmark", "size", "run"])
    made["time"] = made["size"] * 1e-6 * rng.lognormal(0.0, 0.01, len(made))
    made["energy_j"] = 20 * made["time"] * rng.lognormal(0.0, 0.01, len(made))
    commits = [f"{17 * run + 9:06x}e" for run in made.pop("run")]
    old = made.assign(commit=commits).rename(columns={"time": "time (s)", "energy_j": "energy (J)"})
    old["time (ms)"] = 1000 * old.pop("time (s)")
    old.to_csv(tmp_path / "old.csv", index=False)
    slow = np.where((made["benchmark"] == "hash") & (made["size"] == 8000), 1.2, 1.0)
    new = made.assign(time=slow * made["time"] * rng.lognormal(0.0, 0.01, len(made)), commit=commits)
    new["commit"] = new["commit"].str.replace("e", "f")
    new.rename(columns={"time": "time (s)", "energy_j": "energy (J)"}).to_csv(tmp_path / "new.csv", index=False)
    code, found = alone(f"{tmp_path}/new.csv --baseline {tmp_path}/old.csv --response time --by benchmark,size", capsys)
    assert (code, found["question"]["columns"]) == (1, ["benchmark", "size"])
    assert found["alarms"] == ["hash · size=8000"]
    assert found["response"]["unit"] == "ms"
    assert found["notes"] == ["Judged is time; other responses, for --response: energy."]
    code, found = alone(f"{tmp_path}/new.csv --baseline {tmp_path}/old.csv --response energy", capsys)
    assert (code, found["question"]["columns"]) == (0, ["benchmark", "size"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("@same.csv", "alone says nothing: give a model before it, or --baseline old.csv, or both"),
        ("@same.csv --baseline @old.csv --machines @old.csv", "have metrics of a model"),
        ("@same.csv --baseline @old.csv --response nothing", "has no metric 'nothing'. It has: loads, stores, time."),
        ("@silent.csv --baseline @old.csv", "has no measured 'time'"),
        ("@same.csv --baseline @silent.csv", "has no response. Name what is judged with --response"),
        ("@model.json --baseline @old.csv --response time @same.csv", "leave --response out"),
    ],
)
def test_what_is_wrong_without_a_model_is_a_sentence(
    folder: Path, words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs(6).drop(columns="time").to_csv(folder / "silent.csv", index=False)
    assert main(["check", *words.replace("@", f"{folder}/").split()]) == 2
    assert said in capsys.readouterr().err


def test_that_too_few_measurements_could_never_alarm_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two and two make no p-value below a sixth, a twentieth over two sizes: one kernel of eight needs an eightieth."""
    for name in ("old", "slow"):
        rows = pd.read_csv(folder / f"{name}.csv")
        rows.groupby(["kernel", "variant"]).head(2).to_csv(folder / f"few_{name}.csv", index=False)
    code, found = checked(folder, "@few_slow.csv --baseline @few_old.csv --level 0.05", capsys)
    assert (code, found["alarms"]) == (0, [])
    assert "fewer than 5 worse groups among 8 cannot be told from chance at this --level" in found["notes"][0]
    assert not checked(folder, "@same.csv --baseline @old.csv", capsys)[1]["notes"]


def test_a_file_of_which_nothing_can_be_judged_is_no_all_clear(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    far = runs(3)
    far.assign(loads=far["loads"] * 1e6).to_csv(folder / "far.csv", index=False)
    code, found = checked(folder, "@far.csv", capsys)
    assert (code, found["verdict"]) == (1, "Nothing was judged: 16 configurations could not be.")
