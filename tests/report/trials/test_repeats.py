"""Repeats of a configuration: which, how many, how far apart."""

import numpy as np

from core.report.trials.repeats import repeats
from core.trial import Frame, Kind, Metric, make_frame


def frame_of(apps: list[str], y: list[float]) -> Frame:
    return make_frame(np.zeros((len(y), 0)), np.array(y), (), Metric("time", Kind.RESPONSE, "s"), {"application": apps})


def test_configurations_with_several_trials_widest_spread_first() -> None:
    found = repeats(frame_of(["a", "b", "a", "c", "b", "a"], [10, 4, 11, 7, 8, 12]))
    assert found.n_configurations == 3
    assert found.table.iloc[:, :5].to_numpy().tolist() == [["b", 2, 4, 6, 8], ["a", 3, 10, 11, 12]]
    spreads = found.table["spread (% of median)"]
    assert spreads.round(6).tolist() == [66.666667, 18.181818]
    assert found.typical_spread == np.median(spreads)


def test_no_repeats() -> None:
    found = repeats(frame_of(["a", "b"], [1, 2]))
    assert (found.n_configurations, len(found.table), found.typical_spread) == (2, 0, None)


def test_trials_without_names_are_never_repeats() -> None:
    assert len(repeats(frame_of(["", ""], [1, 1])).table) == 0


def test_a_median_of_zero_has_no_relative_spread() -> None:
    found = repeats(frame_of(["a", "a", "b", "b"], [-1, 1, 1, 1]))
    assert found.table["configuration"].tolist() == ["b", "a"]
    assert found.table["spread (% of median)"][0] == 0.0
    assert np.isnan(found.table["spread (% of median)"][1])


def test_the_table_names_response_and_unit() -> None:
    table = repeats(frame_of(["a", "a"], [1, 3])).table
    assert list(table.columns) == [
        "configuration",
        "trials",
        "lowest time (s)",
        "median time (s)",
        "highest time (s)",
        "spread (% of median)",
    ]
    assert table.loc[0].tolist() == ["a", 2, 1.0, 2.0, 3.0, 100.0]
