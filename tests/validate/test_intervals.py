"""Conformal widths: the right rank, the promised coverage on unseen draws, and factors by difficulty."""

import numpy as np
import pytest

from core.validate.intervals import Interval, half_width, shape_of
from tests.conftest import plain_interval


def test_rank_by_hand() -> None:
    residuals = np.array([-1.0, 2.0, -3.0, 4.0, 5.0, -6.0, 7.0, 8.0, 9.0, -10.0])
    assert half_width(residuals, 0.9) == 10  # ceil(11 * 0.9) = 10th smallest
    assert half_width(residuals, 0.5) == 6  # ceil(11 * 0.5) = 6th smallest
    assert half_width(np.array([]), 0.9) == float("inf")
    assert half_width(np.array([1.0, np.nan]), 0.9) == 1


@pytest.mark.parametrize("n", [30, 200])
def test_coverage_on_unseen_draws(n: int) -> None:
    rng = np.random.default_rng(0)
    inside = [abs(rng.standard_normal()) <= half_width(rng.standard_normal(n), 0.9) for _ in range(4000)]
    assert 0.88 <= np.mean(inside) <= 0.925


def test_a_rows_half_width_is_its_clusters_times_the_factor_of_its_difficulty() -> None:
    interval = Interval(np.array([1.0, 3.0]), "prediction", np.array([0.0, 2.0]), np.array([0.5, 1.5]), 0.9, 50, "loo")
    half = interval.half(np.array([0, 1, 1, 0]), np.array([-5.0, 1.0, 9.0, np.nan]))
    np.testing.assert_allclose(half, [0.5, 3.0, 4.5, np.nan])
    assert plain_interval(2.0, 0.9, 50, "loo").half(np.array([0, 0]), np.array([np.nan, 1.0])).tolist() == [2.0, 2.0]


def test_factors_are_quantiles_of_groups_of_like_difficulty() -> None:
    rng = np.random.default_rng(3)
    size, difficulty = rng.exponential(size=327), rng.random(327)
    found = shape_of(size, difficulty, 0.9, rising=False)
    groups = np.array_split(np.argsort(difficulty, kind="stable"), 8)
    assert found is not None
    assert found.knots.tolist() == [np.median(difficulty[g]) for g in groups]
    n = np.array([len(g) for g in groups])
    logs = np.log([np.quantile(size[g], 0.9) / np.quantile(size, 0.9) for g in groups]) * n / (n + 20)
    wide = np.array([logs[0], *logs, logs[-1]])
    np.testing.assert_allclose(np.log(found.factors), 0.25 * wide[:-2] + 0.5 * wide[1:-1] + 0.25 * wide[2:], rtol=1e-12)
