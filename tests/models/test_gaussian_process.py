"""Gaussian process: scikit-learn's mean and standard deviation, from plain arrays."""

import json
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.codec import from_plain, to_plain
from core.errors import ModelFileError
from core.models._inducing import greedy
from core.models.kernels import GaussianProcess, GaussianProcessModel
from core.models.parts.matern import Likelihood
from core.models.parts.matern import Matern as MaternCovariance


def trials(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) * [10, 1, 100]
    return X, 50 + 8 * np.sin(X[:, 0] / 2) + 3 * X[:, 1] * X[:, 0] + 0.05 * rng.standard_normal(n)


def kernel_of(order: float) -> Any:
    return ConstantKernel(1.0, (1e-4, 1e4)) * Matern(np.ones(3), (0.02, 100.0), nu=order) + WhiteKernel(
        1e-2, (1e-10, 10.0)
    )


@pytest.mark.parametrize("order", [1.5, 2.5])
def test_likelihood_and_gradient_are_scikit_learns(order: float) -> None:
    X, y = trials()
    points, z = X / [10, 1, 100], (y - y.mean()) / y.std()
    theta = np.random.default_rng(4).normal(-0.5, 0.5, 5)
    theirs = GaussianProcessRegressor(kernel_of(order), optimizer=None).fit(points, z)
    value, slope = theirs.log_marginal_likelihood(theta, eval_gradient=True)
    ours = Likelihood(order, points, z).value(theta)
    assert ours[0] == pytest.approx(-value, rel=1e-10)
    np.testing.assert_allclose(ours[1], -slope, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("order", ["3/2", "5/2"])
def test_the_mean_is_scikit_learns(order: str) -> None:
    X, y = trials()
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    kernel = kernel_of(1.5 if order == "3/2" else 2.5)
    theirs = GaussianProcessRegressor(kernel, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit((X - low) / span, (y - y.mean()) / y.std())
    ours = GaussianProcess(order=order).fit(X, y)
    unseen = trials(100, 1)[0]
    mean = theirs.predict((unseen - low) / span)
    np.testing.assert_allclose(ours.predict(unseen), y.mean() + y.std() * mean, rtol=1e-4)


def test_a_smooth_function_is_found_and_the_idle_column_named_last() -> None:
    X, y = trials(100)
    model = GaussianProcess().fit(X, y)
    unseen, truth = trials(300, 2)
    assert np.mean(np.abs(model.predict(unseen) / truth - 1)) < 0.01
    assert model.terms("abc")[-1] == "c"


def test_repeats_of_a_point_do_no_harm() -> None:
    X, y = trials(30)
    model = GaussianProcess().fit(np.vstack([X, X]), np.r_[y, y])
    assert np.isfinite(model.predict(X)).all()


def test_lengths_of_a_sample_serve_all_trials() -> None:
    X, y = trials(400)
    unseen, truth = trials(300, 2)
    whole, some = (
        GaussianProcess(search_trials=400).fit(X, y),
        GaussianProcess(search_trials=100, evaluations=25).fit(X, y),
    )
    off = [np.sqrt(np.mean((model.predict(unseen) - truth) ** 2)) for model in (whole, some)]
    assert off[1] < 1.2 * off[0]
    assert some.points.shape == whole.points.shape == (400, 3)


def test_repeats_that_the_sample_missed_are_noise() -> None:
    X, y = trials(400)
    rough = np.r_[y, y + np.random.default_rng(1).standard_normal(400)]
    model = GaussianProcess(search_trials=10).fit(np.vstack([X, X]), rough)
    assert model.noise * model.scale**2 >= 0.8 * 0.5  # half the squared difference of two, on average


def test_all_distinct_trials_as_inducing_points_are_the_exact_process() -> None:
    """With a point at every distinct trial the bound of Titsias 2009 is the likelihood itself."""
    X, y = trials(100)
    X, y = (
        np.vstack([X] * 3),
        np.concatenate([y + 0.2 * np.random.default_rng(i).standard_normal(100) for i in range(3)]),
    )
    exact, told = GaussianProcess().fit(X, y), GaussianProcess(most_trials=200, inducing=150).fit(X, y)
    assert len(told.weights) <= 100 < len(exact.weights)
    unseen = trials(50, 6)[0]
    np.testing.assert_allclose(told.predict(unseen), exact.predict(unseen), rtol=1e-4)
    assert f"{len(told.weights)} inducing points" in told.formula("abc")


def test_few_inducing_points_come_near() -> None:
    X, y = trials(3000)
    model = GaussianProcess(inducing=120).fit(X, y)
    unseen, truth = trials(300, 2)
    assert model.points.shape == (120, 3)
    assert np.mean(np.abs(model.predict(unseen) / truth - 1)) < 0.001


def test_inducing_points_are_those_of_most_variance_left() -> None:
    """By brute force: condition on the points so far, and take the point that is least sure."""
    points = np.random.default_rng(5).random((30, 2))
    K = MaternCovariance(1.5, 2.0, np.array([0.3, 0.7]), 0.0).among(points)
    chosen: list[int] = []
    for _ in range(12):
        known = K[:, chosen] @ np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen]) if chosen else np.zeros_like(K)
        chosen.append(int(np.argmax(np.diag(K - known))))
    assert greedy(K, 12).tolist() == chosen


def test_what_is_all_noise_is_predicted_by_its_mean() -> None:
    draw = np.random.default_rng(3)
    X, y = draw.random((150, 2)), 5 + draw.standard_normal(150)
    model = GaussianProcess(search_trials=50, most_trials=100).fit(X, y)
    assert len(model.points) == 1
    assert np.abs(model.predict(X) - y.mean()).max() < 0.05


@pytest.mark.parametrize("most", [2000, 100])
def test_the_order_of_trials_changes_nothing(most: int) -> None:
    X, y = trials(150)
    turned = np.random.default_rng(0).permutation(150)
    family = GaussianProcess(search_trials=50, most_trials=most, evaluations=20)
    assert to_plain(family.fit(X, y)) == to_plain(family.fit(X[turned], y[turned]))


def test_what_a_file_may_not_say() -> None:
    X, y = trials(20)
    state = to_plain(GaussianProcess().fit(X, y))
    from_plain(GaussianProcessModel, state).check(3)
    for change in (
        lambda m: m["lengths"].__setitem__(0, 0.0),
        lambda m: m["span"].__setitem__(0, -1.0),
        lambda m: m["weights"].pop(),
        lambda m: m.__setitem__("size", 0.0),
        lambda m: m["low"].append(0.0),
        lambda m: m.__setitem__("order", 2.0),
        lambda m: m["factor"].append(1.0),
    ):
        changed = json.loads(json.dumps(state))
        change(changed)
        with pytest.raises(ModelFileError):
            from_plain(GaussianProcessModel, changed).check(3)
