"""Parts of the race: stacking, stability, counters that tell the same, failures and disagreement."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from core.models import FAMILIES
from core.race import alike, chosen_features, disagreement, failures, stability
from core.race.result import Run
from core.race.stack import stacked
from core.race.votes import MOST_MEMBERS, voted
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


def votes(wrong: dict[str, list[float]], size: int = 5, **more: object) -> dict[str, float]:
    """Votes on entries that are off by so many percent on each of some applications."""
    n = len(next(iter(wrong.values())))
    y = np.exp(np.random.default_rng(1).uniform(0, 3, n * size))
    groups = [f"app{i // size}" for i in range(n * size)]
    errors = {name: np.repeat(own, size) for name, own in wrong.items()}
    runs = [run(name, y * (1 + e / 100), float(e.mean())) for name, e in errors.items()]
    return dict(voted(y, groups, runs, **more).weights)  # type: ignore[arg-type]


def test_who_is_better_everywhere_gets_every_vote_and_the_rest_is_shared_by_kinds() -> None:
    wrong = {"a": [5, 9, 7, 6], "b": [6, 10, 8, 7], "c": [6.5, 10, 8, 7]}
    assert votes(wrong, kinds={"b": "x", "c": "x"}) == pytest.approx({"a": 2 / 3 + 1 / 6, "b": 1 / 6})
    assert votes(wrong, kinds=dict.fromkeys("abc", "x")) == {"a": 1.0}
    assert votes({"a": [5, 9, 7, 6]}) == {"a": 1.0}


def test_where_the_choice_is_luck_the_weight_is_shared() -> None:
    kinds = {"steady": "x", "gambler": "x"}
    found = votes({"a": [1, 20, 1, 20, 1, 20], "b": [20, 1, 20, 1, 20, 1]})
    assert found["a"] == pytest.approx(0.5, abs=0.06)
    assert sum(found.values()) == pytest.approx(1)
    few = votes({"steady": [10] * 8, "gambler": [1] * 7 + [72]}, kinds=kinds)  # the gambler's mean is a little better
    assert 0.1 < few["steady"] < 0.4


def test_what_is_far_worse_or_cannot_run_gets_none_and_few_get_any() -> None:
    assert votes({"a": [9, 9, 9, 9], "bad": [1, 30, 30, 30]}) == {"a": 1.0}
    y = np.ones(4)
    runs = [run("a", y, 1.0), run("broken", np.full(4, np.nan), np.inf)]
    assert dict(voted(y, list("abcd"), runs).weights) == {"a": 1.0}
    lucky = {f"e{i}": [1.0 if j == i else 10.0 for j in range(8)] for i in range(8)}
    assert len(votes(lucky)) == MOST_MEMBERS


def test_votes_do_not_depend_on_the_order_of_trials_or_entries() -> None:
    rng = np.random.default_rng(0)
    y = np.exp(rng.uniform(0, 3, 60))
    groups = np.array([f"app{i % 6}" for i in range(60)])
    runs = [run(n, y * np.exp(0.1 * rng.standard_normal(60)), 8.0 + i) for i, n in enumerate("abc")]
    order = rng.permutation(60)
    turned = [replace(r, inner=r.inner[order]) for r in reversed(runs)]
    assert dict(voted(y, groups, runs, seed=3).weights) == dict(voted(y[order], groups[order], turned, seed=3).weights)


def test_a_response_that_is_not_positive_is_blended_as_it_is() -> None:
    y = np.array([-1.0, 0.0, 1.0, 2.0])
    found = voted(y, list("abab"), [run("a", y + 0.1, 0.1), run("b", y - 0.1, 0.1)])
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
