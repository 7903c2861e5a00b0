"""Histograms count every trial once, on the scale that fits."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.report.trials.metrics import MOST_BINS, distribution
from core.trial import Metric

METRIC = Metric("time", unit="s")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60))
def test_every_value_is_counted_once(values: list[float]) -> None:
    found = distribution(np.array(values), METRIC)
    assert found.n == len(values)
    assert (np.diff(found.edges) > 0).all()
    assert found.low == min(values)
    assert found.high == max(values)
    assert len(found.counts) <= MOST_BINS


def test_values_over_a_decade_are_binned_by_their_logarithm() -> None:
    found = distribution(np.geomspace(1, 1000, 27), METRIC)
    assert found.log
    assert np.allclose(np.diff(np.log(found.edges)), np.log(found.edges[1] / found.edges[0]))
    assert not distribution(np.linspace(1, 9, 27), METRIC).log
    assert not distribution(np.array([0.0, 1.0, 100.0]), METRIC).log


def test_missing_values_are_counted_apart() -> None:
    found = distribution(np.array([np.nan, 2.0, 2.0, np.nan]), METRIC)
    assert (found.n, found.n_missing, found.median) == (2, 2, 2.0)
    assert distribution(np.array([np.nan]), METRIC).n == 0


def test_the_axis_may_be_asked_for() -> None:
    metric, values = Metric("time"), np.array([1.0, 2.0, 100.0])
    assert distribution(values, metric).log
    assert not distribution(values, metric, log=False).log
    assert distribution(np.array([5.0, 6.0]), metric, log=True).log
    assert not distribution(np.array([-1.0, 6.0]), metric, log=True).log
