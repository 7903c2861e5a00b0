"""Criteria: their definitions, and what they say where there is nothing left to estimate the noise with."""

import math

import pytest

from core.models._solve import CRITERIA, Criterion


def test_definitions() -> None:
    n, rss, k, pool = 50, 3.0, 4, 20
    fit, e = n * math.log(rss / n), 5
    expected = {
        "aic": fit + 2 * e,
        "aicc": fit + 2 * e + 2 * 6 * 7 / (50 - 7),
        "bic": fit + math.log(50) * e,
        "ebic": fit + math.log(50) * e + 2 * math.log(math.comb(pool, k)),
    }
    for name, value in expected.items():
        assert Criterion(name, n, pool).value(rss, k) == pytest.approx(value, rel=1e-12)


def test_aicc_differs_from_aic_as_the_textbook_says() -> None:
    """AICc = -2 log L + 2K + 2K(K + 1)/(n - K - 1), K counting the variance (Burnham, Anderson 2002, 2.4)."""
    n, k = 30, 6
    K = k + 2
    gap = Criterion("aicc", n, 9).value(2.0, k) - Criterion("aic", n, 9).value(2.0, k)
    assert gap == pytest.approx(2 * K * (K + 1) / (n - K - 1))


@pytest.mark.parametrize("name", CRITERIA)
def test_no_degree_of_freedom_is_infinite(name: str) -> None:
    criterion = Criterion(name, 10, 20)
    assert criterion.value(1.0, 9) == math.inf
    assert math.isfinite(criterion.value(1.0, 8)) == (name != "aicc")
    assert math.isfinite(criterion.value(1.0, 6))


@pytest.mark.parametrize("name", CRITERIA)
def test_an_exact_fit_is_no_better_with_more_terms(name: str) -> None:
    criterion = Criterion(name, 30, 20, least=1e-14)
    assert criterion.value(1e-20, 3) < criterion.value(0.0, 4) < math.inf


def test_ebic_is_never_cheaper_for_more_of_the_pool() -> None:
    values = [Criterion("ebic", 100, 20).value(1.0, k) for k in range(21)]
    assert values == sorted(values)


def test_the_unit_of_the_response_shifts_all_alike() -> None:
    one, other = Criterion("bic", 40, 5), Criterion("bic", 40, 5, log_unit=math.log(4.0))
    assert other.value(2.0, 3) == pytest.approx(one.value(8.0, 3))
