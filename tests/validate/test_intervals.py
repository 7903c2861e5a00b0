"""Conformal widths: the right rank, and the promised coverage on unseen draws."""

import numpy as np
import pytest

from core.validate.intervals import half_width, leave_fold_out_half_widths


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


def test_a_fold_has_no_say_in_its_own_width() -> None:
    residuals = np.array([1.0, 1.0, 50.0, 60.0])
    widths = leave_fold_out_half_widths(residuals, np.array([0, 0, 1, 1]), 0.9)
    assert widths.tolist() == [60, 60, 1, 1]
    alone = leave_fold_out_half_widths(residuals, np.array([0, 0, 0, -1]), 0.9)
    assert np.isnan(alone).all()
