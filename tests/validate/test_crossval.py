"""What cross-validation tells of folds together."""

import numpy as np
import pytest

from core.recipes import make_recipe, train
from core.scale import ResponseScale
from core.trial import Metric, make_frame
from core.validate.crossval import on_scale, without
from core.validate.folds import parse_folds


def test_folds_that_choose_other_scales_are_told_on_one() -> None:
    """A response of a little more than a decade: without its largest value some folds learn it as it is."""
    x = np.arange(1.0, 23.0)
    y = 1 + 9.3 * (x - 1) / 21
    y[-1] = 11.0
    frame = make_frame(x[:, None], y, [Metric("x")], Metric("time"), {"application": [f"a{i}" for i in range(22)]})
    recipe, plan = make_recipe("ols"), parse_folds("kfold:11")
    names = {recipe.fit(without(frame, fold)).scale.name for fold in plan.split(frame)}
    assert names == {"raw", "log"}
    trained = train(recipe, frame, plan)
    found, model = trained.validation, trained.model
    assert found.scale == model.scale == ResponseScale("log")
    off = np.log(frame.y / np.maximum(found.predicted, y.min()))  # what is below all that was measured has no logarithm
    assert found.residuals == pytest.approx(off)
    assert model.interval is not None
    assert model.interval.half_widths.max() <= np.abs(off).max() * (1 + 1e-9)
    raw = on_scale(found, frame, ResponseScale("raw"))
    assert raw.residuals == pytest.approx(frame.y - found.predicted)
    assert raw.predicted is found.predicted
    assert raw.scores.mape == found.scores.mape
