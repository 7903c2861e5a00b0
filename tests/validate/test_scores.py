"""Scores against hand-made numbers."""

import numpy as np
import pytest

from core.validate.scores import score


def test_scores_by_hand() -> None:
    y = np.array([100.0, 200.0, 50.0, 10.0])
    p = np.array([110.0, 190.0, 65.0, 10.0])  # errors 10 %, 5 %, 30 %, 0 %
    s = score(y, p, low=y - 1, high=np.array([120.0, 180.0, 60.0, 12.0]))
    assert s.mape == pytest.approx(11.25)
    assert s.median_ape == pytest.approx(7.5)
    assert s.max_ape == pytest.approx(30)
    assert (s.inliers_10, s.inliers_20) == (75.0, 75.0)
    assert s.mse == pytest.approx((100 + 100 + 225 + 0) / 4)
    assert s.rmse == pytest.approx(np.sqrt(106.25))
    assert s.r2 == pytest.approx(1 - 425 / ((y - 90) ** 2).sum())
    assert s.coverage_90 == 75.0


def test_refused_predictions_are_counted_not_scored() -> None:
    s = score(np.array([1.0, 2.0]), np.array([1.0, np.nan]))
    assert (s.n, s.n_refused, s.mape, s.r2) == (1, 1, 0.0, None)
    assert score(np.array([1.0]), np.array([np.nan])).mape is None


def test_responses_of_zero_have_no_percentage() -> None:
    s = score(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    assert s.mape == 50.0
    assert score(np.array([0.0]), np.array([1.0])).mape is None


def test_a_response_that_is_constant_but_for_rounding_has_no_r2() -> None:
    y = np.full(6, 0.09)
    y[0] = np.nextafter(0.09, 1)
    assert score(y, np.full(6, 0.1)).r2 is None
    y[0] += 1e-6
    assert score(y, np.full(6, 0.1)).r2 is not None
