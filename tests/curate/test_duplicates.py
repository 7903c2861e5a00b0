"""Metrics that are multiples of each other."""

from itertools import combinations

import numpy as np
import pytest

from core.curate import RULES
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured

DUPLICATES = RULES["duplicates"]


def hidden(m: Measured, **options: float) -> dict[str, str]:
    return dict(DUPLICATES(**options).judge(m, "").hidden)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).lognormal(3, 2, 50)


def test_the_reason_has_the_ratio(x: np.ndarray) -> None:
    m = measured(
        {TIME: x, Metric("loads"): x, Metric("loads_kB"): x / 1024, Metric("reads"): x.copy(), Metric("minus"): -x}
    )
    assert hidden(m) == {
        "reads": "equals loads in all 50 trials that have it",
        "minus": "is -1 times loads in all 50 trials that have it",
        "loads_kB": "is 0.000976562 times loads in all 50 trials that have it",
    }


def test_what_is_known_earlier_is_kept_then_the_shorter_name(x: np.ndarray) -> None:
    m = measured(
        {
            Metric("n"): x,
            Metric("elements", Kind.PARAMETER): 2 * x,
            Metric("work", Kind.DETERMINISTIC): 3 * x,
            Metric("b_long"): np.sqrt(x),
            Metric("bb"): np.sqrt(x),
        }
    )
    assert set(hidden(m)) == {"n", "work", "b_long"}


def test_one_trial_that_differs_is_enough(x: np.ndarray) -> None:
    other = x.copy()
    other[7] *= 1 + 1e-6
    m = measured({Metric("a"): x, Metric("b"): other})
    assert hidden(m) == {}
    assert set(hidden(m, tolerance=1e-5)) == {"b"}


def test_columns_alike_miss_the_same_trials(x: np.ndarray) -> None:
    gaps = np.where(np.arange(50) % 7 == 0, np.nan, x)
    assert hidden(measured({Metric("a"): x, Metric("b"): gaps})) == {}
    assert set(hidden(measured({Metric("a"): gaps, Metric("b"): 2 * gaps}))) == {"b"}


def test_zeros_stay_zeros(x: np.ndarray) -> None:
    a = np.where(np.arange(50) % 3 == 0, 0.0, x)
    b = np.where(np.arange(50) % 3 == 0, 1e-12, x)
    assert hidden(measured({Metric("a"): a, Metric("b"): b})) == {}


def test_constant_metrics_are_another_rules_business(x: np.ndarray) -> None:
    assert hidden(measured({Metric("a"): x, Metric("b"): np.ones(50), Metric("c"): np.full(50, 2.0)})) == {}


def test_two_values_are_proportional_by_chance() -> None:
    """Such as two facts of two machines."""
    two = np.array([1.0, 1.0, 2.0, 2.0])
    m = measured(
        {Metric("cores", Kind.MACHINE): two, Metric("bandwidth", Kind.MACHINE): 100 * two, Metric("same"): two}
    )
    assert set(hidden(m)) == {"same"}
    assert set(hidden(measured({Metric("a"): [1.0, 2.0, 4.0], Metric("b"): [10.0, 20.0, 40.0]}))) == {"b"}


@pytest.mark.parametrize("seed", range(5))
def test_as_comparing_every_pair(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((30, 6)) * 10.0 ** rng.integers(-8, 9, 6)
    columns = [base[:, rng.integers(0, 6)] * rng.choice([-3.0, 0.1, 1.0, 7.0]) for _ in range(25)]
    names = [f"m{j:02d}" for j in range(25)]
    m = measured({Metric(n): c for n, c in zip(names, columns, strict=True)})

    def same(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(np.allclose(a * (b[0] / a[0]), b, rtol=1e-9, atol=0))

    wanted = {names[j] for i, j in combinations(range(25), 2) if same(columns[i], columns[j])}
    assert wanted
    assert set(hidden(m)) == wanted
