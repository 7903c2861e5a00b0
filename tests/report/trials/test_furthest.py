"""Trials by how far they are from their repeats."""

import numpy as np

from core.report.trials.repeats import furthest, furthest_table
from core.trial import Kind, Measured, Metric


def measured(y: list[float], configuration: list[int], excluded: dict[str, frozenset[str]] | None = None) -> Measured:
    n = len(y)
    return Measured(
        ids=tuple("abcdefgh"[:n]),
        application=tuple(f"app{c}" for c in configuration),
        input=("",) * n,
        machine=("m",) * n,
        configuration=np.array(configuration),
        run=np.arange(1, n + 1),
        metrics=(Metric("time", Kind.RESPONSE, "s"),),
        values=np.array(y)[:, None],
        labels={},
        excluded=excluded or {},
    )


def test_far_ones_first_by_share_of_the_median() -> None:
    value = measured([1.0, 1.0, 1.5, 100.0, 100.0, 130.0], [0, 0, 0, 1, 1, 1])
    assert furthest(value, "time").tolist()[:2] == [2, 5]
    assert furthest(value, "time", limit=1).tolist() == [2]


def test_trials_asked_for_come_before_all_others() -> None:
    value = measured([1.0, 1.0, 1.5, 1.0], [0, 0, 0, 0])
    assert furthest(value, "time", frozenset("d")).tolist() == [3, 2, 0, 1]


def test_missing_values_and_a_median_of_zero_come_last_in_order() -> None:
    value = measured([0.0, 0.0, 5.0, np.nan, 2.0, 4.0, 2.0], [0, 0, 0, 0, 1, 1, 1])
    assert furthest(value, "time").tolist() == [5, 4, 6, 0, 1, 2, 3]


def test_the_table_says_who_leaves_a_trial_out() -> None:
    value = measured([1.0, 2.0], [0, 0], {"mad": frozenset("b"), "by hand": frozenset("ab")})
    shown = furthest_table(value, "time", np.array([1, 0]))
    assert list(shown.columns) == ["trial", "run", "time (s)", "left out by"]
    assert shown["left out by"].tolist() == ["by hand, MAD test", "by hand"]
    assert shown["trial"].tolist() == ["app0 · m"] * 2
    assert shown["time (s)"].tolist() == [2.0, 1.0]
