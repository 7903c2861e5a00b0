"""Permutation importance finds what a model leans on, and deals out alike metrics together."""

import numpy as np

from core.race.chosen import alike
from core.recipes import make_recipe
from core.report.model.summary import permutation_importance
from core.trial import Frame, Metric, make_frame


def frame_of(n: int = 120) -> Frame:
    rng = np.random.default_rng(0)
    X = np.exp(rng.uniform(0, 3, (n, 3)))
    y = X[:, 0] ** 2 * X[:, 1]
    return make_frame(
        np.column_stack([X, 5 * X[:, 0]]),
        y,
        [Metric(m) for m in ("much", "some", "idle", "copy")],
        Metric("t"),
        parameters=[str(i) for i in range(n)],
    )


def test_what_the_model_leans_on_comes_first() -> None:
    frame = frame_of()
    model = make_recipe("stepwise").fit(frame)
    found = permutation_importance(model, frame, alike(frame))
    assert found.names[0] == "much and 1 alike"
    assert found.names[1] == "some"
    assert found.values[0] > found.values[1] > 10
    assert "idle" not in found.names[:2]


def test_it_is_the_same_again_and_knows_no_metric_that_the_model_does_not_take() -> None:
    frame = frame_of()
    model = make_recipe("stepwise").fit(frame.select(["much", "some"]))
    first, second = (permutation_importance(model, frame, [("much",), ("idle",), ("some",)]) for _ in range(2))
    assert np.array_equal(first.values, second.values)
    assert set(first.names) == {"much", "some"}
