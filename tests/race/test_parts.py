"""Parts of the race: stacking, stability, counters that tell the same, and failures."""

import numpy as np
import pytest
from scipy.optimize import nnls

from core.models import FAMILIES
from core.race.chosen import alike, chosen_features, failures, stability
from core.race.result import Run
from core.race.standings import MOST_MEMBERS, stacked, weighted
from core.recipes.base import Treated
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
    found = stacked(y, [run(n, P[:, i], float(i)) for i, n in enumerate("abc")]).weights
    expected, _ = nnls(P / y[:, None], np.ones(80))
    assert [found.get(n, 0.0) for n in "abc"] == pytest.approx(expected.tolist())


def test_only_the_best_few_and_never_those_that_cannot_run() -> None:
    y = np.array([1.0, 2.0, 3.0, 4.0])
    exact = [run(f"good{i}", y * (1 + 0.01 * i), 1.0 + i) for i in range(6)]
    found = stacked(y, [*exact, run("broken", y, np.inf)]).weights
    assert "broken" not in found
    assert "good5" not in found
    assert stacked(y, [run("a", np.full(4, np.nan), 1.0)]).weights == {"a": 1.0}


def shares(errors: dict[str, float], kinds: dict[str, str] | None = None) -> dict[str, float]:
    """Weights of entries with such inner errors."""
    y = np.exp(np.random.default_rng(1).uniform(0, 3, 800))
    return dict(weighted(y, [run(name, y, e) for name, e in errors.items()], kinds or {}).weights)


def test_weights_fall_with_the_eighth_power_of_the_error() -> None:
    found = shares({"b": 11.0, "a": 10.0, "c": 12.0})
    power = 8 * 800 / 808
    expected = np.array([1.0, (10 / 11) ** power, (10 / 12) ** power])
    assert [found[n] for n in "abc"] == pytest.approx(expected / expected.sum())
    assert list(found) == ["a", "b", "c"]
    assert shares({"a": 10.0, "far": 19.0}) == {"a": 1.0}  # 0.6 % of the weight
    assert shares({"a": 0.0, "b": 1.0}) == {"a": 1.0}
    assert shares({"a": 0.0, "b": 0.0}) == pytest.approx({"a": 0.5, "b": 0.5})


def test_of_a_kind_the_best_takes_part_and_of_all_the_best_few() -> None:
    assert list(shares({"a": 10.0, "b": 10.1, "c": 10.2}, kinds={"b": "x", "c": "x"})) == ["a", "b"]
    assert shares(dict.fromkeys("abc", 3.0), kinds=dict.fromkeys("abc", "x")) == {"a": 1.0}
    assert len(shares({f"e{i}": 10.0 + 0.01 * i for i in range(12)})) == MOST_MEMBERS
    assert shares({"a": 1.0, "broken": np.inf}) == {"a": 1.0}


def test_the_order_of_entries_changes_no_weight() -> None:
    errors = {"a": 8.0, "b": 8.0, "c": 9.0, "d": 8.5}
    assert shares(errors) == shares(dict(reversed(errors.items())))


def test_a_response_that_is_not_positive_is_blended_as_it_is() -> None:
    y = np.array([-1.0, 0.0, 1.0, 2.0])
    found = weighted(y, [run("a", y + 0.1, 0.1), run("b", y - 0.1, 0.1)], {})
    assert not found.log
    assert found.bound == pytest.approx(0.3)


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
    frame = host_target(4, 8)
    for name in ("forest", "gradient_boosting", "ridge", "ols_forward_bic", "nnls", "stepwise", "splines"):
        few = {"trees": 5} if name in ("forest", "gradient_boosting") else {}
        model = Treated(family=FAMILIES[name](**few), response_scale="ratio").fit(frame)
        assert "share" in chosen_features(model), name
    stump = FAMILIES["gradient_boosting"](trees=1, leaves=2, min_leaf=1, max_features=1.0)
    paired = Treated(family=stump, response_scale="log_ratio", metric_scale="products").fit(frame)
    split = paired.features[paired.clusters[0].model.used(len(paired.features))[0]]
    assert chosen_features(paired) == tuple(split.split(" & "))
    assert len(chosen_features(Treated(family=FAMILIES["anova"](), response_scale="log_ratio").fit(frame))) == 5


def test_failures_are_sorted_by_what_was_observed() -> None:
    frame = host_target()
    found = cross_validate(Treated(family=FAMILIES["ols"]()).fit, frame, parse_folds("kfold:4"))
    shown = failures(frame, found)
    assert (np.diff(shown.observed) >= 0).all()
    assert np.nanmean(shown.ape) == pytest.approx(found.scores.mape)
    assert shown.names[0] == f"{frame.labels['application'][shown.rows[0]]} · {frame.labels['input'][shown.rows[0]]}"
