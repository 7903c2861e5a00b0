"""Trials under strain, and what every family and recipe says of them: the table of docs/strain.md."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from core.errors import RidgelineError
from core.models import FAMILIES
from core.pipeline import FittedPipeline
from core.recipes import RECIPES, Recipe, make_recipe, train
from core.trial import Frame, make_frame
from core.validate.folds import parse_folds
from tests.conftest import machine_frame
from tests.contracts.test_recipes import FEWER

NAMES = [*FAMILIES, *(name for name in RECIPES if name != "auto")]
BASE = machine_frame(8, 4)


def made(X: np.ndarray, y: np.ndarray, frame: Frame = BASE) -> Frame:
    """Return a frame of other numbers; metrics beyond those of `frame` are counters of the application."""
    extra = [replace(frame.metrics[0], name=f"more_{j}") for j in range(X.shape[1] - len(frame.metrics))]
    labels = {role: texts[: len(y)] for role, texts in frame.labels.items()}
    return make_frame(X, y, [*frame.metrics[: X.shape[1]], *extra], frame.response, labels)


def beside(*columns: np.ndarray) -> Frame:
    """Return the frame with further metrics."""
    return made(np.column_stack([BASE.X, *columns]), BASE.y)


def noise(n: int, p: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(size=(n, p))


N = len(BASE)
CASES: Mapping[str, Callable[[], Frame]] = {
    "one trial": lambda: BASE.take(np.arange(1)),
    "two trials": lambda: BASE.take(np.arange(2)),
    "three trials": lambda: BASE.take(np.arange(3)),
    "12 trials, 60 metrics": lambda: made(np.column_stack([BASE.X[:12], noise(12, 56)]), BASE.y[:12]),
    "a metric that is twice another": lambda: beside(2 * BASE.X[:, 0]),
    "a metric twice": lambda: beside(BASE.X[:, 1]),
    "each trial twice": lambda: made(np.vstack([BASE.X, BASE.X]), np.tile(BASE.y, 2), doubled(BASE)),
    "a constant metric": lambda: beside(np.full(N, 3.0)),
    "all metrics constant": lambda: made(np.ones_like(BASE.X), BASE.y),
    "a metric of integers beyond 2^53": lambda: beside(2.0**53 + 2 * np.arange(N)),
    "a metric of subnormal numbers": lambda: beside(5e-324 * (1 + np.arange(N))),
    "a metric near 1e300": lambda: beside(1e300 * noise(N, 1)[:, 0]),
    "a response of subnormal numbers": lambda: made(BASE.X, 5e-324 * (1 + np.arange(N))),
    "a response near 1e300": lambda: made(BASE.X, BASE.y / BASE.y.max() * 1e300),
    "a response that is a metric": lambda: made(BASE.X, BASE.X[:, 0]),
    "a response that is all equal": lambda: made(BASE.X, np.full(N, 3.0)),
    "a response of both signs": lambda: made(BASE.X, np.log(BASE.y) - np.log(BASE.y).mean()),
    "a response all negative": lambda: made(BASE.X, -BASE.y),
    "zeros in the response": lambda: made(BASE.X, np.where(np.arange(N) % 5 == 0, 0.0, BASE.y)),
    "one application": lambda: alone(BASE),
    "a machine in one trial": lambda: BASE.take(
        np.flatnonzero([m != "gpu3" or i == N - 1 for i, m in enumerate(BASE.labels["machine"])])
    ),
}
FOLDS = {"one application": "by:application", "a machine in one trial": "by:machine"}
"""How those are validated that are about folds; of the others the fit is looked at."""


def doubled(frame: Frame) -> Frame:
    return replace(frame, labels={role: (*texts, *texts) for role, texts in frame.labels.items()})


def alone(frame: Frame) -> Frame:
    return replace(frame, labels={**frame.labels, "application": ("gemm",) * len(frame)})


def behaviour(name: str, case: str) -> str:
    """Return what becomes of a case: "fits", with finite predictions, or the refusal; anything else is raised."""
    frame = CASES[case]()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            model = fitted(make_recipe(name, FEWER.get(name)), frame, FOLDS.get(case))
        except RidgelineError as error:
            return str(error)
        said = model.predict(model.rows(frame))
    for value, low, high, why in zip(said.value, said.low, said.high, said.why, strict=True):
        assert np.isfinite(value) or why, "no number and no reason"
        assert np.isnan(low) or low <= value <= high, "an interval beside its value"
    return "fits"


def fitted(recipe: Recipe, frame: Frame, folds: str | None) -> FittedPipeline:
    """Return a model of all trials, validated if the case is about folds."""
    return recipe.fit(frame) if folds is None else train(recipe, frame, parse_folds(folds)).model


def rows(case: str) -> list[str]:
    """Return the lines of the table on a case: what becomes of it, and with which families and recipes."""
    found: dict[str, list[str]] = {}
    for name in NAMES:
        found.setdefault(behaviour(name, case), []).append(name)
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    most = len(ordered[0][1])
    return [
        f"| {case} | {said} | {'all' if len(own) == len(NAMES) else 'the others' if len(own) == most else ', '.join(own)} |"
        for said, own in ordered
    ]
