"""Effects: curves and surfaces are means of the model's own predictions, and find the truth."""

from functools import cache

import numpy as np
import pytest

from core.models import FAMILIES
from core.recipes import RECIPES, make_recipe
from core.report.model.effects import MEDIAN, effects, interactions, offered_pairs, surface
from core.trial import Kind, Metric, make_frame
from tests.report.designs import designs

SMALL = {"forest": {"trees": "30"}, "extra_trees": {"trees": "30"}}
EVERY = [*RECIPES, *FAMILIES]


@cache
def fitted(name: str, log: bool = False):
    frame = designs(log=log)
    return make_recipe(name, SMALL.get(name)).fit(frame), frame


def test_a_curve_is_the_mean_prediction_with_one_metric_moved() -> None:
    model, frame = fitted("splines")
    value = effects(model, model.rows(frame))
    curve = next(c for c in value.curves if c.metric.name == "blocks")
    X = model.rows(frame).copy()
    assert curve.x.tolist() == [1, 2, 3, 4, 5, 6]
    for place, said in zip(curve.x, curve.response, strict=True):
        X[:, 1] = place
        assert said == pytest.approx(model.predict(X).value.mean(), rel=1e-12)
    assert value.centre == pytest.approx(model.predict(model.rows(frame)).value.mean(), rel=1e-12)
    assert curve.effect == pytest.approx(curve.response - value.centre)


@pytest.mark.parametrize("name", ["stargazer", "splines", "anova", "gaussian_process"])
def test_factors_of_a_product_are_found(name: str) -> None:
    model, frame = fitted(name, log=True)
    value = effects(model, model.rows(frame))
    assert value.factor
    curves = {c.metric.name: c for c in value.curves}
    assert curves["cache"].effect[1] / curves["cache"].effect[0] == pytest.approx(3, rel=0.1)
    assert curves["simd"].effect[0] / curves["simd"].effect[-1] == pytest.approx(8**1.5, rel=0.15)
    assert value.curves[0].metric.name == "simd"
    assert value.curves[-1].metric.name == "idle"


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("others", ["averaged over the trials", MEDIAN])
def test_every_family_has_curves_in_the_responses_unit(name: str, others: str) -> None:
    model, frame = fitted(name)
    value = effects(model, model.rows(frame), others)
    assert {c.metric.name for c in value.curves} == set(model.names)
    spans = [c.span for c in value.curves]
    assert spans == sorted(spans, reverse=True)
    top = value.curves[0]
    if name in FAMILIES and FAMILIES[name].preparation == "raw":
        assert top.response.max() <= frame.y.max()  # without negative slopes nothing falls with more lanes
        return
    assert top.metric.name == "simd"
    assert frame.y.min() * 0.7 < top.response.min() < top.response.max() < frame.y.max() * 1.3
    assert len(value.table()) == sum(len(c.x) for c in value.curves)
    assert (value.n_rows == 1) == (others == MEDIAN)


def test_the_interaction_alone_is_what_curves_leave() -> None:
    model, frame = fitted("splines")
    found = surface(model, model.rows(frame)[:100], ("simd", "blocks"))
    value = effects(model, model.rows(frame)[:100])
    a, b = (next(c for c in value.curves if c.metric.name == n) for n in ("simd", "blocks"))
    sum_of_curves = a.response[None, :] + b.response[:, None] - value.centre
    assert found.response - sum_of_curves == pytest.approx(found.alone, abs=1e-9)
    assert np.abs(found.alone).max() > 50
    assert np.abs(surface(model, model.rows(frame), ("simd", "cache")).alone).max() < 1e-6
    assert len(found.table()) == found.response.size


def test_a_factor_of_1_is_no_interaction() -> None:
    model, frame = fitted("splines", log=True)
    assert surface(model, model.rows(frame), ("simd", "blocks")).alone == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("name", ["splines", "anova", "formula"])
def test_interactions_are_those_of_the_model_and_others_offer_the_strongest_metrics(name: str) -> None:
    model, frame = fitted(name)
    assert {"simd", "blocks"} == set(interactions(model)[0])
    forest, _ = fitted("forest")
    assert interactions(forest) == ()
    assert offered_pairs(forest, effects(forest, forest.rows(frame)))[0] == ("simd", "blocks")


def test_components_move_with_their_metrics() -> None:
    frame = designs()
    model = make_recipe("eiger", {"variant": "ridgeline-1"}).fit(frame)
    assert model.features != model.names
    assert interactions(model) == ()
    assert effects(model, model.rows(frame)).curves[0].span > 0


def test_many_values_become_few_places_with_both_ends() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(1, 1e4, 500), rng.uniform(-1, 1, 500)])
    y = 10 + np.log(X[:, 0]) + X[:, 1]
    frame = make_frame(X, y, [Metric("a", Kind.PARAMETER), Metric("b", Kind.PARAMETER)], Metric("t", Kind.RESPONSE))
    model = make_recipe("splines").fit(frame)
    value = effects(model, model.rows(frame))
    for curve, wide in zip(sorted(value.curves, key=lambda c: c.metric.name), (True, False), strict=True):
        column = X[:, model.names.index(curve.metric.name)]
        assert len(curve.x) == 25
        assert not curve.levels
        assert curve.log == wide
        assert curve.x[[0, -1]].tolist() == [column.min(), column.max()]
    assert value.n_rows == 200
    assert value.n_trials == 500
