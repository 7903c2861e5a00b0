"""`ridgeline why`: contributions to one prediction, in words and as JSON."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.cli import main
from core.export import read_model
from tests.cli.test_check import runs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("why")
    runs(0).to_csv(path / "rows.csv", index=False)
    words = f"--db {path / 'db'} import {path / 'rows.csv'} --dataset d --application kernel --input variant --response time:s"
    assert main(words.split()) == 0
    words = f"--db {path / 'db'} fit extra_trees --set trees=10 --dataset d --response time --folds kfold:3 --out {path / 'model.json'}"
    assert main(words.split()) == 0
    return path


def said(folder: Path, words: str, capsys: pytest.CaptureFixture[str]) -> dict:
    capsys.readouterr()
    assert main(["why", str(folder / "model.json"), str(folder / "rows.csv"), *words.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_contributions_add_up_to_the_prediction(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = said(folder, "--row 30", capsys)
    total = found["base"] + sum(one["contribution"] for one in found["contributions"]) + found["held"]
    assert total == pytest.approx(found["prediction"], abs=1e-9)
    assert found["factors"]
    assert "exact" in found["method"]
    assert found["background"] == "100 of the 128 training trials that the model keeps"
    model, row = read_model((folder / "model.json").read_bytes()), runs(0).iloc[29]
    x = np.array(
        [[float(row[name]) if name in row else float(row["variant"] == name.split("=")[1]) for name in model.names]]
    )
    assert float(model.predict(x).value[0]) == pytest.approx(np.exp(found["prediction"]))


def test_another_row_or_other_rows_as_the_average(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, back = said(folder, "--row 30 --against 100", capsys), said(folder, "--row 100 --against 30", capsys)
    assert there["base"] == pytest.approx(back["prediction"])
    assert there["background"].startswith("row 100 of ")
    assert f" of {there['background']}; most by" in there["sentence"]
    given = said(folder, f"--background {folder / 'rows.csv'}", capsys)
    assert "100 of the 128 rows of" in given["background"]


def test_a_row_without_a_prediction_says_why_as_predict_does(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = runs(0).head(3).assign(variant=["zz", *runs(0)["variant"][1:3]])
    rows.to_csv(tmp_path / "new.csv", index=False)
    for words in (["--row", "1"], ["--row", "2", "--against", "1"]):
        assert main(["why", str(folder / "model.json"), str(tmp_path / "new.csv"), *words]) == 2
        said = "Of row 1 there is no prediction: variant is 'zz', which no trial of the training has, so"
        assert said in capsys.readouterr().err


def test_lines_for_people(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["why", str(folder / "model.json"), str(folder / "rows.csv"), "--row", "30", "--top", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "on average; most by" in lines[0]
    assert "×" in lines[2]
    assert sum("near:" in line for line in lines) == 3


def grouped(folder: Path, what: str, words: str, capsys: pytest.CaptureFixture[str]) -> dict:
    capsys.readouterr()
    assert main(["--db", str(folder / "db"), "-q", "why", what, *words.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_group_is_explained_by_a_model_or_a_recipe(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(folder / "model.json")
    found = grouped(folder, model, "--group application --runs 1", capsys)
    assert found["group"] == max(found["errors"], key=lambda pair: pair[1])[0]
    parts = found["split"]
    total = parts["near"] + parts["held"] + parts["measured"] + sum(one["push"] for one in parts["metrics"])
    assert total == pytest.approx(parts["error"], abs=1e-9)
    assert found["after_one_run"]["mean"] == found["runs"][0]["after"]
    same = grouped(
        folder,
        "extra_trees",
        f"--set trees=10 --dataset d --response time --group application={found['group']} --runs 1",
        capsys,
    )
    assert same["verdict"] == found["verdict"]
    few = grouped(folder, model, "--group application=k3 --folds kfold:3:application --runs 0", capsys)
    assert (few["group"], few["folds"], few["runs"], few["after_one_run"]) == ("k3", "kfold:3:application", [], None)


def test_a_group_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    words = f"--db {folder / 'db'} -q why {folder / 'model.json'} --group application=k3 --runs 1 --top 1"
    assert main(words.split()) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("k3 is predicted ")
    assert sum("near:" in line for line in lines) == 3
    assert sum("one run more" in line for line in lines) == 1


@pytest.mark.parametrize(
    ("what", "words", "told"),
    [
        ("model.json", "--group application=k99", "k99"),
        ("model.json", "--group application --folds kfold:5", "hold out no whole application"),
        ("model.json", "--group application --set trees=3", "--set belongs to a recipe"),
        ("model.json", "--group application --runs -1", "--runs takes"),
        ("model.json", "--group nowhere", "There is no column 'nowhere'"),
        ("model.json", "rows.csv --group application", "one of the two"),
        ("model.json", "", "one of the two"),
        ("ridge", "--group application=k99", "k99"),
    ],
)
def test_a_group_that_cannot_be_explained_is_a_sentence(
    folder: Path, what: str, words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    where = str(folder / what) if what.endswith("json") else what
    assert main(["--db", str(folder / "db"), "-q", "why", where, *words.split()]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--row 0", "has the rows 1 to 128"),
        ("--against 0", "has the rows 1 to 128"),
        ("--row 1 --against 999", "has the rows"),
        ("--against 2 --background x", "one of the two"),
    ],
)
def test_what_is_wrong_is_a_sentence(folder: Path, words: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(folder / "model.json"), str(folder / "rows.csv"), *words.split()]) == 2
    assert told in capsys.readouterr().err
