"""`race` and `reuse`, and host and target on `fit` and `validate`: tables, JSON, resuming, and what cannot be."""

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.cli.race import chosen_entries, chosen_folds
from core.validate.folds import default_folds
from tests.conftest import machine_frame
from tests.race.made import TIME, host_target

ENTRIES = ("--entries", "ridge,nnls,ols_forward_bic")


def three_machines() -> None:
    """A dataset of a host, two targets, and a workload that only the host ran."""
    frame = host_target(n_apps=4, n_inputs=10)
    labels = {"app": frame.labels["application"], "size": frame.labels["input"]}
    counters = pd.DataFrame(frame.X, columns=list(frame.names)).drop(columns=TIME)
    host = counters.assign(**labels, gpu="old", time=frame.X[:, frame.names.index(TIME)])
    host["joules"] = 40 * host["time"]
    target = pd.DataFrame(labels).assign(gpu="new", time=frame.y, joules=30 * frame.y)
    newer = pd.DataFrame(labels).assign(gpu="newer", time=0.5 * frame.y, joules=20 * frame.y)
    table = pd.concat([host, target.iloc[:-2], newer])
    table.to_csv("runs.csv", index=False)
    roles = "--application app --input size --machine gpu --response time:s --response joules:J"
    assert main(["import", "runs.csv", "--dataset", "d", *roles.split()]) == 0


