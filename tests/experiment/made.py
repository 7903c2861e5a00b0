"""Small trials and experiments on them, for tests."""

import numpy as np

from core.experiment.grid import Grid, make_grid
from core.experiment.toml_text import read_experiment
from core.experiment.trials import trials_subjects
from core.trial import Frame, Metric, make_frame

TEXT = """
name = "penalties"
dataset = "made"
response = "time"
recipe = "ridge"
folds = ["kfold:3", "by:application"]
seeds = 2

[vary]
penalty = { from = 1e-3, to = 10, count = 3, scale = "log" }
"""


def made_frame(n: int = 60, scale: float = 1.0) -> Frame:
    """Trials of five applications on two machines, whose time follows two metrics and some noise."""
    rng = np.random.default_rng(5)
    X = np.exp(rng.uniform(0, 3, (n, 3)))
    y = scale * (X[:, 0] + 2 * X[:, 1]) * np.exp(0.1 * rng.standard_normal(n))
    labels = {
        "application": [f"a{i % 5}" for i in range(n)],
        "input": [f"i{i}" for i in range(n)],
        "machine": [f"m{i % 2}" for i in range(n)],
    }
    return make_frame(X, y, [Metric(m) for m in ("loads", "stores", "other")], Metric("time", unit="s"), labels)


def made_grid(text: str = TEXT, frame: Frame | None = None, each: str = "") -> Grid:
    """Return the grid of an experiment on made trials."""
    return make_grid(read_experiment(text), trials_subjects(frame or made_frame(), each))
