"""Selection by AIC and BIC against R's `step`: the same columns in the same order, the same criterion to 1e-8."""

from pathlib import Path

import numpy as np
import pytest

from core.models import FAMILIES
from core.models.parts.linear import LinearModel
from tests.made import matrix, uniform
from tests.models.step_in_r import step_in_r

GOLDEN = {
    ("forward", "aic"): (
        [0, 1, 10, 2, 11, 4],
        [44.0503091659, 7.8947906962, 1.5609636888, -1.0480784041, -2.8834300899, -5.1428433424, -5.2762165100],
    ),
    ("forward", "bic"): ([0, 1, 10], [46.1446537281, 12.0834798207, 7.8439973754, 7.3292998447]),
    ("backward", "aic"): (
        [5, 7, 3, 8, 9, 6],
        [5.5884835760, 3.5981604502, 1.6433745152, -0.3025061338, -2.1862196402, -3.8230295811, -5.2762165100],
    ),
    ("backward", "bic"): (
        [5, 7, 3, 8, 9, 6, 4],
        [
            32.8149628849,
            28.7302951969,
            24.6811646997,
            20.6409394884,
            16.6628814198,
            12.9317269167,
            9.3841954256,
            7.4232240310,
        ],
    ),
}
"""Made by R 4.2.2, `lcg` and `make` as in tests/made.py:
> X <- make(60, 12, 5); y <- 3*X[,1] - 2*X[,2]*X[,3] + X[,12]^2 + 3*lcg(60, 11); d <- data.frame(X, y)
> all <- formula(paste("y ~", paste(paste0("X", 1:12), collapse = "+")))
> m <- step(lm(y ~ 1, d), list(lower = ~1, upper = all), direction = "forward", k = 2, trace = 0)
> m$anova$Step; sprintf("%.10f", m$anova$AIC)
and with lm(all, d), direction = "backward", and k = log(60).
"""
CASES = [(way, criterion) for way in ("forward", "backward") for criterion in ("aic", "bic")]


def made() -> tuple[np.ndarray, np.ndarray]:
    X = matrix(60, 12, 5)
    return X, 3 * X[:, 0] - 2 * X[:, 1] * X[:, 2] + X[:, 11] ** 2 + 3 * uniform(60, 11)


def ours(X: np.ndarray, y: np.ndarray, way: str, criterion: str, weights: str = "none") -> LinearModel:
    model = FAMILIES[f"ols_{way}_{criterion}"](weights=weights).fit(X, y)
    assert isinstance(model, LinearModel)
    return model


def changes(model: LinearModel) -> list[int]:
    return [j for step in model.steps[1:] for j in (*step.added, *step.removed)]


@pytest.mark.parametrize(("way", "criterion"), CASES)
def test_golden_values_of_r(way: str, criterion: str) -> None:
    model = ours(*made(), way, criterion)
    expected, values = GOLDEN[way, criterion]
    assert changes(model) == expected
    np.testing.assert_allclose([s.criterion for s in model.steps], values, rtol=0, atol=1e-8)


def assert_same_as_r(
    folder: Path, X: np.ndarray, y: np.ndarray, way: str, criterion: str, weights: str = "none"
) -> None:
    story, model = step_in_r(folder, X, y, way, criterion, weights), ours(X, y, way, criterion, weights)
    assert [f"x{j}" for j in changes(model)] == story.changes
    np.testing.assert_allclose([s.criterion for s in model.steps], story.values, rtol=1e-10, atol=1e-8)
    assert set(story.coefficients) == {"(Intercept)", *(f"x{j}" for j in model.columns)}
    found = {f"x{j}": c for j, c in zip(model.columns, model.coefficients, strict=True)} | {
        "(Intercept)": model.intercept
    }
    for name, value in story.coefficients.items():
        assert found[name] == pytest.approx(value, rel=1e-7, abs=1e-9 * np.ptp(y))
    if weights == "none":
        assert model.r2 == pytest.approx(story.r2, abs=1e-10)


def counters(n: int, p: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlated, log-normal columns of very different sizes, and a response of some of them."""
    rng = np.random.default_rng(seed)
    X = np.exp(rng.standard_normal((n, 5)) @ rng.standard_normal((5, p)) * 0.5 + 0.5 * rng.standard_normal((n, p)))
    X *= 10 ** rng.uniform(-3, 9, p)
    share = X / X.mean(axis=0)
    return X, (2 + share[:, ::3].sum(axis=1)) * np.exp(0.1 * rng.standard_normal(n))


@pytest.mark.parametrize(("way", "criterion"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_counters_against_r(tmp_path: Path, way: str, criterion: str, seed: int) -> None:
    assert_same_as_r(tmp_path, *counters(90, 25, seed), way, criterion)


@pytest.mark.parametrize(("way", "criterion"), CASES)
def test_relative_weights_against_r(tmp_path: Path, way: str, criterion: str) -> None:
    assert_same_as_r(tmp_path, *counters(80, 15, 7), way, criterion, weights="relative")


@pytest.mark.parametrize("way", ["forward", "backward"])
def test_few_degrees_of_freedom_against_r(tmp_path: Path, way: str) -> None:
    assert_same_as_r(tmp_path, *counters(30, 26, 3), way, "bic")


def test_nothing_to_gain_against_r(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    X, y = rng.standard_normal((50, 4)), rng.standard_normal(50)
    assert_same_as_r(tmp_path, X, y, "forward", "bic")
    assert ours(X, y, "forward", "bic").columns.tolist() == []


def test_aliased_columns_leave_first_as_in_r(tmp_path: Path) -> None:
    """R takes columns that the ones before them make up out before it compares any; here they never come in."""
    X, y = counters(60, 8, 2)
    X = np.column_stack([X, X[:, 1], X[:, 2] + 3 * X[:, 4]])
    story, model = step_in_r(tmp_path, X, y, "backward", "bic"), ours(X, y, "backward", "bic")
    assert story.changes[:2] == ["x9", "x8"]
    assert [f"x{j}" for j in changes(model)] == story.changes[2:]
    np.testing.assert_allclose([s.criterion for s in model.steps], story.values[2:], rtol=1e-10, atol=1e-8)
    assert [j for j, _ in model.left_out] == [8, 9]
