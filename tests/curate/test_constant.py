"""Constant metrics and those that are as good as constant."""

import numpy as np
import pytest

from core.curate import RULES
from core.trial import Kind, Measured, Metric
from tests.curate.made import TIME, measured

CONSTANT = RULES["constant"]


@pytest.fixture
def m() -> Measured:
    n = 10
    near = 1e9 + np.arange(n) * 0.05
    return measured(
        {
            TIME: np.ones(n),
            Metric("cores", Kind.MACHINE): np.full(n, 8.0),
            Metric("near"): near,
            Metric("mostly"): [0.0] * 9 + [4.0],
            Metric("varies"): np.arange(n),
            Metric("nowhere"): np.full(n, np.nan),
            Metric("gaps"): [3.0, np.nan] * 5,
            Metric("zeros"): np.zeros(n),
        }
    )


def hidden(m: Measured, **options: float) -> dict[str, str]:
    return dict(CONSTANT(**options).judge(m, "").hidden)


def test_constant_and_never_measured_metrics(m: Measured) -> None:
    assert hidden(m) == {
        "cores": "is 8 in all 10 trials that have it",
        "near": "is 1e+09 in all 10 trials that have it, but for rounding",
        "nowhere": "has no value in any trial that counts",
        "gaps": "is 3 in all 5 trials that have it; 5 trials without it",
        "zeros": "is 0 in all 10 trials that have it",
    }


def test_rounding_may_count_as_varying(m: Measured) -> None:
    assert "near" not in hidden(m, near=0)
    assert "varies" in hidden(m, near=1.0)


def test_the_share_of_the_most_frequent_value(m: Measured) -> None:
    assert hidden(m, share=0.9)["mostly"] == "is 0 in 9 of the 10 trials that have it"
    assert "mostly" not in hidden(m, share=0.91)


def test_with_one_trial_nothing_can_be_seen_to_vary() -> None:
    judged = CONSTANT().judge(measured({TIME: [1.0], Metric("a"): [2.0]}), "")
    assert judged.hidden == {}
    assert judged.notes
