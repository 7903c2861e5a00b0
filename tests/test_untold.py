"""Trials that differ in name and in no metric."""

import numpy as np

from core.trial import Metric, make_frame
from core.untold import untold
from tests.conftest import machine_frame
from tests.report.designs import designs


def frame(labels: dict[str, list[str]]):
    one = designs(40)
    return make_frame(
        np.vstack([one.X, one.X]), np.concatenate([one.y, 2 * one.y]), one.metrics, Metric("t"), labels=labels
    )


def test_applications_that_no_metric_tells_apart_are_named() -> None:
    found = untold(frame({"application": ["b"] * 40 + ["a"] * 40}))
    assert found is not None
    assert (found.role, found.names) == ("application", ("a", "b"))


def test_the_first_role_that_differs_counts() -> None:
    found = untold(frame({"application": ["a"] * 80, "machine": ["x"] * 40 + ["y"] * 40}))
    assert found is not None
    assert found.role == "machine"


def test_metrics_that_tell_the_names_apart_need_no_word() -> None:
    assert untold(machine_frame()) is None
    assert untold(designs()) is None
