"""Additive model with interactions: its likelihood's gradient, its effects, and the functions it finds."""

import json

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from core.codec import from_plain, to_plain
from core.errors import FitError, ModelFileError
from core.models.anova import Anova, AnovaModel
from core.models.parts.anova import JITTER, Centre, Shape, codes_of, scaled, together
from core.models.parts.anova_likelihood import MEAN, Likelihood, parts

LEVELS = ([1, 2, 4, 8, 16], [8, 16, 32], [1, 2, 3], [10, 20, 70, 90])


def designs(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.choice(own, n) for own in LEVELS]).astype(float)


def time(X: np.ndarray) -> np.ndarray:
    x = np.log2(X)
    jagged = np.array([0.0, 3, -2, 1])[np.searchsorted(LEVELS[3], X[:, 3])]
    return 20 + 8 * np.exp(-x[:, 0]) + x[:, 1] * np.exp(-x[:, 0] / 2) + 0.5 * jagged


@pytest.fixture(scope="module")
def model() -> AnovaModel:
    X = designs(150)
    return Anova().fit(X, time(X) + 0.01 * np.random.default_rng(9).standard_normal(150))


@pytest.mark.parametrize("interactions", [True, False])
@pytest.mark.parametrize("continuous", [(), (0, 2)])
def test_gradient_is_that_of_finite_differences(interactions: bool, continuous: tuple[int, ...]) -> None:
    X = designs(40)
    X[:, continuous] += np.random.default_rng(7).random((40, len(continuous)))  # no two points share a level
    axes = tuple(a for a in (scaled(j, X[:, j]) for j in range(4)) if a is not None)
    y = time(X)
    problem = Likelihood(axes, codes_of(axes, X), (y - y.mean()) / y.std(), interactions=interactions)
    rng = np.random.default_rng(1)
    theta = np.r_[rng.normal(-0.5, 0.3, 4), rng.normal(-0.3, 0.3, 4), rng.normal(-2, 0.5, 4), -0.3, -2.0]
    value, slope = problem.value(theta)
    assert np.isfinite(value)
    step = 1e-6
    differences = [
        (problem.value(theta + step * unit)[0] - problem.value(theta - step * unit)[0]) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    np.testing.assert_allclose(slope, differences, rtol=2e-5, atol=2e-5)


def dense(problem: Likelihood, codes: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """The covariance of what was measured, all of it written out."""
    shapes, interaction, noise = parts(theta, len(problem.axes), interactions=problem.interactions)
    tables = []
    for shape, axis, own in zip(shapes, problem.axes, codes.T, strict=True):
        levels = axis.positions(axis.levels)
        tables.append(shape.centred(levels[own], levels[own], levels))
    return together(tables, interaction) + MEAN + (noise**2 + JITTER) * np.eye(len(codes))


@pytest.mark.parametrize("interactions", [True, False])
def test_packed_halves_say_what_full_matrices_say(interactions: bool) -> None:
    X = designs(31, 3)
    X[:, 2] += np.random.default_rng(7).random(31)
    axes = tuple(a for a in (scaled(j, X[:, j]) for j in range(4)) if a is not None)
    z = (time(X) - time(X).mean()) / time(X).std()
    codes = codes_of(axes, X)
    problem = Likelihood(axes, codes, z, interactions=interactions)
    lengths = np.array([-0.3, 0.2, -0.8, -0.1])
    theta = np.r_[-0.5, -0.9, -0.2, -0.6, lengths, -2, -1, -3, 0.5, -0.3, -2.0]
    K = dense(problem, codes, theta)
    pull = 0.15 * float(lengths @ lengths)
    expected = 0.5 * (z @ np.linalg.solve(K, z) + np.linalg.slogdet(K)[1] + len(z) * np.log(2 * np.pi)) + pull
    alpha, step = np.linalg.solve(K, z), 1e-5
    by_point = np.linalg.inv(K) - np.outer(alpha, alpha)
    slope = [
        0.5 * float(np.vdot(by_point, dense(problem, codes, theta + u) - dense(problem, codes, theta - u))) / (2 * step)
        for u in step * np.eye(len(theta))
    ]
    slope += 0.3 * np.r_[np.zeros(4), lengths, np.zeros(6)]
    value, found = problem.value(theta)
    assert value == pytest.approx(expected, rel=1e-11)
    np.testing.assert_allclose(found, slope, rtol=1e-7, atol=1e-7)


def test_effects_sum_to_the_prediction(model: AnovaModel) -> None:
    X = designs(30, 5)
    X[:3, 0], X[:3, 3] = [3, 6, 12], [15, 33, 80]  # between levels too
    columns = [X[:, axis.column] for axis in model.axes]
    whole = np.full(len(X), model.constant)
    for a in range(4):
        whole += model.effect((a,), [columns[a]])
        for b in range(a):
            whole += np.diag(model.effect((b, a), [columns[b], columns[a]]))
    np.testing.assert_allclose(whole, model.predict(X), rtol=1e-9)


def test_effects_average_to_zero_over_the_levels(model: AnovaModel) -> None:
    for a, axis in enumerate(model.axes):
        assert abs(model.effect((a,), [axis.levels]).mean()) < 1e-9
    surface = model.effect((0, 1), [model.axes[0].levels, model.axes[1].levels])
    np.testing.assert_allclose(surface.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(surface.mean(axis=1), 0, atol=1e-9)


def test_the_function_is_found_on_unseen_designs(model: AnovaModel) -> None:
    unseen = designs(400, 1)
    assert np.max(np.abs(model.predict(unseen) / time(unseen) - 1)) < 0.01


def test_importance_is_that_of_the_function_over_all_designs(model: AnovaModel) -> None:
    """Against the variance decomposition of the full factorial, by averages."""
    grid = np.array(np.meshgrid(*LEVELS, indexing="ij"), dtype=float).reshape(4, -1).T
    y = time(grid).reshape([len(own) for own in LEVELS])
    y = y - y.mean()
    main = [y.mean(axis=tuple(b for b in range(4) if b != a)) for a in range(4)]
    pair = y.mean(axis=(2, 3)) - main[0][:, None] - main[1][None, :]
    shares = {(a,): (m**2).mean() / (y**2).mean() for a, m in enumerate(main)}
    shares[(0, 1)] = (pair**2).mean() / (y**2).mean()
    found = model.importance()
    assert sum(found.values()) == pytest.approx(1)
    assert next(iter(found)) == max(shares, key=lambda k: shares[k])
    for axes, share in shares.items():
        assert found[axes] == pytest.approx(share, abs=0.01)


def test_terms_name_what_matters(model: AnovaModel) -> None:
    terms = model.terms("abcd")
    assert set(terms) == {"a", "b", "d", "a:b"}
    assert "f(a, b)" in model.formula("abcd")


def test_names_with_a_colon_are_shown_letter_for_letter(model: AnovaModel) -> None:
    written = model.formula(("cycles:u", "b", "c", "d"))
    assert "f(cycles:u)" in written
    assert "f(cycles:u, b)" in written


def variance(model: AnovaModel, X: np.ndarray) -> np.ndarray:
    return np.maximum(np.diag(model.joint(X).covariance), 0)


def test_prediction_and_variance_are_a_gaussian_process() -> None:
    """One parameter, no roughness: the same as scikit-learn's process with the centred kernel written out."""
    levels = np.array([0.0, 0.3, 0.5, 1.0])
    shape = Shape(1.3, 0.4, 0.0)
    kernel = RBF(0.4)
    K = 1.3**2 * kernel(levels[:, None])
    m = K.mean(axis=1)
    np.testing.assert_allclose(shape.centred(levels, levels, levels), K - np.outer(m, m) / m.mean(), atol=1e-14)
    centre, codes = Centre.of(shape, levels), np.arange(4)
    np.testing.assert_allclose(centre.between(levels, codes), shape.centred(levels, levels, levels), atol=1e-14)
    assert isinstance(GaussianProcessRegressor(kernel), GaussianProcessRegressor)


def test_variance_is_the_posteriors(model: AnovaModel) -> None:
    """Against the formula with the matrices written out."""
    unseen = designs(20, 3)
    grams = []
    for rows in (unseen, None):
        tables = []
        for a, axis in enumerate(model.axes):
            own = (
                axis.positions(unseen[:, axis.column])
                if rows is not None
                else axis.positions(axis.levels)[model.codes[:, a]]
            )
            points, levels = axis.positions(axis.levels)[model.codes[:, a]], axis.positions(axis.levels)
            tables.append(model.shapes[a].centred(own, points, levels))
        grams.append(together(tables, model.interaction) + 10.0)
    own = []
    for a, axis in enumerate(model.axes):
        x = axis.positions(unseen[:, axis.column])
        own.append(np.diag(model.shapes[a].centred(x, x, axis.positions(axis.levels))))
    prior = together(own, model.interaction) + 10.0
    K = grams[1] + model.noise**2 * np.eye(len(model.weights))
    expected = model.scale**2 * (prior - np.einsum("ij,ji->i", grams[0], np.linalg.solve(K, grams[0].T)))
    np.testing.assert_allclose(variance(model, unseen), expected, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(model.predict(unseen), model.mean + model.scale * grams[0] @ model.weights, rtol=1e-10)


def test_together_is_the_sum_over_pairs() -> None:
    rng = np.random.default_rng(0)
    k = list(rng.standard_normal((4, 3, 3)))
    pairs = sum(k[i] * k[j] for i in range(4) for j in range(i))
    np.testing.assert_allclose(together(k, 0.5), sum(k) + 0.25 * pairs)


def test_without_interactions() -> None:
    X = designs(100)
    model = Anova(interactions=False).fit(X, time(X))
    assert model.interaction == 0
    assert not any(":" in term for term in model.terms("abcd"))


def test_as_many_inducing_points_as_combinations_are_the_exact_process() -> None:
    X = designs(300)
    y = time(X) + 0.05 * np.random.default_rng(3).standard_normal(300)
    exact, told = Anova().fit(X, y), Anova(most_trials=100, inducing=300).fit(X, y)
    assert len(told.weights) < len(exact.weights) == 300
    unseen = designs(50, 4)
    np.testing.assert_allclose(told.predict(unseen), exact.predict(unseen), rtol=1e-4)
    np.testing.assert_allclose(variance(told, unseen), variance(exact, unseen), rtol=0.02)


def test_inducing_points_of_continuous_parameters_find_the_function() -> None:
    rng = np.random.default_rng(2)
    X, unseen = rng.random((3000, 3)), rng.random((200, 3))

    def truth(X: np.ndarray) -> np.ndarray:
        return np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2]

    model = Anova(inducing=300).fit(X, truth(X) + 0.1 * rng.standard_normal(3000))
    assert model.weights.shape == (300,)
    assert max(len(axis.levels) for axis in model.axes) <= 1002  # of 3,000
    off = model.predict(unseen) - truth(unseen)
    assert np.sqrt(np.mean(off**2)) < 0.05  # of noise 0.1
    assert np.mean(np.abs(off) < 2 * np.sqrt(variance(model, unseen))) > 0.8


def test_the_order_of_trials_changes_nothing() -> None:
    X = designs(150)
    y = time(X)
    turned = np.random.default_rng(0).permutation(150)
    for family in (Anova(search_trials=60, iterations=5), Anova(search_trials=60, iterations=5, most_trials=80)):
        one, other = family.fit(X, y), family.fit(X[turned], y[turned])
        assert to_plain(one) == to_plain(other)


def test_parameters_that_never_vary_are_left_out() -> None:
    X = designs(60)
    model = Anova(iterations=5).fit(np.column_stack([X, np.ones(60)]), time(X))
    assert model.left_out == ((4, "it never varies"),)
    with pytest.raises(FitError, match="No parameter varies"):
        Anova().fit(np.ones((60, 2)), time(X))


def test_logarithms_refuse_what_has_none(model: AnovaModel) -> None:
    bad = designs(2)
    bad[1, 0] = -1
    assert "a = -1 has no logarithm" in model.refuse(bad, "abcd")[1]
    assert np.isnan(model.predict(bad)).tolist() == [False, True]


def test_what_a_file_may_not_say(model: AnovaModel) -> None:
    state = to_plain(model)
    for change in (
        lambda m: m["codes"][0].__setitem__(0, 99),
        lambda m: m["weights"].append(0.0),
        lambda m: m.__setitem__("scale", 0.0),
        lambda m: m["shapes"][0].__setitem__("length", 0.0),
        lambda m: m["axes"][0].__setitem__("column", 9),
        lambda m: m["axes"][0]["levels"].reverse(),
        lambda m: m["factor"].append(1.0),
    ):
        changed = json.loads(json.dumps(state))
        change(changed)
        with pytest.raises(ModelFileError):
            from_plain(AnovaModel, changed).check(4)


def test_where_it_is_for_choosing_it_searches_less() -> None:
    light, few = Anova().light, Anova(iterations=5, search_trials=20).light
    assert (light.iterations, light.search_trials, few.iterations, few.search_trials) == (15, 150, 5, 20)
