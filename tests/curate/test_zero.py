"""Zero durations and other responses without a logarithm."""

import numpy as np

from core.curate import RULES
from tests.curate.made import times

ZERO = RULES["zero"]


def test_zero_negative_and_missing_with_their_values() -> None:
    found = ZERO().judge(times([1, 0, -2.5, np.nan, 1e-300]), "time_s").excluded
    need = "logarithms and relative errors need a positive number"
    assert list(found.items()) == [
        ("t1", f"time_s is 0; {need}"),
        ("t2", f"time_s is -2.5; {need}"),
        ("t3", f"time_s is missing; {need}"),
    ]


def test_missing_ones_may_stay() -> None:
    assert list(ZERO(missing=False).judge(times([0, np.nan]), "time_s").excluded) == ["t0"]
