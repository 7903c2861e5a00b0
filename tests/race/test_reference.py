"""Models of a ratio to the host: the reference stays, comes back in predictions, files and other targets."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.errors import ModelFileError, OptionError
from core.export import read_model, write_model
from core.models import FAMILIES
from core.recipes import make_recipe
from core.recipes.base import Treated
from core.report.model.effects import effects
from core.report.model.summary import symbol_on_scale, words_on_scale
from core.space.columns import columns_of
from core.space.design_space import DesignSpace
from core.trial import Frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from tests.export.by_hand import predict
from tests.race.made import TIME, host_target


def fitted(frame: Frame, scale: str, family: str = "ridge"):
    return Treated(family=FAMILIES[family](), response_scale=scale).fit(frame)


@pytest.mark.parametrize("scale", ["ratio", "log_ratio"])
def test_the_prediction_is_the_ratio_times_the_reference(scale: str) -> None:
    frame = host_target()
    model = fitted(frame, scale)
    X = model.rows(frame)
    assert model.names[model.reference or 0] == TIME
    z = model.predict_scaled(X)
    ratio = np.exp(z) if scale == "log_ratio" else z
    np.testing.assert_allclose(model.predict(X).value, ratio * X[:, model.reference], rtol=1e-13)
    np.testing.assert_allclose(model.inverse(model.forward(frame.y, X), X), frame.y, rtol=1e-13)


def test_a_constant_reference_stays_where_it_is_needed() -> None:
    frame = host_target()
    X = frame.X.copy()
    X[:, 4] = 0.1
    constant = replace(frame, X=X)
    relative = fitted(constant, "log_ratio")
    assert TIME in relative.names
    assert np.isfinite(relative.predict(relative.rows(constant)).value).all()
    model = fitted(constant, "log")
    assert TIME not in model.names
    assert model.reference is None


def test_a_frame_without_its_reference_has_none() -> None:
    frame = host_target()
    assert frame.select(["loads"]).reference == ""
    assert frame.select(["loads", TIME]).reference == TIME
    assert frame.take(np.array([3, 1])).reference == TIME
    assert frame.digest() != replace(frame, reference="").digest()


@pytest.mark.parametrize(
    ("family", "scale"),
    [("ridge", "ratio"), ("ridge", "log_ratio"), ("gradient_boosting", "log_ratio"), ("nnls", "ratio")],
)
def test_the_file_predicts_alike_and_by_hand(family: str, scale: str) -> None:
    frame = host_target()
    model = fitted(frame, scale, family).rescaled(0.7, 1.1)
    raw = write_model(model)
    back = read_model(raw)
    assert write_model(back) == raw
    document = json.loads(raw)
    assert (document["scale"], document["reference"], document["factor"], document["power"]) == (scale, 4, 0.7, 1.1)
    X = model.rows(frame)[:20]
    np.testing.assert_array_equal(back.predict(X).value, model.predict(X).value)
    for row, value in zip(X.tolist(), model.predict(X).value, strict=True):
        assert predict(document, row) == pytest.approx(value, rel=1e-11)


def test_files_of_version_1_still_load() -> None:
    frame = host_target()
    document = json.loads(write_model(fitted(frame, "log")))
    for name in ("reference", "factor", "power"):
        del document[name]
    document["version"] = 1
    model = read_model(json.dumps(document).encode())
    np.testing.assert_array_equal(model.predict(model.rows(frame)).value, fitted(frame, "log").predict(frame.X).value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"reference": None}, "needs a reference"),
        ({"reference": 9}, "no metric of it"),
        ({"reference": -1}, "no metric of it"),
        ({"factor": 0.0}, "not positive"),
        ({"power": -1.0}, "not positive"),
    ],
)
def test_files_that_cannot_be_right_are_refused(change: dict, why: str) -> None:
    document = json.loads(write_model(fitted(host_target(), "ratio"))) | change
    with pytest.raises(ModelFileError, match=why):
        read_model(json.dumps(document).encode())


def test_rows_without_a_reference_are_refused_with_a_reason() -> None:
    frame = host_target()
    model = fitted(frame, "ratio")
    rows = model.rows(frame)[:3].copy()
    rows[1, model.reference] = 0
    rows[2, model.reference] = np.nan
    said = model.predict(rows)
    assert np.isnan(said.value).tolist() == [False, True, True]
    assert "the reference 'time on host' is 0" in said.why[1]
    assert "is missing" in said.why[2]
    assert np.isnan(model.predict_scaled(rows)).tolist() == [False, True, True]


def test_intervals_are_in_the_response_unit() -> None:
    frame = host_target(noise=0.1)
    recipe = Treated(family=FAMILIES["ridge"](), response_scale="log_ratio")
    found = cross_validate(recipe.fit, frame, parse_folds("kfold:5"))
    assert 80 < (found.scores.coverage_90 or 0) <= 100
    assert (found.low < found.predicted).all()
    assert (found.predicted < found.high).all()


def test_words_symbols_and_effects() -> None:
    frame = host_target()
    model = fitted(frame, "log_ratio")
    assert symbol_on_scale(model) == "ln(time / time on host)"
    assert words_on_scale(model) == "the logarithm of time as a ratio to time on host"
    assert symbol_on_scale(fitted(frame, "ratio")) == "time / time on host"
    curve = next(c for c in effects(model, model.rows(frame)).curves if c.metric.name == TIME)
    assert curve.response[-1] / curve.response[0] > 100  # the response goes with the host's time, not its ratio


def test_design_spaces_refuse_ratios() -> None:
    model = fitted(host_target(), "ratio")
    with pytest.raises(OptionError, match="ratio to 'time on host'"):
        columns_of(model, DesignSpace(()))


def test_recipes_take_the_scale() -> None:
    frame = host_target()
    assert make_recipe("eiger", {"response_scale": "ratio"}).fit(frame).scale.name == "ratio"
    assert make_recipe("eiger").fit(frame).scale.name == "log_ratio"
    assert make_recipe("stargazer", {"response_scale": "log_ratio"}).fit(frame).scale.name == "log_ratio"
