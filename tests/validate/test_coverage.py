"""Where intervals cover: by quartile of the response, and in the worst group."""

import numpy as np

from core.validate.scores import coverage_of, score


def test_quartiles_and_worst_group_are_counted() -> None:
    y = np.arange(1.0, 41.0)
    low, high = y - 1, y + 1
    high[:3] = y[:3] - 0.5  # three of the ten smallest are missed
    high[39] = y[39] - 0.5
    names = {"small": np.arange(0, 12), "large": np.arange(12, 38), "two": np.array([38, 39])}
    groups = {name: score(y[r], y[r], low[r], high[r]) for name, r in names.items()}
    found = coverage_of(y, low, high, groups)
    assert found.overall == 90.0
    assert found.quartiles == (70.0, 100.0, 100.0, 90.0)
    assert min(found.quartiles) == 70.0
    assert (found.worst_group, found.worst_share) == ("small", 75.0)  # a group of two says nothing


def test_without_intervals_there_is_nothing_to_cover() -> None:
    y = np.ones(3)
    found = coverage_of(y, np.full(3, np.nan), np.full(3, np.nan), {})
    assert (found.overall, found.quartiles, found.worst_group) == (None, (), "")
