"""Whatever names a file brings, no exporter plants them: nothing runs, no page loads them, no spreadsheet computes them."""

import csv
import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.cli import main
from core.export import EXPORTERS, write_model
from core.export._lowered import prove
from core.pipeline import FittedPipeline
from core.recipes import make_recipe, train
from core.report.shared.csv_text import FORMULA, NUMBER
from core.trial import make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame

NAMES = (
    '=cmd|"/C calc"!A1',
    '*/ system("touch owned"); /*',
    '";import os;os.system("touch owned")#',
    "</script><script>alert(1)</script>",
    "\\input{/etc/passwd}",
    "'; DROP TABLE t; --",
    "@SUM(1)",
    "-1+cmd",
    "\t=1",
    "${jndi:x}",
)
PROVEN = ("c", "cpp", "python", "sql", "onnx")
RECIPES = {
    "ols": {},
    "extra_trees": {"trees": "10"},
    "eiger": {"response_scale": "raw", "pool": "linear"},
    "stargazer": {},
}


@cache
def hostile(recipe: str = "ols") -> FittedPipeline:
    """A validated model whose metrics, units, response, applications, machines and dataset are all named so."""
    frame = machine_frame(5, 3)
    metrics = [replace(m, name=NAMES[i], unit=NAMES[-1 - i]) for i, m in enumerate(frame.metrics)]
    labels = {
        role: [f"{NAMES[sum(text.encode()) % 10]} {text}" for text in texts] for role, texts in frame.labels.items()
    }
    named = make_frame(frame.X, frame.y, metrics, replace(frame.response, name=NAMES[4], unit=NAMES[0]), labels)
    return train(make_recipe(recipe, RECIPES[recipe]), named, parse_folds("kfold:3"), dataset=NAMES[3]).model


def formulas(text: str) -> list[str]:
    """Return the cells that a spreadsheet would compute."""
    cells = (cell for row in csv.reader(io.StringIO(text)) for cell in row)
    return [cell for cell in cells if re.match(FORMULA, cell) and not re.fullmatch(NUMBER, cell)]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("format", EXPORTERS)
def test_no_format_plants_a_name(format: str, recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exporter, model = EXPORTERS[format](), hostile(recipe)
    if exporter.can_express(model) is not None:
        pytest.skip("the format cannot say this model")
    raw = exporter.write(model)
    if format in PROVEN:
        proof = prove(exporter, model, 50)
        assert proof.holds, proof.sentence
    if exporter.suffix == ".html":
        assert b"<script>alert" not in raw
    if exporter.suffix == ".csv":
        assert formulas(raw.decode()) == []
    if exporter.suffix == ".tex":
        assert b"\\input{" not in raw
    assert not list(tmp_path.rglob("owned"))


def test_every_format_is_tried() -> None:
    said = {f for f in EXPORTERS for recipe in RECIPES if EXPORTERS[f]().can_express(hostile(recipe)) is None}
    assert said == set(EXPORTERS)


def test_predictions_of_hostile_labels_hold_no_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    model = hostile()
    (tmp_path / "model.json").write_bytes(write_model(model))
    rows = pd.DataFrame(np.full((len(NAMES), len(model.names)), 1e4), columns=list(model.names))
    rows.insert(0, "=label", NAMES)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    assert main(["predict", "model.json", "rows.csv", "--out", "out.csv"]) == 0
    text = (tmp_path / "out.csv").read_text()
    assert formulas(text) == []
    kept = [row[0].removeprefix("'").strip() for row in csv.reader(io.StringIO(text))]
    assert kept == [name.removeprefix("'").strip() for name in ("=label", *NAMES)]
