"""A file put into a copy of the program adds its one thing everywhere: verbs, files, race, pages, every export.

The files are in `tests/examples/one_file`, laid out as in the program; `drive.py` there asks the copy for each of them.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
GIVEN = Path(__file__).parent / "one_file"
FILES = [path.relative_to(GIVEN) for path in sorted(GIVEN.glob("*/**/*.*")) if path.suffix != ".pyc"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the program with the files says of them."""
    home = tmp_path_factory.mktemp("copy")
    for name in ("core", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, home / name)
    shutil.copy(ROOT / "app.py", home)
    (home / "data").symlink_to(ROOT / "data")
    for name in FILES:
        assert not (ROOT / name).exists()
        shutil.copy(GIVEN / name, home / name)
    shutil.copy(GIVEN / "drive.py", home)
    environment = {**os.environ, "PYTHONPATH": str(home), "RIDGELINE_DB": str(home / "t.duckdb")}
    ran = subprocess.run([sys.executable, "drive.py"], cwd=home, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = dict(json.loads(ran.stdout.splitlines()[-1]))
    assert (found["import"], found["kernels"]) == (0, 0)
    return found


@pytest.mark.parametrize("form", ["c", "cpp", "python", "sql", "onnx"])
def test_a_basis_function_is_said_in_every_language(found: dict[str, Any], form: str) -> None:
    code, proof = found["basis"][form]
    assert (found["basis"]["fit"], found["basis"]["in the file"]) == (0, True)
    assert code == 0
    assert proof is True or "there is no compiler" in proof or "not installed" in proof


@pytest.mark.parametrize("name", ["family", "recipe"])
def test_a_recipe_is_fitted_predicts_races_and_is_refused_where_it_cannot_be_said(
    found: dict[str, Any], name: str
) -> None:
    """No exporter knows the family's operations, but it has a formula; the recipe uses a pass that has none."""
    known = {"fit": 0, "predict": 0, "export": 2, "race": [0, True], "help": True}
    assert found[name] == {**known, "formula": 0 if name == "family" else 2}


def test_a_family_tells_its_own_story(found: dict[str, Any]) -> None:
    """What its model says of itself stands in the report, on the card and on the page, though neither knows it."""
    story, pages = found["story"], found["pages"]
    assert story["terms"] == ["level"]
    assert "1 line, training R²" in story["lines"]
    assert "How steep the line is." in story["card"]
    assert "The slope is that of least squares." in story["formula"]
    assert "·level" in story["formula"]
    assert "How steep the line is." in pages["selection"]["said"]
    assert "The slope is that of least squares." in pages["formula"]["said"]
    assert pages["selection"]["wrong"] == pages["formula"]["wrong"] == []


def test_a_rule_says_which_trials_do_not_count(found: dict[str, Any]) -> None:
    assert found["rule"]["code"] == 0
    assert found["rule"]["excluded"] > 0
    assert found["rule"]["reason"].endswith("below 8")


def test_a_reader_knows_its_files_by_their_content(found: dict[str, Any]) -> None:
    assert found["reader"]["code"] == 0
    assert "stopwatch" in found["reader"]["imported"]
    assert "notes" in found["reader"]["datasets"]


def test_a_plan_has_its_points(found: dict[str, Any]) -> None:
    assert (found["plan"]["code"], found["plan"]["method"]) == (0, "first")
    assert [row.split(",")[1:] for row in found["plan"]["rows"][-3:]] == [["1", "1"], ["2", "1"], ["4", "1"]]


def test_a_scaling_predictor_is_kept_and_races(found: dict[str, Any]) -> None:
    assert found["predictor"] == {"fit": 0, "in the file": True, "race": [0, True]}


def test_an_exporter_writes_and_is_listed(found: dict[str, Any]) -> None:
    assert (found["exporter"]["code"], found["exporter"]["listed"]) == (0, True)
    assert found["exporter"]["text"].startswith("time from level, other")


def test_a_verb_answers_as_its_schema_says_and_is_listed(found: dict[str, Any]) -> None:
    assert (found["verb"]["code"], found["verb"]["listed"]) == (0, True)
    assert found["verb"]["keys"] == found["verb"]["schema"] == ["application", "trial", "value"]


def test_a_view_of_a_page_has_its_tab_and_draws(found: dict[str, Any]) -> None:
    page = found["pages"]["view"]
    assert page["wrong"] == []
    assert page["tabs"] == ["Saved models", "Compare two", "Predict from a file", "Upload a model", "Recipes"]
    assert page["numbers"] == [["stepwise", "1 model"]]


@pytest.mark.parametrize(
    ("name", "label", "key"),
    [
        ("family", "Single metric", "single_metric_shrinkage"),
        ("recipe", "Rooted", "rooted_penalty"),
        ("rule", "Response below a limit", "rule_below_limit"),
        ("plan", "In order", "plan_first_stride"),
        ("predictor", "Trimmed mean", "with_trimmed_mean_trimmed"),
        ("exporter", "Notes (text) (.txt)", ""),
    ],
)
def test_a_page_offers_it_with_its_options(found: dict[str, Any], name: str, label: str, key: str) -> None:
    page = found["pages"][name]
    assert page["wrong"] == []
    assert label in page["choices"]
    assert not key or key in page["keys"]
