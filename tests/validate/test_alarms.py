"""p-values of alarms against permutations, scipy's own tests and closed forms."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, rankdata

from core.validate.alarms import Stratum, adjusted, conformal, larger, shift_of, together

rng = np.random.default_rng(0)


def permuted(strata: list[Stratum]) -> float:
    """Return the exact p-value of van Elteren's statistic by every arrangement of every stratum."""
    sums = []
    for s in strata:
        ranks, m = rankdata(np.concatenate([s.new, s.old])), len(s.new)
        own = [sum(ranks[list(rows)]) / (len(ranks) + 1) for rows in combinations(range(len(ranks)), m)]
        sums.append(own)  # the first arrangement is the one that was measured
    observed = sum(own[0] for own in sums)
    return float(np.mean([sum(one) >= observed - 1e-12 for one in product(*sums)]))


@pytest.mark.parametrize("sizes", [[(3, 3)], [(3, 2), (2, 3)], [(4, 4)], [(3, 3), (3, 3)], [(5, 4)]])
def test_p_values_are_those_of_all_permutations(sizes: list[tuple[int, int]]) -> None:
    for _ in range(12):
        strata = [Stratum(rng.normal(size=a), rng.normal(0.6, 1.0, b)) for a, b in sizes]
        exact, found = permuted(strata), larger(strata)
        assert abs(found - exact) < 0.035
        assert found >= 0.8 * exact, "small p-values are not smaller than they are"


def test_one_configuration_is_mann_and_whitneys_test() -> None:
    old, new = rng.normal(size=30), rng.normal(0.4, 1.0, 25)
    expected = mannwhitneyu(new, old, alternative="greater", method="asymptotic").pvalue
    assert larger([Stratum(old, new)]) == pytest.approx(expected, rel=1e-9)


def test_without_a_change_p_values_are_even() -> None:
    p = [larger([Stratum(*rng.normal(size=(2, 8))) for _ in range(3)]) for _ in range(600)]
    for level in (0.02, 0.1, 0.5):
        assert np.mean(np.array(p) <= level) <= level + 3 * np.sqrt(level * (1 - level) / 600)


def test_what_is_alike_everywhere_alarms_nobody() -> None:
    assert larger([Stratum(np.ones(5), np.ones(5))]) == 1.0


def test_the_shift_of_one_configuration_is_hodges_and_lehmanns() -> None:
    old, new = rng.normal(size=12), rng.normal(2.0, 1.0, 11)
    pairs = np.median(new[:, None] - old[None, :])
    assert shift_of([Stratum(old, new)]) == pytest.approx(pairs, abs=0.03)
    low, high = (shift_of([Stratum(old, new)], end) for end in (1.645, -1.645))
    assert low < pairs < high


@pytest.mark.slow
def test_intervals_of_shifts_cover_nine_in_ten() -> None:
    inside = 0
    for _ in range(200):
        strata = [Stratum(rng.normal(a, 1.0, 9), rng.normal(a + 1.0, 1.0, 9)) for a in (0.0, 5.0)]
        inside += shift_of(strata, 1.645) <= 1.0 <= shift_of(strata, -1.645)
    assert 165 <= inside <= 195


def test_one_measurement_a_side_has_no_interval() -> None:
    assert shift_of([Stratum(np.zeros(1), np.ones(1))], -1.645) == np.inf


def test_conformal_p_values_count_what_is_as_far() -> None:
    assert conformal(np.array([2.5, 4.0, 0.0]), np.array([1.0, 2.0, 3.0])).tolist() == [0.5, 0.25, 1.0]


def test_together_is_simes_and_adjusted_controls_false_alarms() -> None:
    p = np.array([0.01, 0.04, 0.9])
    assert together(p) == pytest.approx(min(3 * 0.01 / 1, 3 * 0.04 / 2, 0.9))
    alarms = [bool((adjusted(rng.uniform(size=20)) <= 0.1).any()) for _ in range(500)]
    assert np.mean(alarms) < 0.14
