from pathlib import Path

import numpy as np
import pytest

from core.store._gaps import marks_of_failure
from tests.store.test_categories import stored

TIMES = 3 + np.random.default_rng(5).random(40).round(4)


@pytest.mark.parametrize(
    ("mark", "n", "marked"),
    [
        (-1, 1, 1),
        (-1, 8, 8),
        (0, 8, 8),
        (1e10, 8, 8),
        (9999, 3, 3),
        (2**31 - 1, 3, 3),
        (1e10, 2, 0),
        (12345, 8, 0),
        (-2, 1, 0),
        (10, 8, 0),
    ],
)
def test_one_number_that_no_run_takes_marks_those_that_failed(mark: float, n: int, marked: int) -> None:
    y = np.concatenate([TIMES[:20], np.full(n, float(mark)), TIMES[20:], [np.nan]])
    found = marks_of_failure(y, "s")
    assert found.sum() == marked
    assert (y[found] == mark).all()


@pytest.mark.parametrize(
    "y",
    [
        np.concatenate([np.zeros(8), TIMES - 2.99]),
        np.concatenate([np.zeros(30), TIMES]),
        np.concatenate([np.zeros(8), np.repeat([1.0, 2.0, 3.0], 20)]),
        np.concatenate([[-1.0, -0.5], TIMES]),
        np.concatenate([[4e4, 5e5, 6e6], TIMES]),
        np.repeat([10.0, 1e4, 1e7], 8),
    ],
    ids=["near zero", "mostly zero", "coarse clock", "other negative ones", "far values", "levels"],
)
def test_true_zeros_and_far_values_stay(y: np.ndarray) -> None:
    assert not marks_of_failure(y, "s").any()


def test_a_share_may_be_below_zero() -> None:
    y = np.concatenate([[-1.0] * 3, TIMES])
    assert not marks_of_failure(y, "%").any()
    assert marks_of_failure(y, "GFLOP/s").sum() == 3


@pytest.mark.parametrize(
    ("mark", "said"),
    [("-1", "with a 'time_s' of -1"), ("1e10", "with a 'time_s' of 1e+10"), ("inf", "without 'time_s'")],
)
def test_runs_that_failed_are_left_out_and_said(mark: str, said: str, tmp_path: Path) -> None:
    rows = [f"{i % 8},{i // 8},{mark if i % 10 == 3 else time}" for i, time in enumerate(TIMES)]
    with stored(tmp_path, "\n".join(["tile,unroll,time_s", *rows]), labels=(), parameters=("tile", "unroll")) as store:
        frame = store.frame("runs", "time_s")
    assert len(frame) == 36
    assert [note for note in frame.notes if said in note and "are left out" in note]
