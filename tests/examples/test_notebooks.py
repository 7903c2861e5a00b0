"""The notebooks of the papers run cell by cell, and show what their sentences say."""

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

NOTEBOOKS = Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def run(name: str) -> dict[str, Any]:
    """Run a notebook's cells, none of which was saved with what it shows, and return its names."""
    notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 4
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code)
    names: dict[str, Any] = {}
    for number, cell in enumerate(code):
        exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), names)
    return names


def test_each_notebook_has_a_test() -> None:
    assert {path.stem for path in NOTEBOOKS.glob("*.ipynb")} == {"eiger", "stargazer", "halwpe", "amd"}


def test_eiger_is_better_than_the_typical_value_and_chosen_better_than_fixed() -> None:
    names = run("eiger")
    assert names["chosen"].validation.scores.mape < names["scores"].mape < names["constant"]


def test_stargazer_errs_less_with_more_designs() -> None:
    errors = run("stargazer")["errors"]
    assert list(errors.values()) == sorted(errors.values(), reverse=True)
    assert errors[300] < 8


def test_the_next_machine_is_better_than_one_ratio() -> None:
    names = run("halwpe")
    assert len(names["frame"]) == 382
    ratio = 100 * abs(names["ratio"] * names["on_host"] / names["frame"].y - 1).mean()
    assert max(scores.mape for scores in names["found"].values()) < ratio


def test_clusters_are_better_than_the_median_surface() -> None:
    names = run("amd")
    assert names["model"].answers[0].mape < names["baseline"].answers[0].mape
