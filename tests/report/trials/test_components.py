"""Components for looking at: the same as those that Eiger models."""

import numpy as np
import pytest

from core.errors import FitError
from core.recipes import make_recipe
from core.report.trials.components import ComponentOptions, components
from core.trial import Frame, Metric, make_frame


def test_they_are_those_of_the_eiger_recipe(frame: Frame) -> None:
    model = make_recipe("eiger", {"components": "3"}).fit(frame)
    found = components(frame, ComponentOptions(components=3))
    assert found.names == model.features == ("RC1", "RC2", "RC3")
    assert found.after == pytest.approx(model.loadings, abs=1e-12)
    assert found.scores == pytest.approx(model.scores(model.rows(frame)), abs=1e-9)


def test_rotation_keeps_each_metrics_explained_share(frame: Frame) -> None:
    found = components(frame, ComponentOptions(components=3))
    assert (found.before**2).sum(axis=1) == pytest.approx((found.after**2).sum(axis=1), abs=1e-9)
    assert found.rotated
    assert not components(frame, ComponentOptions(rotation="none")).rotated


def test_as_many_are_kept_as_explain_the_share(frame: Frame) -> None:
    found = components(frame, ComponentOptions(explained=0.7))
    assert found.kept_share >= 0.7
    assert found.explained[: len(found) - 1].sum() < 0.7
    assert found.explained.sum() == pytest.approx(1.0)


def test_constant_metrics_are_left_out(frame: Frame) -> None:
    X = np.column_stack([frame.X, np.ones(len(frame))])
    wider = make_frame(X, frame.y, [*frame.metrics, Metric("same")], frame.response)
    found = components(wider)
    assert "same" not in found.metric_names


def test_nothing_that_varies_is_refused() -> None:
    frame = make_frame(np.ones((4, 2)), np.arange(4.0), [Metric("a"), Metric("b")], Metric("y"))
    with pytest.raises(FitError, match="No metric varies"):
        components(frame)
