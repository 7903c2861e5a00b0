"""Reuse of a model for another target: how it is rescaled, and when training anew is better."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import FitError, OptionError
from core.export import read_model, write_model
from core.models import FAMILIES
from core.race.reuse import AS_IT_IS, FACTOR, LINE, METHODS, RETRAINED, recipe_again, reference_host, rescaled, reuse
from core.recipes import make_recipe
from core.recipes.base import Treated
from core.report.compare.versus import reuse_sentence, reuse_table
from core.trial import Frame
from core.validate.folds import Fold, FoldPlan, parse_folds
from tests.race.made import host_target

PLAN = parse_folds("by:application")


def trained(frame: Frame):
    return Treated(family=FAMILIES["ridge"](penalty=0.01), response_scale="log_ratio").fit(frame)


def test_a_target_that_is_twice_as_slow_takes_a_factor() -> None:
    first = host_target(noise=0)
    model = trained(first)
    slower = replace(first, y=2 * model.predict(model.rows(first)).value)
    few = slower.take(np.array([1, 20, 40]))
    made = rescaled(model, few, FACTOR)
    assert made.scale.factor == pytest.approx(2)
    assert made.scale.power == 1
    np.testing.assert_allclose(made.predict(made.rows(slower)).value, slower.y, rtol=1e-12)
    assert made.interval is None
    assert "rescaled by factor to 3 runs of target" in made.notes[-1]


def test_a_target_that_grows_otherwise_takes_a_line() -> None:
    first = host_target(noise=0)
    model = trained(first)
    other = replace(first, y=3 * model.predict(model.rows(first)).value ** 0.8)
    made = rescaled(model, other.take(np.arange(0, 48, 5)), LINE)
    assert (made.scale.factor, made.scale.power) == pytest.approx((3, 0.8))
    np.testing.assert_allclose(made.predict(made.rows(other)).value, other.y, rtol=1e-10)
    again = read_model(write_model(made))
    np.testing.assert_array_equal(again.predict(made.rows(other)).value, made.predict(made.rows(other)).value)
    twice = made.rescaled(0.5, 1.25)
    np.testing.assert_allclose(twice.predict(made.rows(other)).value, 0.5 * other.y**1.25, rtol=1e-10)


def test_what_a_few_runs_do_not_allow() -> None:
    first = host_target()
    model = trained(first)
    assert rescaled(model, first, AS_IT_IS) is model
    with pytest.raises(FitError, match="at least 3 runs"):
        rescaled(model, first.take(np.array([0, 1])), LINE)
    with pytest.raises(FitError, match="at least 1 runs"):
        rescaled(model, replace(first, y=-first.y), FACTOR)
    falling = replace(first, y=1 / model.predict(model.rows(first)).value)
    assert rescaled(model, falling, LINE).scale.power == 1  # a slope below 0 is no scale


def test_similar_targets_are_reused_and_others_retrained() -> None:
    first = host_target(noise=0.02)
    model = trained(first)
    similar = reuse(model, replace(first, y=1.5 * first.y), PLAN, sizes=(3, 10), draws=2)
    assert similar.mape.shape == (2, 4)
    assert similar.best(5) == FACTOR
    assert similar.mape[0, METHODS.index(AS_IT_IS)] > 30
    loads = first.X[:, first.names.index("loads")]
    other = replace(first, y=first.reference_values * (loads / loads.mean()) ** -0.7)
    found = reuse(model, other, PLAN, sizes=(3, 10, 40), draws=2)
    assert found.best(40) == RETRAINED
    assert found.retrain_from in (10, 40)


def test_retrain_from_is_where_it_stays_better() -> None:
    first = host_target()
    found = reuse(trained(first), first, PLAN, sizes=(3, 10, 40), draws=1)
    for last, expected in (([9, 1, 9], None), ([9, 1, 1], 10), ([1, 1, 1], 3), ([np.nan, 9, 1], 40)):
        mape = np.array([[5, 5, np.nan, v] for v in last], dtype=float)
        assert replace(found, mape=mape).retrain_from == expected


def test_the_held_out_workloads_are_unseen_on_both_targets() -> None:
    first = host_target(n_apps=3, noise=0.3)
    model = trained(first)

    def spied(fold_frame: Frame) -> Frame:
        return replace(fold_frame, y=np.where(np.array(fold_frame.labels["application"]) == "app0", 1e9, fold_frame.y))

    only = FoldPlanOfOne("holdout", 1)
    one = reuse(model, first, only, first=first, sizes=(3,), draws=1)
    bad = reuse(model, first, only, first=spied(first), sizes=(3,), draws=1)
    assert one.honest
    np.testing.assert_array_equal(one.mape, bad.mape)  # what the first target said of app0 is not looked at


def test_a_target_that_the_model_refuses_is_told_so() -> None:
    first = host_target(noise=0.02)
    far = replace(first, X=first.X * 1e6)
    strict = Treated(family=FAMILIES["ridge"](penalty=0.01), response_scale="log_ratio", extrapolation="refuse")
    found = reuse(strict.fit(first), far, PLAN, sizes=(2, 20), draws=1)
    assert np.isnan(found.mape[:, :-1]).all()
    assert np.isnan(found.mape[0]).all()
    assert np.isfinite(found.mape[1, -1])
    assert found.retrain_from == 20
    assert [found.best(runs) for runs in (1, 2, 20, 400)] == [RETRAINED] * 4
    assert reuse_table(found)["best"].tolist() == ["", "trained anew"]
    assert reuse_sentence(found, "old", "new") == (
        "The model of old predicts hardly a workload of new, rescaled or not. Training anew is worth it from 20 runs on."
    )
    with pytest.raises(FitError, match="half of the workloads held out"):
        reuse(strict.fit(first), far, PLAN, sizes=(2,), draws=1)


def test_the_first_target_has_workloads_beside_those_held_out() -> None:
    first = host_target()
    nameless = replace(first, labels={**first.labels, "application": ("",) * len(first), "input": ("",) * len(first)})
    with pytest.raises(FitError, match="told apart by application and input"):
        reuse(trained(first), nameless, parse_folds("kfold:3"), first=nameless, sizes=(3,), draws=1)


class FoldPlanOfOne(FoldPlan):
    """Holds out app0 alone."""

    def split(self, frame: Frame, seed: int = 0) -> tuple[Fold, ...]:
        return (Fold("app0", np.flatnonzero(np.array(frame.labels["application"]) == "app0")),)


def test_the_recipe_comes_from_the_model_file() -> None:
    frame = host_target()
    for recipe in (
        make_recipe("halwpe", {"model": "ols"}),
        make_recipe("eiger", {"threshold": "0.01"}),
        make_recipe("ridge", {"penalty": "0.5"}),
        Treated(family=FAMILIES["forest"](trees=5), response_scale="ratio"),
    ):
        model = read_model(write_model(recipe.fit(frame)))
        again = recipe_again(model).fit(frame)
        np.testing.assert_allclose(
            again.predict(again.rows(frame)).value, model.predict(model.rows(frame)).value, rtol=1e-9
        )
    gone = replace(model, provenance=replace(model.provenance, recipe="gone"))
    with pytest.raises(OptionError, match="'gone'"):
        recipe_again(gone)
    odd = replace(model, provenance=replace(model.provenance, options={"family": {"leaves": "no"}}))
    with pytest.raises(OptionError, match="not those of today"):
        recipe_again(odd)


def test_the_host_is_known_by_what_its_response_is_called_there() -> None:
    assert reference_host(trained(host_target())) == "host"
    assert reference_host(replace(trained(host_target()), reference=None)) == "host", "as a blend has it"
    plain = host_target().select(["loads", "share"])
    assert reference_host(make_recipe("ridge").fit(plain)) == ""
