"""Parts of the race: stacking, stability, counters that tell the same, failures and disagreement."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from core.models import FAMILIES
from core.race import alike, chosen_features, disagreement, failures, stability
from core.race.result import Run
from core.race.stack import combined, members, middle, weights
from core.recipes._treated import Treated
from core.trial import Metric, make_frame
from core.validate.crossval import cross_validate
from core.validate.folds import parse_folds
from tests.race.made import host_target


def run(name: str, inner: np.ndarray, error: float) -> Run:
    return Run(name, 0, "", inner, error, None, (), 0.0, 0.0)


def test_weights_are_the_non_negative_relative_least_squares_solution() -> None:
    rng = np.random.default_rng(0)
    y = rng.lognormal(0, 2, 80)
    P = y[:, None] * np.exp(0.3 * rng.standard_normal((80, 3)))
    found = weights(y, [run(n, P[:, i], float(i)) for i, n in enumerate("abc")])
    expected, _ = nnls(P / y[:, None], np.ones(80))
    assert [found.get(n, 0.0) for n in "abc"] == pytest.approx(expected.tolist())


def test_only_the_best_few_and_never_those_that_cannot_run() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0])
    exact = [run(f"good{i}", y * (1 + 0.01 * i), 1.0 + i) for i in range(6)]
    found = weights(y, [*exact, run("broken", y, np.inf)])
    assert "broken" not in found
    assert "good5" not in found
    assert weights(y, []) == {}
    assert weights(y, [run("a", np.full(4, np.nan), 1.0)]) == {"a": 1.0}


def test_a_member_that_refuses_is_spoken_for_by_the_others() -> None:
    said = {"a": np.array([1.0, np.nan, np.nan]), "b": np.array([3.0, 3.0, np.nan])}
    np.testing.assert_allclose(combined(said, {"a": 0.5, "b": 0.5}), [2.0, 3.0, np.nan])


def test_a_committee_has_the_best_of_each_kind_and_nobody_far_worse() -> None:
    y = np.ones(4)
    runs = [run(n, y, e) for n, e in (("a", 10.0), ("a2", 11.0), ("b", 14.0), ("c", 15.1), ("broken", np.inf))]
    assert members(runs, {"a": "x", "a2": "x"}) == ("a", "b")
    assert members(runs, {}) == ("a", "a2", "b")
    said = {"a": np.array([1.0, 2.0, np.nan, np.nan, -1.0]), "b": np.array([4.0, np.nan, 3.0, np.nan, 5.0])}
    np.testing.assert_allclose(middle(said, ("a", "b")), [2.0, 2.0, 3.0, np.nan, 2.0])


def test_metrics_that_tell_the_same_are_one_group() -> None:
    rng = np.random.default_rng(1)
    x = rng.lognormal(0, 2, 200)
    z = rng.standard_normal(200)
    X = np.column_stack([x, 3 * x**2, -np.arctan(x), z, z + 0.5 * rng.standard_normal(200), np.ones(200)])
    names = ("x", "square", "falling", "z", "near z", "constant")
    frame = make_frame(X, x, [Metric(n) for n in names], Metric("t"))
    assert alike(frame) == (("x", "square", "falling"), ("z",), ("near z",), ("constant",))


def test_stability_counts_any_of_a_group() -> None:
    folds = [("a", "c"), ("b",), ("a",), ()]
    found = stability(folds, (("a", "b"), ("c",), ("d",)))
    assert [(s.metrics, s.share) for s in found] == [(("a", "b"), 0.75), (("c",), 0.25)]
    assert stability([("RC1",)], (("a",),))[0].metrics == ("RC1",)


def test_features_that_models_look_at() -> None:
    frame = host_target()
    for name in ("forest", "gradient_boosting", "ridge", "ols_forward_bic", "nnls", "stepwise", "splines"):
        model = Treated(family=FAMILIES[name](), response_scale="ratio").fit(frame)
        assert "share" in chosen_features(model), name
    assert len(chosen_features(Treated(family=FAMILIES["anova"](), response_scale="log_ratio").fit(frame))) == 5


def test_failures_are_sorted_by_what_was_observed() -> None:
    frame = host_target()
    found = cross_validate(Treated(family=FAMILIES["ols"]()).fit, frame, parse_folds("kfold:4"))
    shown = failures(frame, found)
    assert (np.diff(shown.observed) >= 0).all()
    assert np.nanmean(shown.ape) == pytest.approx(found.scores.mape)
    assert shown.names[0] == f"{frame.labels['application'][shown.rows[0]]} · {frame.labels['input'][shown.rows[0]]}"


def test_disagreement_is_largest_first_by_factor() -> None:
    frame = host_target()
    one = cross_validate(Treated(family=FAMILIES["ols"]()).fit, frame, parse_folds("kfold:4"))
    predicted = one.predicted.copy()
    predicted[5] *= 9
    predicted[7] /= 4
    predicted[9] = np.nan
    found = disagreement(frame, one, replace(one, predicted=predicted), most=3)
    assert found.rows[:2].tolist() == [5, 7]
    assert found.factor[:2] == pytest.approx([9, 4])
    assert 9 not in disagreement(frame, one, replace(one, predicted=predicted), most=1000).rows
