"""Medians and quantiles of many groups at once, and the run-to-run spread made of them."""

import numpy as np
import pytest

from core.curate import run_to_run
from core.grouped import all_but, group, quantile


@pytest.mark.parametrize("seed", range(6))
def test_as_numpy_group_by_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys, values = rng.integers(-5, 9, 120), np.round(rng.standard_normal(120), 1)
    found = group(values, keys)
    for i, key in enumerate(np.unique(keys)):
        v = values[keys == key]
        assert found.size[i] == len(v)
        assert found.median()[i] == np.median(v)
        assert found.mad(1.0)[i] == np.median(np.abs(v - np.median(v)))
        for share in (0.0, 0.1, 0.25, 0.5, 0.75, 1.0):
            assert found.quantile(share)[i] == pytest.approx(np.quantile(v, share), rel=1e-12, abs=1e-12)


def test_values_as_r_prints_them() -> None:
    # > x <- c(2.3, 1.1, 9.9, 4.0, 3.7, 2.2); print(c(median(x), mad(x), quantile(x, c(.25, .75))), digits = 15)
    #                     25%     75%
    # 3.00000 1.33434 2.22500 3.92500
    x = group(np.array([2.3, 1.1, 9.9, 4.0, 3.7, 2.2]), np.zeros(6, dtype=np.int64))
    found = [x.median()[0], x.mad()[0], x.quantile(0.25)[0], x.quantile(0.75)[0]]
    assert found == pytest.approx([3.0, 1.33434, 2.225, 3.925], rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_spread_is_standard_deviation_over_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys, y, there = rng.integers(0, 30, 200), rng.lognormal(0, 1, 200), rng.random(200) < 0.7
    y[::17] = np.nan
    known = there & ~np.isnan(y)
    groups = [y[known & (keys == k)] for k in np.unique(keys)]
    wanted = [100 * np.std(v, ddof=1) / np.mean(v) for v in groups if len(v) > 1]
    found = run_to_run(y, keys, there)
    assert found.n_configurations == len(wanted)
    assert (found.median, found.p90) == pytest.approx((np.median(wanted), np.quantile(wanted, 0.9)), rel=1e-9)


def test_no_repeats_no_spread() -> None:
    found = run_to_run(np.array([1.0, 2.0, np.nan]), np.array([0, 1, 1]), np.ones(3, dtype=bool))
    assert (found.median, found.p90, found.n_configurations) == (None, None, 0)
    assert run_to_run(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)).median is None


def test_a_mean_of_zero_has_no_relative_spread() -> None:
    found = run_to_run(np.array([-1.0, 1.0, 3.0, 3.0]), np.array([0, 0, 1, 1]), np.ones(4, dtype=bool))
    assert (found.median, found.n_configurations) == (0.0, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 700])
def test_a_quantile_of_all_is_numpys_to_the_digit(n: int) -> None:
    draw = np.random.default_rng(n)
    for share in (0.0, 0.05, 0.5, 0.9, 0.93, 1.0, *draw.random(20)):
        values = draw.standard_normal(n).round(int(draw.integers(1, 17)))
        assert quantile(values, float(share)) == np.quantile(values, share)


def test_all_but_some() -> None:
    assert all_but(5, np.array([3, 0, 3])).tolist() == [1, 2, 4]
    assert all_but(2, np.zeros(0, dtype=np.int64)).tolist() == [0, 1]
