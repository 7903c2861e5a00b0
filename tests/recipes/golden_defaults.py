"""Frames and predictions that hold named defaults of recipes to what they said when they were the defaults."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np

from core.recipes.base import Recipe
from core.trial import Frame, Metric, make_frame
from tests.conftest import machine_frame
from tests.race.made import host_target

SAMPLES = Path(__file__).resolve().parents[2] / "data/samples"
GOLDEN = Path(__file__).with_name("golden") / "ridgeline_1.json"
CASES: dict[str, tuple[str, str, dict[str, str]]] = {
    "eiger": ("eiger", "generations", {}),
    "eiger clusters": ("eiger", "generations", {"clusters": "4"}),
    "eiger metrics": ("eiger", "machines", {"components": "none"}),
    "eiger race": ("eiger", "machines", {"race": "signed,table1"}),
    "eiger original": ("eiger", "machines", {"semantics": "eiger-1"}),
    "stargazer": ("stargazer", "designs", {}),
    "stargazer aic": ("stargazer", "designs", {"criterion": "aic"}),
    "halwpe": ("halwpe", "host", {"trees": "5"}),
}
"""Per case the recipe, the frame and the options."""


def frame(name: str) -> Frame:
    if name == "machines":
        return machine_frame(12, 6)
    if name == "host":
        return host_target(noise=0.05)
    return _sample("generations", 2, "cycles") if name == "generations" else _sample("design_space", 1, "cycles")


def _sample(name: str, labels: int, response: str) -> Frame:
    """Return 300 trials of a sample, its first two columns (three with a machine) being texts."""
    with gzip.open(SAMPLES / name / "trials.csv.gz", "rt", newline="") as file:
        head, *rows = csv.reader(file)
    first = 3 if labels == 2 else 2
    chosen = [row for row in rows if labels == 2 or row[0] == "butterfly_f64"][:: 13 if labels == 2 else 8][:300]
    table = np.array([row[first:] for row in chosen], dtype=np.float64)
    names = [text.partition(" (")[0] for text in head[first:]]
    y = names.index(response)
    keep = [j for j in range(len(names)) if j != y]
    texts = {"application": [row[0] for row in chosen], "input": [row[1] for row in chosen]}
    return make_frame(
        table[:, keep],
        table[:, y],
        [Metric(names[j]) for j in keep],
        Metric(response),
        labels=texts | ({"machine": [row[2] for row in chosen]} if labels == 2 else {}),
    )


def said(recipe: Recipe, of: Frame) -> list[float]:
    """Return what a recipe says, on the model's scale, of every ninth trial and of some far outside."""
    model = recipe.fit(of)
    rows = model.rows(of)[::9]
    return np.nan_to_num(model.predict_scaled(np.vstack([rows, 1.5 * rows[:5], 0.6 * rows[:5]])), nan=-1e9).tolist()


def read() -> dict[str, list[float]]:
    found: dict[str, list[float]] = json.loads(GOLDEN.read_text())
    return found
