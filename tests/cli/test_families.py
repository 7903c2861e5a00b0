"""`fit`, `predict` and `export` for every recipe and family, on a design space."""

import importlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.cli.base import Arguments, Report
from core.export import json as model_file
from core.models import FAMILIES
from core.recipes import RECIPES
from tests.report.designs import NAMES, designs

EVERY = [*RECIPES, *FAMILIES]
SMALL = {
    **dict.fromkeys(("auto", "forest", "extra_trees", "roofline", "trended"), ("--set", "trees=15")),
    "halwpe": ("--set", "model=ols_forward_bic"),
}
STRAIGHT = {n for n in EVERY if n.startswith(("ols", "nnls", "lasso", "nn_lasso", "ridge", "halwpe"))}
"""Linear in the metrics, so that these designs' products and falling curves are beyond them."""
STEPPED = ("eiger", "stepwise", "stargazer", "splines")
TERMS = (*STEPPED, "formula")
"""Made of terms; those of the formula are chosen together, so that there are no steps to tell."""
FIT = ("--dataset", "d", "--response", "cycles", "--folds", "kfold:3")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with designs of a space, as a file and in a database, which no test writes to."""
    folder = tmp_path_factory.mktemp("families")
    frame = designs(120)
    table = pd.DataFrame(frame.X, columns=list(NAMES)).assign(cycles=frame.y)
    table.to_csv(folder / "designs.csv", index=False)
    words = ("--dataset", "d", "--response", "cycles", "--parameter", ",".join(NAMES))
    assert main(["--db", str(folder / "test.duckdb"), "import", str(folder / "designs.csv"), *words]) == 0
    return folder


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]):
    """Run a verb against the database; returns code, standard output, standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        code = main(["--db", str(home / "test.duckdb"), *(str(w) for w in words)])
        said = capsys.readouterr()
        return code, said.out, said.err

    capsys.readouterr()
    return call


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[Report]:
    """What verbs report, so that one fit tells both its values and its lines."""
    command_line, found = importlib.import_module("core.cli"), list[Report]()
    printed = command_line._print

    def keep(report: Report, a: Arguments) -> None:
        found.append(report)
        printed(report, a)

    monkeypatch.setattr(command_line, "_print", keep)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_fitted_told_predicted_and_written_again(run, reports, home: Path, tmp_path: Path, name: str) -> None:
    code, out, err = run("fit", name, *FIT, *SMALL.get(name, ()), "--out", tmp_path / "m.json", "--json")
    assert (code, err) == (0, "")
    fitted = json.loads(out)
    assert fitted["recipe"] == name
    assert fitted["n_trials"] == 120
    assert fitted["n_terms"] == len(fitted["terms"]) >= (0 if name in STRAIGHT else 1)
    assert (0 if name in STRAIGHT else 0.8) <= fitted["r2"] <= 1
    stepped = name in STEPPED or "forward" in str(SMALL.get(name, name))
    if stepped or name not in STRAIGHT:
        assert [s["term"] for s in fitted["steps"]] == (fitted["terms"] if stepped else [])
        assert (fitted["adjusted_r2"] is not None) == (stepped or name in TERMS)
    if stepped:
        assert all(s["adjusted_r2"] <= s["r2"] for s in fitted["steps"])
    _people_read_what_it_is_made_of(name, list(reports[0].lines))

    code, out, err = run("predict", tmp_path / "m.json", home / "designs.csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["n_in_domain"] == found["n_rows"] == 120
    assert found["scores"]["mape"] < (100 if name in STRAIGHT else 20)
    assert all(row["low"] < row["prediction"] < row["high"] for row in found["predictions"])

    assert run("export", tmp_path / "m.json", "--to", "json", "--out", tmp_path / "again.json")[0] == 0
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def _people_read_what_it_is_made_of(name: str, lines: list[str]) -> None:
    assert lines[0].startswith(f"{name} on 120 trials: ")
    noun = "term" if name in TERMS else "effects" if name == "anova" else "metric"
    assert f" {noun}" in lines[0]
    told = "\n".join(lines)
    assert "+ simd" in told or "simd" in lines[2] or "RC1" in told or name.startswith("nn")


def test_the_rounds_of_the_paper_are_in_the_json(run) -> None:
    _, out, _ = run("fit", "stargazer", *FIT, "--set", "variant=paper", "--json")
    fitted = json.loads(out)
    first, *_, last = fitted["rounds"]
    assert first["values_are"] == "R²"
    assert set(first["values"]) == set(NAMES)
    assert first["taken"] == fitted["terms"][0] == max(first["values"], key=first["values"].get)
    assert [r["taken"] for r in fitted["rounds"] if r["taken"]] == fitted["terms"]
    assert last["taken"] is None
    assert fitted["steps"][-1]["r2"] == last["r2"] == pytest.approx(fitted["r2"], abs=1e-9)
    assert fitted["stopped"].startswith("It stopped after ")


def test_the_seed_reaches_a_family(run) -> None:
    told = [
        json.loads(run("fit", "forest", *FIT, "--set", "trees=5", *seed, "--json")[1])["model_sha256"]
        for seed in ((), ("--seed", "0"), ("--seed", "7"), ("--seed", "7", "--set", "seed=0"))
    ]
    assert told[0] == told[1]
    assert told[2] != told[0]


def test_a_forest_too_large_for_a_file_says_what_would_fit(run, tmp_path: Path, monkeypatch) -> None:
    export = importlib.import_module("core.export")
    for module in (model_file, export):
        monkeypatch.setattr(module, "MAX_BYTES", 200_000)
    code, _, err = run("fit", "forest", *FIT, "--set", "trees=60", "--out", tmp_path / "m.json")
    assert code == 2
    assert "60 trees have" in err
    assert "min_leaf" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "m.json").exists()
    assert run("fit", "forest", *FIT, "--set", "trees=60", "--json")[0] == 0


def test_predictions_beyond_the_levels_are_flagged(run, tmp_path: Path) -> None:
    run("fit", "stargazer", *FIT, "--out", tmp_path / "m.json")
    rows = pd.DataFrame([[128, 3, 1, 5], [16, 3, 1, 5]], columns=list(NAMES))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = json.loads(run("predict", tmp_path / "m.json", tmp_path / "rows.csv", "--json")[1])
    assert [row["in_domain"] for row in found["predictions"]] == [False, True]
    assert "simd = 128 is outside" in found["predictions"][0]["why"]
    assert np.isfinite([row["prediction"] for row in found["predictions"]]).all()
