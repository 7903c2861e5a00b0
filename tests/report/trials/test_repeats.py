"""Repeats of a configuration: which, how many, how far apart."""

import numpy as np

from core.report.trials.repeats import repeats, repeats_table
from core.trial import Frame, Kind, Metric, make_frame


def frame_of(apps: list[str], y: list[float]) -> Frame:
    return make_frame(np.zeros((len(y), 0)), np.array(y), (), Metric("time", Kind.RESPONSE, "s"), {"application": apps})


def test_configurations_with_several_trials_widest_spread_first() -> None:
    found = repeats(frame_of(["a", "b", "a", "c", "b", "a"], [10, 4, 11, 7, 8, 12]))
    assert found.n_configurations == 3
    assert [(r.name, r.n_trials, r.low, r.median, r.high) for r in found.repeated] == [
        ("b", 2, 4, 6, 8),
        ("a", 3, 10, 11, 12),
    ]
    assert [round(r.spread or 0, 6) for r in found.repeated] == [66.666667, 18.181818]
    assert found.typical_spread == np.median([r.spread for r in found.repeated])


def test_no_repeats() -> None:
    found = repeats(frame_of(["a", "b"], [1, 2]))
    assert (found.n_configurations, found.repeated, found.typical_spread) == (2, (), None)
    assert len(repeats_table(found)) == 0


def test_trials_without_names_are_never_repeats() -> None:
    assert repeats(frame_of(["", ""], [1, 1])).repeated == ()


def test_a_median_of_zero_has_no_relative_spread() -> None:
    found = repeats(frame_of(["a", "a", "b", "b"], [-1, 1, 1, 1]))
    assert [(r.name, r.spread) for r in found.repeated] == [("b", 0.0), ("a", None)]


def test_the_table_names_response_and_unit() -> None:
    table = repeats_table(repeats(frame_of(["a", "a"], [1, 3])))
    assert list(table.columns) == [
        "configuration",
        "trials",
        "lowest time (s)",
        "median time (s)",
        "highest time (s)",
        "spread (% of median)",
    ]
    assert table.loc[0].tolist() == ["a", 2, 1.0, 2.0, 3.0, 100.0]
