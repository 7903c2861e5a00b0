"""The command line: the whole path, JSON alone on standard output, and one sentence for what is wrong."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import VERBS, main
from core.workspace import SAMPLES
from tests.conftest import machine_frame


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Run a verb against a database of this test; returns code, standard output, standard error."""
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "test.duckdb"))

    def call(*words: object) -> tuple[int, str, str]:
        code = main([str(w) for w in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Trials with their machines and inputs in files of their own."""
    frame = machine_frame(10, 4, repeats=2)
    rows = pd.DataFrame(
        {
            "program": frame.labels["application"],
            "gpu": frame.labels["machine"],
            "time (ms)": frame.y * 1e3,
            "suite": ["a"] * len(frame),
        }
    )
    whole = pd.DataFrame(frame.X, columns=list(frame.names)).assign(**rows)
    made = {
        "trials": rows,
        "machines": whole[["gpu", "clock", "bandwidth"]].drop_duplicates(),
        "inputs": whole[["program", "instructions", "bytes"]].drop_duplicates(),
        "whole": whole,
    }
    for name, table in made.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    return {name: tmp_path / f"{name}.csv" for name in made}


@pytest.mark.slow
def test_from_files_to_predictions(run, files: dict[str, Path], tmp_path: Path) -> None:
    code, out, _ = run(
        "import",
        files["trials"],
        "--dataset",
        "d",
        "--application",
        "program",
        "--machine",
        "gpu",
        "--response",
        "time:ms",
        "--machines",
        files["machines"],
        "--inputs",
        files["inputs"],
        "--json",
    )
    receipt = json.loads(out)
    assert code == 0
    assert (receipt["dataset"], receipt["format"], receipt["n_trials"], receipt["n_metrics"]) == ("d", "csv", 80, 5)
    assert receipt["skipped"] == []

    _, out, _ = run("datasets", "--json")
    (card,) = json.loads(out)["datasets"]
    assert (card["n_applications"], card["n_machines"], card["responses"]) == (10, 4, ["time (ms)"])

    model = tmp_path / "model.json"
    _, out, _ = run(
        "fit", "eiger", "--dataset", "d", "--response", "time", "--folds", "kfold:5", "--out", model, "--json"
    )
    fitted = json.loads(out)
    assert fitted["n_trials"] == 80
    assert fitted["n_terms"] == len(fitted["terms"]) == len(fitted["steps"]) > 0
    assert 0.9 < fitted["adjusted_r2"] <= fitted["r2"] <= 1
    assert len(fitted["model_sha256"]) == 64
    assert fitted["verdict"]["level"] in ("good", "usable")
    assert "stock extra trees" in fitted["verdict"]["says"]

    _, out, _ = run("validate", "eiger", "--dataset", "d", "--response", "time", "--folds", "by:machine", "--json")
    found = json.loads(out)
    assert set(found) == {
        "recipe",
        "dataset",
        "response",
        "folds",
        "n_trials",
        "scores",
        "verdict",
        "groups",
        "interval",
        "coverage",
        "seconds",
    }
    assert set(found["groups"]) == {"gpu0", "gpu1", "gpu2", "gpu3"}
    assert len(found["coverage"]["quartiles"]) == 4
    assert found["coverage"]["worst_group"] in found["groups"]
    wanted = {"mape", "median_ape", "max_ape", "inliers_10", "inliers_20", "r2", "rmse", "coverage_90"}
    assert wanted <= set(found["scores"])

    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    run("predict", model, files["whole"], "--out", one)
    run("predict", model, files["trials"], "--machines", files["machines"], "--inputs", files["inputs"], "--out", two)
    whole, joined = pd.read_csv(one), pd.read_csv(two)
    assert list(whole.columns[-5:]) == ["prediction", "low", "high", "in_domain", "why"]
    assert np.array_equal(whole["prediction"], joined["prediction"])
    assert whole["in_domain"].all()
    assert ((whole["prediction"] / whole["time (ms)"] - 1).abs() < 0.5).all()
    code, out, _ = run("predict", model, files["whole"])
    assert out == one.read_text()

    copy = tmp_path / "copy.json"
    assert run("export", model, "--to", "json", "--out", copy)[0] == 0
    assert copy.read_bytes() == model.read_bytes()


@pytest.mark.slow
def test_same_trials_options_and_seed_give_the_same_bytes(run, files: dict[str, Path], tmp_path: Path) -> None:
    run("import", files["whole"], "--dataset", "d")
    for name in ("a", "b"):
        run(
            "fit",
            "eiger",
            "--dataset",
            "d",
            "--response",
            "time",
            "--set",
            "clusters=2",
            "--folds",
            "kfold:3",
            "--seed",
            3,
            "--out",
            tmp_path / f"{name}.json",
        )
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.slow
def test_a_family_alone_and_filters(run, files: dict[str, Path]) -> None:
    run("import", files["whole"], "--dataset", "d")
    code, out, err = run(
        "validate",
        "stepwise",
        "--dataset",
        "d",
        "--response",
        "time",
        "--folds",
        "loo",
        "--where",
        "machine!=gpu0",
        "--metrics",
        "instructions,bandwidth",
        "--set",
        "threshold=0.01",
        "--json",
    )
    assert code == 0, err
    assert json.loads(out)["n_trials"] == 60


def test_importing_twice_stores_once(run, files: dict[str, Path]) -> None:
    run("import", files["whole"], "--dataset", "d")
    _, out, _ = run("import", files["whole"], "--dataset", "d", "--json")
    again = json.loads(out)
    assert again["n_trials"] == 0
    assert "already imported on" in again["warnings"][-1]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"Dear reader,\nthis is a letter.\nYours", ""),
        (b"a,b\n1,2,3\n", "line 2"),
        (b"a,A\n1,2\n", ""),
        (b"app,time\nx,fast\ny,slow\n", "time"),
        (b"app,time,n\nx,1,2\ny,2,oops\nz,3,4\n", "line 3"),
    ],
)
def test_wrong_files_give_one_sentence_and_store_nothing(run, tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    code, out, err = run("import", tmp_path / "bad.csv", "--dataset", "d", "--response", "time", "--json")
    assert (code, out) == (2, "")
    assert err.startswith("ridgeline: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert json.loads(run("datasets", "--json")[1]) == {"datasets": []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("fit", "eigre", "--dataset", "d", "--response", "time"), "no recipe or family 'eigre'"),
        (("fit", "eiger", "--dataset", "x", "--response", "time"), "no dataset 'x'"),
        (("fit", "eiger", "--dataset", "d", "--response", "tme"), "no metric 'tme'"),
        (("fit", "eiger", "--dataset", "d", "--response", "time", "--set", "clusters=0"), "at least 1"),
        (("fit", "eiger", "--dataset", "d", "--response", "time", "--set", "clusters"), "OPTION=VALUE"),
        (("fit", "eiger", "--dataset", "d", "--response", "time", "--where", "machine"), "COLUMN=VALUE"),
        (("validate", "eiger", "--dataset", "d", "--response", "time", "--folds", "kfold"), "not known"),
        (("predict", "nowhere.json", "nowhere.csv"), "cannot be read: No such file"),
        (("import", "nowhere.csv", "--dataset", "d"), "cannot be read: No such file"),
    ],
)
def test_mistakes_give_one_sentence(run, files: dict[str, Path], words: tuple[str, ...], sentence: str) -> None:
    run("import", files["whole"], "--dataset", "d")
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_one_trial_is_too_few(run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("app,time,n\nx,1.5,2\n")
    run("import", tmp_path / "one.csv", "--dataset", "d")
    code, _, err = run("fit", "eiger", "--dataset", "d", "--response", "time", "--metrics", "n")
    assert code == 2
    assert "at least 3 trials, got 1" in err


def test_predicting_without_a_metric_names_it(run, files: dict[str, Path], tmp_path: Path) -> None:
    run("import", files["whole"], "--dataset", "d")
    run("fit", "ridge", "--dataset", "d", "--response", "time", "--out", tmp_path / "m.json")
    code, _, err = run("predict", tmp_path / "m.json", files["trials"])
    assert code == 2
    assert "trials.csv does not have" in err
    assert "'clock'" in err
    cut = (tmp_path / "m.json").read_bytes()[:2000]
    (tmp_path / "cut.json").write_bytes(cut)
    code, _, err = run("predict", tmp_path / "cut.json", files["whole"])
    assert code == 2
    assert "not whole JSON" in err


def test_formulas_in_names_are_disarmed(run, files: dict[str, Path], tmp_path: Path) -> None:
    run("import", files["whole"], "--dataset", "d")
    run("fit", "ridge", "--dataset", "d", "--response", "time", "--out", tmp_path / "m.json")
    table = pd.read_csv(files["whole"])
    table["program"] = "=1+1"
    table.to_csv(tmp_path / "evil.csv", index=False)
    _, out, _ = run("predict", tmp_path / "m.json", tmp_path / "evil.csv")
    assert "'=1+1" in out


def test_every_verb_helps(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in VERBS:
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0
    data = {"import", "inspect", "datasets", "curate", "inbox", "backup", "restore", "sample", "limits"}
    space = {"plan", "measure", "sweep", "designs"}
    trust = {"machines", "experiment", "report", "reproduce", "versus", "drift", "check", "why"}
    assert set(VERBS) == {
        *data,
        *space,
        *trust,
        "auto",
        "fit",
        "learn",
        "diversity",
        "validate",
        "race",
        "reuse",
        "scale",
        "segments",
        "predict",
        "serve",
        "export",
        "app",
        "completion",
        "man",
    }


@pytest.mark.parametrize("sample", ["generations", "cachegrind"])
def test_the_samples_can_be_imported_by_flags(run, sample: str) -> None:
    folder = SAMPLES / sample
    extra = ["--machines", folder / "machines.csv", "--inputs", folder / "inputs.csv"]
    code, out, err = run("import", folder / "trials.csv.gz", "--dataset", sample, *extra, "--json")
    assert code == 0, err
    assert json.loads(out)["n_trials"] > 2000


def test_no_group_is_told_of_a_dataset_that_names_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"{n},{t},{n / t + 0.1 * t:.3f}\n" for n in range(1, 13) for t in (1, 2, 4))
    (tmp_path / "t.csv").write_text(f"size,threads,time (s)\n{rows}")
    db = ["--db", str(tmp_path / "t.duckdb")]
    assert main([*db, "import", str(tmp_path / "t.csv"), "--dataset", "d"]) == 0
    capsys.readouterr()
    assert main([*db, "validate", "ols", "--dataset", "d"]) == 0
    said = capsys.readouterr().out
    assert "intervals cover by quartile" in said
    assert "(none)" not in said
