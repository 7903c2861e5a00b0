"""A design space from trials: the levels that were measured."""

import numpy as np
import pytest

from core.errors import OptionError
from core.space.holes import observed_space
from core.trial import Frame, Kind, Metric, make_frame


def _frame(columns: dict[str, list[float]]) -> Frame:
    X = np.column_stack([np.array(v, dtype=float) for v in columns.values()])
    metrics = [Metric(name, Kind.PARAMETER, "count") for name in columns]
    return make_frame(X, np.arange(len(X)) + 1.0, metrics, Metric("time", Kind.RESPONSE, "s"))


def test_levels_are_those_that_were_measured_ascending() -> None:
    space = observed_space(_frame({"width": [4, 1, 2, 1], "depth": [1.5, 1.5, 3, 3]}), title="mine")
    assert space.name == "mine"
    assert [(p.name, p.unit, p.levels) for p in space.parameters] == [
        ("width", "count", (1.0, 2.0, 4.0)),
        ("depth", "count", (1.5, 3.0)),
    ]


def test_what_never_varies_is_left_out_and_all_of_it_is_refused() -> None:
    assert observed_space(_frame({"width": [1, 2], "fixed": [7, 7]})).names == ("width",)
    with pytest.raises(OptionError, match="varies"):
        observed_space(_frame({"fixed": [7, 7]}))
    with pytest.raises(OptionError, match="No trial has a value of each"):
        observed_space(_frame({"width": []}))


@pytest.mark.parametrize(
    ("values", "by_log"), [(list(range(100, 200)), False), ([1.0 * i * i for i in range(1, 90)], True)]
)
def test_many_values_are_thinned_to_measured_ones(values: list[float], by_log: bool) -> None:
    (parameter,) = observed_space(_frame({"size": values})).parameters
    levels = np.array(parameter.levels)
    assert set(levels) <= set(values)
    assert 10 <= len(levels) <= 13
    assert (levels[0], levels[-1]) == (min(values), max(values))
    steps = np.diff(np.log(levels) if by_log else levels)
    assert steps.max() < 2.5 * steps.min()
