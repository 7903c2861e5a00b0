"""`auto`: from files that are not kept, or a dataset, to a verdict, a model file and one JSON object."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.export import read_model
from core.race.versus import Contender
from core.report.compare.race_document import entry_of, price_of
from tests.conftest import machine_frame
from tests.race.made import host_target

pytestmark = pytest.mark.usefixtures("few_trees")
KEYS = {"question", "baselines", "entries", "winner", "formula", "verdict", "next", "notes"}
FIELDS = {"name", "mape", "median_ape", "log_error", "bias", "seconds"}


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIDGELINE_DB", str(tmp_path / "own.duckdb"))
    frame = machine_frame(5, 3)
    table = pd.DataFrame(frame.X, columns=list(frame.names))
    table = table.assign(app=frame.labels["application"], gpu=frame.labels["machine"], time=frame.y)
    table.to_csv(tmp_path / "runs.csv", index=False)
    return tmp_path / "runs.csv"


def call(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(w) for w in words])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.slow
def test_from_files_to_a_model_and_nothing_kept(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = runs.parent / "model.json"
    words = ("auto", runs, "--application", "app", "--machine", "gpu", "--response", "time", "--out", out, "--json")
    code, said, err = call(capsys, *words)
    assert (code, err) == (0, "")
    found = json.loads(said)
    assert set(found) == KEYS
    for entry in (*found["baselines"], *found["entries"], found["winner"], found["formula"]):
        assert set(entry) >= FIELDS
    assert [b["name"] for b in found["baselines"]] == ["constant", "stock extra trees"]
    assert found["winner"]["name"] == "auto"
    assert found["question"]["folds"] == "by:application"
    assert found["formula"]["price"] == pytest.approx(found["formula"]["log_error"] / found["winner"]["log_error"])
    assert found["verdict"]["level"] in ("good", "usable", "weak", "none")
    assert not (runs.parent / "own.duckdb").exists()
    model = read_model(out.read_bytes())
    assert model.response.name == "time"
    code, said, _ = call(capsys, "export", out, "--to", "python", "--out", out.with_suffix(".py"), "--prove")
    assert code == 0, said
    table = pd.read_csv(runs)
    predicted = model.predict(table[list(model.names)].to_numpy()).value
    assert np.abs(np.log(predicted / table["time"])).mean() < found["winner"]["log_error"] + 0.1


@pytest.mark.slow
def test_what_else_is_an_outcome_is_said_of_a_response_by_name_too(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not predicted from: a clock that was taken for an outcome is missed where nothing says so."""
    table = pd.read_csv(runs)
    table.assign(**{"power_w": 40 + 9 * np.sin(np.arange(len(table)) ** 2)}).to_csv(runs, index=False)
    words = ("auto", runs, "--application", "app", "--machine", "gpu", "--response", "time:ms")
    code, said, _ = call(capsys, *words)
    assert (code, said.splitlines()[0]) == (0, "predicted is time; other responses: power_w")


@pytest.mark.slow
def test_from_a_dataset_the_lines_say_it_first(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        call(
            capsys, "import", runs, "--dataset", "d", "--application", "app", "--machine", "gpu", "--response", "time"
        )[0]
        == 0
    )
    code, said, _ = call(capsys, "auto", "--dataset", "d", "--folds", "by:machine", "--seed", "2")
    assert code == 0
    first, second, *_, price = [line for line in said.splitlines() if not line.startswith("next:")]
    assert first == "time, 15 trials, tested on one machine left out at a time (by:machine)"
    assert second.split(":")[0] in ("good", "usable", "weak", "none")
    assert price.startswith("formula ")
    assert (
        call(capsys, "auto", "--dataset", "d", "--folds", "by:machine", "--seed", "2")[1].splitlines()[:3]
        == said.splitlines()[:3]
    )


def test_what_cannot_be(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no dataset yet" in call(capsys, "auto")[2]
    assert "either files or --dataset" in call(capsys, "auto", runs, "--dataset", "d")[2]
    assert "not known" in call(capsys, "auto", runs, "--response", "time", "--folds", "sometimes")[2]


def test_what_is_said_of_files_is_as_import_takes_it(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["auto", str(runs), "--missing", "bogus"])
    said = capsys.readouterr().err
    assert said.startswith("ridgeline auto: --missing is one of refuse, drop, keep, got 'bogus'.")
    assert "2 names are given" in call(capsys, "auto", runs, "--sheet", "raw", "--names", "a,b")[2]


def test_what_may_be_the_outcome_is_said_where_nothing_is_called_so(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{tile},{lanes},{tile * lanes % 13}.5,{tile * 7 % lanes}.25" for tile in range(1, 9) for lanes in (4, 8)]
    runs.write_text("\n".join(("tile,lanes,widgets,gadgets", *rows)))
    code, _, said = call(capsys, "auto", runs)
    assert code == 2
    assert "it may be 'gadgets', 'widgets'. Name what to predict with --response" in said


@pytest.mark.slow
def test_the_table_with_most_trials_leads_and_notes_of_the_files_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text("threads,runtime_ms\n1,8000\n8,1200\n")
    rows = [f"{tile},{lanes},{tile * lanes % 13}.5" for tile in range(1, 9) for lanes in (4, 8)]
    (tmp_path / "b.csv").write_text("\n".join(("tile,lanes,time_s", *rows, "tile,lanes,time_s")))
    (tmp_path / "mm.c").write_text("int main() { return 0; }\n")
    code, said, err = call(capsys, "auto", tmp_path)
    assert (code, err) == (0, "")
    assert "\ntime_s, 16 trials" in f"\n{said}"
    assert "mm.c" in said.split("\nskipped ")[1]
    assert "repeat" in said.split("\nnote: ")[-1]


def test_an_entry_with_a_prediction_that_is_not_positive_has_no_error_of_logarithms() -> None:
    frame = host_target()
    right = Contender("right", frame.y.copy(), 0.0)
    below = Contender("below", np.where(np.arange(len(frame)) == 0, -1.0, frame.y), 0.0)
    assert entry_of(right, frame)["log_error"] == pytest.approx(0, abs=1e-12)
    wrong = entry_of(below, frame)
    assert (wrong["log_error"], wrong["bias"]) == (None, None)
    assert price_of(entry_of(below, frame), {"log_error": 0.1, "mape": 50.0}) == (wrong["mape"] / 50.0, "")
    assert price_of({"log_error": 0.2, "mape": 1.0}, {"log_error": 0.1, "mape": 1.0}) == (2.0, ", in logarithms")
