"""Paired comparison: R's numbers, Nadeau and Bengio's correction, and as many false alarms as it says."""

import numpy as np
import pytest

from core.errors import FitError
from core.validate.scores import errors, paired

BLOCKS = np.repeat(np.arange(10), 6)
R_PLAIN = (0.4417295305, 1.4782704695, 0.002340330057)
R_CORRECTED = (0.206970466, 1.713029534, 0.01806252146)
"""Ends of the 95 % interval, and p."""
MEANS = np.array([1.2, 0.4, 2.1, -0.3, 1.7, 0.9, 1.1, 0.2, 1.5, 0.8])


def test_without_correction_it_is_rs_t_test() -> None:
    """t.test(c(1.2, 0.4, 2.1, -0.3, 1.7, 0.9, 1.1, 0.2, 1.5, 0.8)) in R."""
    found = paired(np.zeros(60), np.repeat(MEANS, 6), BLOCKS, retrained=False)
    assert found.difference == pytest.approx(0.96)
    assert (found.low, found.high) == pytest.approx(R_PLAIN[:2], rel=1e-6)
    assert found.p == pytest.approx(R_PLAIN[2], rel=1e-5)
    assert found.more_than_noise


def test_the_corrected_test_is_nadeau_and_bengios() -> None:
    """In R: d <- c(…); v <- (1/10 + 1/9) * var(d); t <- mean(d) / sqrt(v); 2 * pt(-t, 9)."""
    found = paired(np.zeros(60), np.repeat(MEANS, 6), BLOCKS)
    assert (found.low, found.high) == pytest.approx(R_CORRECTED[:2], rel=1e-6)
    assert found.p == pytest.approx(R_CORRECTED[2], rel=1e-5)


def test_false_alarms_of_models_that_are_alike_and_power_where_they_are_not() -> None:
    rng = np.random.default_rng(0)
    alarms, found = 0, 0
    for _ in range(400):
        a, b = np.abs(rng.standard_normal((2, 200)))
        fold = np.arange(200) % 10
        alarms += paired(a, b, fold).more_than_noise
        found += paired(a, b + 0.5, fold).more_than_noise
    assert alarms <= 0.05 * 400
    assert found >= 0.9 * 400


def test_blocks_of_different_size_count_by_their_trials() -> None:
    block = np.array([0] * 90 + [1] * 5 + [2] * 5)
    difference = np.array([1.0] * 90 + [7.0] * 5 + [-7.0] * 5)
    found = paired(np.zeros(100), difference, block, retrained=False)
    assert found.difference == pytest.approx(0.9)
    spread = 1.5 * (0.9**2 * 0.1**2 + 0.05**2 * 6.1**2 + 0.05**2 * 7.9**2)
    assert found.high - found.difference == pytest.approx(4.302653 * np.sqrt(spread), rel=1e-6)


def test_what_either_refuses_does_not_count_and_nothing_is_an_error() -> None:
    first = np.array([1.0, np.nan, 3.0, 4.0])
    second = np.array([2.0, 2.0, np.nan, 5.0])
    found = paired(first, second, np.array([0, 0, 1, 1]))
    assert (found.n_trials, found.difference, found.p) == (2, 1.0, 0.0)
    one = paired(first, second, np.zeros(4, dtype=int))
    assert (one.n_blocks, one.p, one.more_than_noise) == (1, 1.0, False)
    with pytest.raises(FitError, match="no predicted trial in common"):
        paired(first, second, np.array([-1, 0, 0, -1]))


def test_errors_are_percent_where_all_responses_are_positive() -> None:
    assert errors(np.array([2.0, 4.0]), np.array([3.0, np.nan])).tolist()[0] == 50
    assert errors(np.array([-2.0, 4.0]), np.array([3.0, 5.0])).tolist() == [5, 1]
