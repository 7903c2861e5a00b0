"""Gaussian process: scikit-learn's mean and standard deviation, from plain arrays."""

import json
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from core.codec import from_plain, to_plain
from core.errors import FitError, ModelFileError
from core.models.gaussian_process import GaussianProcess, GaussianProcessModel


def trials(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3)) * [10, 1, 100]
    return X, 50 + 8 * np.sin(X[:, 0] / 2) + 3 * X[:, 1] * X[:, 0] + 0.05 * rng.standard_normal(n)


def test_mean_and_deviation_are_scikit_learns() -> None:
    """scikit-learn's deviation is that of a new measurement: it has the noise in it."""
    X, y = trials()
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    kernel = ConstantKernel(1.0, (1e-4, 1e4)) * Matern(np.ones(3), (0.02, 100.0), nu=2.5) + WhiteKernel(1e-2, (1e-10, 10.0))
    theirs = GaussianProcessRegressor(kernel, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit((X - low) / span, (y - y.mean()) / y.std())
    ours = GaussianProcess().fit(X, y)
    unseen = trials(100, 1)[0]
    mean, deviation = theirs.predict((unseen - low) / span, return_std=True)
    np.testing.assert_allclose(ours.predict(unseen), y.mean() + y.std() * mean, rtol=1e-9)
    of_a_measurement = np.sqrt(ours.variance(unseen) + ours.noise * ours.scale**2)
    np.testing.assert_allclose(of_a_measurement, y.std() * deviation, rtol=1e-5)  # the sizes cancel


def test_a_smooth_function_is_found_and_the_idle_column_named_last() -> None:
    X, y = trials(100)
    model = GaussianProcess().fit(X, y)
    unseen, truth = trials(300, 2)
    assert np.mean(np.abs(model.predict(unseen) / truth - 1)) < 0.01
    assert model.terms("abc")[-1] == "c"
    inside = np.abs(model.predict(unseen) - truth) < 2 * np.sqrt(model.variance(unseen) + model.noise * model.scale**2)
    assert inside.mean() > 0.85


def test_repeats_of_a_point_do_no_harm() -> None:
    X, y = trials(30)
    model = GaussianProcess().fit(np.vstack([X, X]), np.r_[y, y])
    assert np.isfinite(model.predict(X)).all()


def test_too_many_trials() -> None:
    X, y = trials(40)
    with pytest.raises(FitError, match="most 30 trials, got 40"):
        GaussianProcess(most_trials=30).fit(X, y)


def test_what_a_file_may_not_say() -> None:
    X, y = trials(20)
    state = to_plain(GaussianProcess().fit(X, y))
    from_plain(GaussianProcessModel, state).check(3)
    for change in (
        lambda m: m["lengths"].__setitem__(0, 0.0), lambda m: m["span"].__setitem__(0, -1.0), lambda m: m["weights"].pop(),
        lambda m: m.__setitem__("size", 0.0), lambda m: m["low"].append(0.0),
    ):  # fmt: skip
        changed = json.loads(json.dumps(state))
        change(changed)
        with pytest.raises(ModelFileError):
            from_plain(GaussianProcessModel, changed).check(3)
