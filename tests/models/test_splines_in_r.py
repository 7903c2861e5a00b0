"""Stepwise splines against R's `splines::ns` and `lm`, candidate by candidate, to 1e-9."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.made import uniform
from tests.models.stargazer_in_r import assert_same, in_r

SAMPLE = Path(__file__).resolve().parents[2] / "data/samples/design_space/trials.csv.gz"
PARAMETERS = ["dispatch_width", "decoders", "register_file", "load_queue", "store_queue"]
CASES = [
    pytest.param("paper", 0.0, 0.0, id="paper-0"),
    pytest.param("paper", 0.01, 0.01, id="paper-0.01"),
    pytest.param("original", 0.0, 0.0, id="original-0"),
    pytest.param("original", 0.003, 0.0, id="original-0.003"),
    pytest.param("original", 0.01, 0.01, id="original-0.01"),
]


def sample(kernel: str) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(SAMPLE, "rt", newline="") as file:
        rows = [row for row in csv.reader(file) if row[0] == kernel]
    table = np.array([row[2:] for row in rows], dtype=np.float64)
    return table[:, :5], table[:, 5]


def drawn(n: int, k: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).permutation(n)[:k]


@pytest.mark.parametrize(("variant", "theta", "phi"), CASES)
def test_starchart(real_data: Path, tmp_path: Path, variant: str, theta: float, phi: float) -> None:
    table = np.loadtxt(real_data / "data/starchart/kmeans.csv", delimiter=",", skiprows=1)
    X, y, names = table[:, :3], table[:, 3], ["ppb", "tpp", "consec"]
    rows = drawn(len(y), 500)
    train, unseen = rows[:300], rows[300:]
    options = {"variant": variant, "theta": theta, "phi": phi}
    story = in_r(tmp_path, names, X[train], y[train], X[unseen], **options)
    assert_same(story, names, X[train], y[train], X[unseen], **options)


@pytest.mark.parametrize(("variant", "theta", "phi"), CASES)
def test_sample(tmp_path: Path, variant: str, theta: float, phi: float) -> None:
    X, y = sample("butterfly_f64")
    rows = drawn(len(y), 500, 1)
    train, unseen = rows[:300], rows[300:]
    options = {"variant": variant, "theta": theta, "phi": phi}
    story = in_r(tmp_path, PARAMETERS, X[train], y[train], X[unseen], **options)
    assert_same(story, PARAMETERS, X[train], y[train], X[unseen], **options)


@pytest.mark.parametrize("criterion", ["aic", "t_test"])
def test_other_criteria(tmp_path: Path, criterion: str) -> None:
    """AIC as R's extractAIC, and the F test as R's anova of two models."""
    X, y = sample("butterfly_f64")
    noisy = y * (1 + 0.02 * (uniform(len(y), 5) - 0.5))
    train, unseen = drawn(len(y), 300, 2), drawn(len(y), 50, 3)
    options = {"variant": "paper", "theta": 0.0, "phi": 0.0, "criterion": criterion}
    story = in_r(tmp_path, PARAMETERS, X[train], noisy[train], X[unseen], **options)
    assert_same(story, PARAMETERS, X[train], noisy[train], X[unseen], **options)


def test_relative_weights(tmp_path: Path) -> None:
    X, y = sample("butterfly_f64")
    train, unseen = drawn(len(y), 200, 4), drawn(len(y), 50, 5)
    options = {"variant": "paper", "theta": 0.0, "phi": 0.0, "weights": "relative"}
    story = in_r(tmp_path, PARAMETERS, X[train], y[train], X[unseen], **options)
    assert_same(story, PARAMETERS, X[train], y[train], X[unseen], **options)


@pytest.mark.parametrize("n", [25, 40])
def test_aliased_columns(tmp_path: Path, n: int) -> None:
    """So few points that columns of interactions are aliased: the same ones are left out, and predictions agree."""
    X, y = sample("butterfly_f64")
    noisy = y * (1 + 0.02 * (uniform(len(y), 6) - 0.5))
    train, unseen = drawn(len(y), n, 6), drawn(len(y), 50, 7)
    options = {"variant": "paper", "theta": 0.0, "phi": 0.0}
    story = in_r(tmp_path, PARAMETERS, X[train], noisy[train], X[unseen], **options)
    assert_same(story, PARAMETERS, X[train], noisy[train], X[unseen], **options)
