"""What every predictor has to keep: plain data, the same again, better than nothing; and each one's own point."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from core.codec import dumps, from_plain, loads, to_plain
from core.errors import ModelFileError, OptionError, PredictError
from core.option import specs
from core.part import Part, loaded, part_of
from core.scaling.lesson import ask, make_task, teach
from core.scaling.predictors import PREDICTORS, Asked
from core.scaling.predictors.base import Learnt
from core.scaling.predictors.typical import weighted_median
from core.scaling.race import predictor_named
from core.scaling.surfaces import covariance, next_configurations
from tests.scaling.made import made_study

STUDY = made_study(60)
TASK = make_task(STUDY, "time_s", STUDY.n_configurations - 1)
TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)
SMALL = {"trees": "12", "rounds": "12"}


def small(name: str, **more: str) -> object:
    known = {s.name for s in specs(PREDICTORS[name])}
    return predictor_named(name, {k: v for k, v in {**SMALL, **more}.items() if k in known})


@pytest.fixture(scope="module")
def taught() -> object:
    return teach(STUDY, TASK, TRAIN)


@pytest.fixture(scope="module")
def learnt_of(taught: object) -> Callable[[str], Learnt]:
    """Return what gives what a small predictor has learnt, which nothing changes, by its name."""
    return cache(lambda name: small(name).fit(taught.lesson))


@pytest.mark.parametrize("name", PREDICTORS)
def test_contract(name: str, taught: object, learnt_of: Callable[[str], Learnt]) -> None:
    predictor = small(name)
    learnt = learnt_of(name)
    asked = ask(STUDY, TASK, taught.features, TEST, learnt)
    found = learnt.surfaces(asked)
    assert found.shape == (len(TEST), STUDY.n_configurations)
    np.testing.assert_array_equal(found, predictor.fit(taught.lesson).surfaces(asked))  # same again
    back = loaded(from_plain(Part, loads(dumps(to_plain(part_of(learnt, PREDICTORS))))), PREDICTORS, Learnt)
    np.testing.assert_array_equal(back.surfaces(asked), found)
    assert back.wants() == learnt.wants()
    learnt.check(taught.lesson.features.shape[1], STUDY.n_configurations)
    with pytest.raises(ModelFileError):
        learnt.check(taught.lesson.features.shape[1], STUDY.n_configurations + 1)
    assert len(learnt.wants()) == predictor.n_measurements
    truth = np.log(STUDY.surface("time_s")[TEST])
    error = np.abs(np.expm1(found - (truth - truth[:, [TASK.base]]))).mean()
    flat = np.abs(np.expm1(taught.lesson.log.mean(axis=0) - (truth - truth[:, [TASK.base]]))).mean()
    assert error < 0.8 * flat or name in ("mean_surface", "median_surface")
    assert all(s.help for s in specs(type(predictor)))


@pytest.mark.parametrize("name", PREDICTORS)
def test_one_kernel_is_predicted_as_among_others(name: str, taught: object, learnt_of: Callable[[str], Learnt]) -> None:
    learnt = learnt_of(name)
    asked = ask(STUDY, TASK, taught.features, TEST, learnt)
    one = Asked(asked.features[3:4], asked.measured[3:4])
    np.testing.assert_allclose(learnt.surfaces(one)[0], learnt.surfaces(asked)[3], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", [n for n in PREDICTORS if PREDICTORS[n].n_measurements])
def test_measurements_are_asked_for_and_kept(name: str, taught: object, learnt_of: Callable[[str], Learnt]) -> None:
    learnt = learnt_of(name)
    asked = ask(STUDY, TASK, taught.features, TEST, learnt)
    with pytest.raises(PredictError, match="not measured at the configurations"):
        learnt.surfaces(Asked(asked.features, np.full_like(asked.measured, np.nan)))
    assert TASK.base not in learnt.wants()


def test_roofline_finds_the_shape_it_is_made_of() -> None:
    study = made_study(40, noise=0.0)
    task = make_task(study, "time_s", 26)
    given = teach(study, task, np.arange(30))
    learnt = predictor_named("roofline", {"points": "3"}).fit(given.lesson)
    asked = ask(study, task, given.features, np.arange(30, 40), learnt)
    truth = np.log(study.surface("time_s")[30:])
    assert np.abs(np.expm1(learnt.surfaces(asked) - (truth - truth[:, [26]]))).mean() < 0.02


def test_soft_mixing_lies_between_clusters(taught: object) -> None:
    learnt = small("soft_network").fit(taught.lesson)
    found = learnt.surfaces(ask(STUDY, TASK, taught.features, TEST, learnt))
    assert (found <= learnt.of_clusters.max(axis=0) + 1e-9).all()
    hard = small("network").fit(taught.lesson)
    assert set(map(tuple, hard.surfaces(ask(STUDY, TASK, taught.features, TEST, hard)))) <= set(
        map(tuple, hard.of_clusters)
    )


def test_shared_leaves_are_counted_as_scikit_learn_counts_them(taught: object) -> None:
    from sklearn.ensemble import ExtraTreesRegressor

    from core.scaling.surfaces import components

    learnt, X = small("shared_leaves").fit(taught.lesson), taught.lesson.features
    forest = ExtraTreesRegressor(12, min_samples_leaf=2, max_features=0.33, random_state=0)
    forest.fit(X, components(taught.lesson.log, 6).scores(taught.lesson.log))
    asked = ask(STUDY, TASK, taught.features, TEST, learnt)
    same = forest.apply(asked.features)[:, None, :] == forest.apply(X)[None]
    expected = (same / same.sum(axis=1, keepdims=True)).mean(axis=2)
    weights = learnt.weights(asked.features)
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    mean = small("shared_leaves", centre="mean").fit(taught.lesson)
    np.testing.assert_allclose(mean.surfaces(asked), expected @ taught.lesson.log, atol=1e-12)
    found = learnt.surfaces(asked)
    for i, j in ((0, 3), (7, 20), (14, 11)):
        below = expected[i] @ (taught.lesson.log[:, j] <= found[i, j] + 1e-12)
        assert below >= 0.5 - 1e-9 > expected[i] @ (taught.lesson.log[:, j] < found[i, j] - 1e-12)


def test_a_weighted_median_ignores_light_outliers() -> None:
    values = np.array([[0.0], [1.0], [100.0]])
    weights = np.array([[0.3, 0.3, 0.4], [0.1, 0.2, 0.7], [0.5, 0.0, 0.5]])
    np.testing.assert_array_equal(weighted_median(values, weights)[:, 0], [1.0, 100.0, 0.0])


def test_a_weighted_median_is_the_middle_of_those_with_weight() -> None:
    rng = np.random.default_rng(0)
    values, weights = rng.standard_normal((40, 6)), rng.random((5, 40)) * (rng.random((5, 40)) < 0.2)
    weights /= weights.sum(axis=1, keepdims=True)
    found = weighted_median(values, weights)
    for i in range(5):
        for j in range(6):
            below = [v for v in values[:, j] if weights[i] @ (values[:, j] <= v) >= 0.5]
            assert found[i, j] == min(below)


def test_next_configuration_is_the_one_that_explains_most() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 500))
    log = np.column_stack([0 * a, a, 2 * a, 2.5 * a, b, 0.1 * rng.standard_normal(500)])
    (first, second), left = next_configurations(covariance(log), 2)
    assert first in (1, 2, 3)
    assert second == 4
    assert 0 <= left[1] < left[0] < 0.5


def test_a_seed_goes_to_predictors_that_draw_and_what_the_options_say_goes_before_it() -> None:
    assert to_plain(predictor_named("extra_trees", seed=3))["seed"] == 3
    assert predictor_named("extra_trees", {"seed": "5"}, seed=3) == predictor_named("extra_trees", seed=5)
    assert predictor_named("ridge", seed=3) == predictor_named("ridge")


def test_unknown_predictors_and_options() -> None:
    with pytest.raises(OptionError, match="no scaling predictor 'magic'"):
        predictor_named("magic")
    with pytest.raises(OptionError, match="no option 'magic'"):
        predictor_named("ridge", {"magic": "1"})
    with pytest.raises(ModelFileError, match="does not know"):
        loaded(Part("magic", {}), PREDICTORS, Learnt)
