"""The examples run as their READMEs say, and what they print is right."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.export import read_model

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
RUN = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}


def made(tmp_path: Path, name: str) -> Path:
    """Build an example in a copy of its folder, so that nothing is left in the tree."""
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("*.h", "*.hpp", "loops.csv"))
    (tmp_path / "data").symlink_to(ROOT / "data")
    folder = tmp_path / "examples" / name
    found = subprocess.run(["make", f"PYTHON={sys.executable}"], cwd=folder, env=RUN, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "warning" not in found.stderr
    return folder


@pytest.mark.skipif(not shutil.which("cc") or not shutil.which("make"), reason="no C compiler here")
def test_the_scheduler_takes_the_earlier_end(tmp_path: Path) -> None:
    folder = made(tmp_path, "scheduler")
    said = subprocess.run(["./scheduler", "loops.csv"], cwd=folder, capture_output=True, text=True, check=True).stdout
    lines = said.splitlines()
    loops = pd.read_csv(folder / "loops.csv")
    assert len(lines) == len(loops) + 2
    free = {"little": 0.0, "big": 0.0}
    for line in lines[1:-1]:
        found = re.fullmatch(r".{40} +(\S+) +(\S+)  (little|big)( \(outside the trained range\))?", line)
        assert found, line
        takes = {"little": float(found[1]), "big": float(found[2])}
        assert min(takes.values()) > 0
        free[found[3]] += takes[found[3]]
    done = re.search(r"done after (\S+) us; on little alone (\S+) us, on big alone (\S+) us", lines[-1])
    assert done
    together, little, big = map(float, done.groups())
    assert together == pytest.approx(max(free.values()), rel=1e-2)
    assert together < min(little, big)
    wrong = subprocess.run(["./scheduler", "nowhere.csv"], cwd=folder, capture_output=True, check=False)
    assert wrong.returncode == 2


@pytest.mark.skipif(not shutil.which("c++") or not shutil.which("make"), reason="no C++ compiler here")
def test_the_simulation_waits_less_when_it_asks_the_model(tmp_path: Path) -> None:
    folder = made(tmp_path, "simulation")
    runs = [
        subprocess.run(
            ["./simulation", "loops.csv", "20000"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout
        for _ in "ab"
    ]
    assert runs[0] == runs[1]
    waits = re.findall(r"mean wait (\S+) us", runs[0])
    asked = re.findall(r"(\d+) predictions", runs[0])
    assert asked == ["20000", "60000"]
    assert 0 < float(waits[1]) < float(waits[0])


def test_the_notebook_s_cells_run_and_it_keeps_its_promise() -> None:
    notebook = json.loads((EXAMPLES / "notebook" / "model.ipynb").read_text())
    assert notebook["nbformat"] == 4
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    names: dict[str, Any] = {}
    for number, cell in enumerate(code):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert len(names["rest"]) == 2100
    assert names["errors"].median() < 5
    assert 80 <= names["inside"] <= 100
    assert names["said"].in_domain.tolist() == [True, True, False]
    back = read_model(names["model_file"]).predict(names["design"].to_numpy())
    assert back.value == pytest.approx(names["said"].value[:1], rel=1e-12)
    assert len(names["best"]) == 20
    assert names["best"]["simulated"].min() <= 1.1 * names["every"]["simulated"].min()


def test_scikit_learn_searches_and_the_best_model_is_written(tmp_path: Path) -> None:
    script = EXAMPLES / "scikit_learn" / "search.py"
    said = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "m.json")], env=RUN, capture_output=True, text=True, check=True
    ).stdout
    errors = {name: float(error) for name, error in re.findall(r"^(\w+).*?MAPE (\S+) %", said, re.MULTILINE)}
    assert set(errors) == {"stargazer", "ols", "stepwise", "forest"}
    assert all(0 < error < 60 for error in errors.values()), errors
    assert read_model((tmp_path / "m.json").read_bytes()).response.name == "cycles"


def test_every_example_has_a_readme_and_is_listed() -> None:
    folders = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
    listed = (EXAMPLES / "README.md").read_text()
    assert folders == ["notebook", "notebooks", "pipeline", "scheduler", "scikit_learn", "simulation"]
    assert all(f"({name}/README.md)" in listed and (EXAMPLES / name / "README.md").is_file() for name in folders)