@pytest.fixture
def run(scene, capsys: pytest.CaptureFixture[str]):
    """Run a verb against a database with a host, two targets, and a workload that only the host ran."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    scene(three_machines)
    capsys.readouterr()
    return call


SCENARIO = ("--dataset", "d", "--response", "time", "--host", "old", "--target", "new")


@pytest.mark.parametrize("words", [("validate", "ridge"), ("race", "--entries", "ridge,nnls")], ids=" ".join)
def test_the_hardest_question_is_asked_where_no_folds_are_named(run, words: tuple[str, ...]) -> None:
    code, out, err = run(*words, *SCENARIO, "--json")
    assert code == 0, err
    assert json.loads(out)["folds"] == str(default_folds(host_target(n_apps=4, n_inputs=10)))


@pytest.mark.slow
def test_the_json_of_a_race(run) -> None:
    code, out, err = run("race", *SCENARIO, "--folds", "by:application", *ENTRIES, "--beside", "kfold:4", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert {e["family"] for e in found["entries"]} == {"ridge", "nnls", "ols_forward_bic", "stack", "blend"}
    for entry in found["entries"]:
        assert {"mape", "median_ape", "max_ape", "inliers_10", "inliers_20", "r2", "rmse", "coverage_90"} <= entry[
            "scores"
        ].keys()
        assert entry["seconds"] >= entry["fit_seconds"] > 0
        assert len(entry["by_fold"]) == 4
        assert "weights" in entry or len(entry["treatments"]) == 4
    assert found["winner"] in {e["family"] for e in found["entries"]}
    assert found["nested"]["scores"]["mape"] > 0
    assert set(found["nested"]["weights"]) == set(found["picked"]["entries"]) == {"app0", "app1", "app2", "app3"}
    assert found["best_non_negative"] == "nnls"
    assert found["best_other"] in ("ridge", "ols_forward_bic")
    assert found["beside"]["folds"] == "kfold:4"
    assert (found["host"], found["target"], found["n_trials"]) == ("old", "new", 38)
    assert [(u["application"], u["machine"]) for u in found["unjoined"]] == [("app3", "old")] * 2
    assert all(0 < s["share"] <= 1 for s in found["stability"])
    grouped = [name for s in found["stability"] for name in s["metrics"]]
    assert len(grouped) == len(set(grouped)) > 0
    assert {"loads", "bytes"} <= set(grouped) or not {"loads", "bytes"} & set(grouped)  # they are one group


@pytest.mark.slow
def test_the_table_says_the_same_and_the_winner_is_kept(run, tmp_path: Path) -> None:
    kept = tmp_path / "winner.json"
    words = ("race", *SCENARIO, "--folds", "by:application", *ENTRIES, "--resume", tmp_path / "r", "--out", kept)
    lines = run(*words)[1].splitlines()
    found = json.loads(run(*words, "--json")[1])
    assert lines[0] == "time of d, old → new, folds by:application: 38 trials, 3 entries"
    for entry, line in zip(found["entries"], lines[2:], strict=False):
        assert line.split()[:2] == [entry["family"], f"{entry['scores']['mape']:.1f}"]
    assert any(line.startswith("winner: ") for line in lines)
    assert f"{found['verdict']['level']}: {found['verdict']['says']}" in lines
    assert "a constant is off by" in found["verdict"]["says"]
    assert "stock extra trees" in found["verdict"]["says"]
    assert f"{found['winner']} written to {kept}" in lines
    assert "2 workloads are not joined:" in lines
    assert "  app3 · in38: only on old" in lines
    assert found["model"] == found["winner"]
    rows = pd.read_csv(tmp_path / "runs.csv")
    rows = rows[rows.gpu == "old"].rename(columns={"time": "time on old", "joules": "joules on old"})
    rows.to_csv(tmp_path / "new.csv", index=False)
    for name in (found["winner"], "blend", "stack", "nnls"):
        code, _, err = run(*words, "--keep", name)
        assert (code, err) == (0, "")
        said = json.loads(run("predict", kept, tmp_path / "new.csv", "--json")[1])
        assert said["n_rows"] == 40
        assert said["n_in_domain"] >= 38
        target = pd.read_csv(tmp_path / "runs.csv").query("gpu == 'new'")["time"].to_numpy()
        value, low, high = (np.array([p[k] for p in said["predictions"]])[:38] for k in ("prediction", "low", "high"))
        assert np.abs(value / target - 1).mean() < 0.15
        assert ((low < target) & (target < high)).mean() > 0.8


def test_what_is_kept_must_be_one_model_of_the_race(run, tmp_path: Path) -> None:
    words = ("race", *SCENARIO, "--folds", "kfold:3", "--entries", "ols,nnls")
    assert "give --out" in run(*words, "--keep", "blend")[2]
    assert "no entry 'magic' in the race" in run(*words, "--keep", "magic", "--out", tmp_path / "m.json")[2]
    assert "nosuch" in run(*words, "--beside", "by:nosuch")[2]
    two = [w if w != "time" else "time,joules" for w in words]
    assert "one at a time" in run(*two, "--out", tmp_path / "m.json")[2]


def test_a_hosts_file_without_the_hosts_names_is_told_how_to_call_them(run, tmp_path: Path) -> None:
    assert run("fit", "ols", *SCENARIO, "--out", tmp_path / "m.json")[0] == 0
    rows = pd.read_csv(tmp_path / "runs.csv")
    rows[rows.gpu == "old"].to_csv(tmp_path / "host.csv", index=False)
    code, _, err = run("predict", tmp_path / "m.json", tmp_path / "host.csv")
    assert code == 2
    assert "Call the columns that were measured on old so: 'time' is 'time on old'." in err


@pytest.mark.slow
def test_two_responses_are_two_blocks(run) -> None:
    words = [w if w != "time" else "time,joules" for w in SCENARIO]
    found = json.loads(run("race", *words, "--folds", "by:application", *ENTRIES, "--json")[1])
    assert [block["response"] for block in found["responses"]] == ["time", "joules"]
    assert all(block["entries"][0]["scores"]["mape"] < 15 for block in found["responses"])
    assert run("race", *words, "--folds", "by:application", *ENTRIES)[1].count("winner: ") == 2


@pytest.mark.slow
def test_a_race_goes_on_from_its_file(run, tmp_path: Path) -> None:
    words = ("race", *SCENARIO, "--folds", "by:application", *ENTRIES, "--resume", tmp_path / "runs.jsonl", "--json")
    whole = json.loads(run(*words)[1])
    lines = (tmp_path / "runs.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) == 3 * 5
    (tmp_path / "runs.jsonl").write_text("".join(lines[:7]) + lines[7][:100])
    again = json.loads(run(*words)[1])
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 3 * 5
    for one in (whole, again):
        del one["seconds"]
        for entry in one["entries"]:
            del entry["seconds"], entry["fit_seconds"]
    assert again == whole
    (tmp_path / "runs.jsonl").write_text("something else\n")
    code, _, err = run(*words)
    assert code == 2
    assert "holds no runs of a race" in err


def test_without_a_host_it_is_a_race_too(run) -> None:
    code, out, err = run(
        "race",
        "--dataset",
        "d",
        "--response",
        "time",
        "--where",
        "machine=old",
        "--folds",
        "kfold:3",
        "--entries",
        "ridge,ols",
        "--json",
    )
    assert (code, err) == (0, "")
    assert "host" not in json.loads(out)


def test_fit_and_validate_take_host_and_target(run, tmp_path: Path) -> None:
    code, out, err = run("fit", "nnls", *SCENARIO, "--folds", "kfold:3", "--out", tmp_path / "m.json", "--json")
    assert (code, err) == (0, "")
    fitted = json.loads(out)
    assert fitted["n_trials"] == 38
    assert len(fitted["unjoined"]) == 2
    code, out, err = run("validate", "halwpe", *SCENARIO, "--folds", "by:application", "--set", "model=nnls", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["scores"]["mape"] < 20
    assert "2 workloads are not joined" in run("validate", "ridge", *SCENARIO, "--folds", "kfold:3")[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--host", "old"), "belong together"),
        (("--target", "new"), "belong together"),
        (("--host", "old", "--target", "old"), "both host and target"),
        (("--host", "gone", "--target", "new"), "no machine 'gone'"),
        (("--host-dataset", "d"), "belong together"),
        (("--host", "old", "--target", "new", "--no-counters"), "neither --metrics nor --host"),
        (("--metrics", "cycles", "--no-counters"), "neither --metrics nor --host"),
    ],
)
def test_what_cannot_be_asked(run, words: tuple[str, ...], why: str) -> None:
    code, out, err = run("validate", "ridge", "--dataset", "d", "--response", "time", "--folds", "kfold:3", *words)
    assert (code, out) == (2, "")
    assert why in err


def test_an_unknown_entry_is_named(run) -> None:
    code, _, err = run("race", *SCENARIO, "--folds", "kfold:3", "--entries", "ridge,magic")
    assert code == 2
    assert "'magic'" in err


@pytest.mark.slow
def test_a_model_is_reused_for_the_next_target(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("fit", "ridge", *SCENARIO, "--folds", "kfold:3", "--out", tmp_path / "m.json")
    words = ("reuse", tmp_path / "m.json", "--dataset", "d", "--target", "newer", "--from", "new", "--draws", "2")
    code, out, err = run(*words, "--runs", "4", "--out", tmp_path / "next.json", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["host"], found["best"], found["honest"]) == ("old", "factor", True)
    sizes = [row["runs"] for row in found["sizes"]]
    assert 4 in sizes
    assert sizes == sorted(sizes)
    row = found["sizes"][sizes.index(4)]
    assert row["as it is"] > 60
    assert row["factor"] < 25
    document = json.loads((tmp_path / "next.json").read_text())
    assert document["factor"] == pytest.approx(0.5, rel=0.2)
    told = run(*words, "--runs", "100000", "--out", tmp_path / "all.json")[1]
    assert "as it is" in told
    document = json.loads((tmp_path / "all.json").read_text()) if (tmp_path / "all.json").exists() else {"notes": [""]}
    runs = document["notes"][-1].partition(" to ")[2].partition(" runs")[0]
    assert f"with {runs} runs" in told or "all.json was not written: a model trained anew is better" in told
    assert np.isfinite(found["seconds"])
    monkeypatch.setattr("core.cli.reuse.Reuse.best", lambda found, runs: "as it is")
    assert run(*words, "--out", tmp_path / "same.json")[1].splitlines()[-1].endswith("same.json, as it is")


def test_reuse_needs_a_target(run, tmp_path: Path) -> None:
    run("fit", "ridge", *SCENARIO, "--folds", "kfold:3", "--out", tmp_path / "m.json")
    code, _, err = run("reuse", tmp_path / "m.json", "--dataset", "d")
    assert code == 2
    assert "--target" in err


def test_the_only_response_need_not_be_named(run, tmp_path: Path) -> None:
    code, out, err = run("validate", "ridge", "--dataset", "d", "--folds", "kfold:3")
    assert (code, out) == (2, "")
    assert "has 2 responses: time, joules. Name one with --response." in err
    pd.DataFrame({"size": range(1, 13), "time (s)": [0.5 * n for n in range(1, 13)]}).to_csv(tmp_path / "one.csv")
    assert run("import", tmp_path / "one.csv", "--dataset", "one")[0] == 0
    code, out, _ = run("validate", "ridge", "--dataset", "one", "--folds", "kfold:3", "--json")
    assert (code, json.loads(out)["response"]) == (0, "time")
    code, out, _ = run("race", "--dataset", "one", "--folds", "kfold:3", "--entries", "ridge")
    assert (code, out.startswith("time of one")) == (0, True)


def test_folds_and_entries_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    frame, given = machine_frame(n_apps=600), Namespace(folds="", entries=None, quiet=False)
    assert str(chosen_folds(given, frame)) == "kfold:10:application"
    assert str(chosen_folds(given, machine_frame(n_apps=12))) == "by:application"
    assert "anova" not in [entry.name for entry in chosen_entries(given, frame)]
    assert "for minutes; --entries ridge,formula and --folds kfold:3 take less" in capsys.readouterr().err
    chosen_entries(given, machine_frame(n_apps=12))  # which takes a moment
    assert "anova" in [entry.name for entry in chosen_entries(Namespace(entries="all"), frame)]
    assert capsys.readouterr().err == ""
