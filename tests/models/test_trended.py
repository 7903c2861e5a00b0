"""Trended trees: ridge regression and scikit-learn's trees on what it leaves, to the last digits."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.ensemble import ExtraTreesRegressor

from core.errors import FitError, ModelFileError
from core.models.forest import ExtraTrees, Trended
from core.models.ridge import Ridge


def trials(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    return X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + 0.02 * rng.standard_normal(n)


def test_it_is_ridge_and_trees_on_what_that_leaves() -> None:
    X, y = trials()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs, ours = sklearn.linear_model.Ridge(alpha=0.1 * len(y)).fit(Z, y), Ridge(penalty=0.1).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(Z), rtol=1e-9)
    trees = ExtraTreesRegressor(40, random_state=3).fit(X, y - ours.predict(X))  # a last digit may turn a split
    unseen = trials(200, 1)[0]
    wanted = theirs.predict((unseen - X.mean(axis=0)) / X.std(axis=0)) + trees.predict(unseen)
    np.testing.assert_allclose(Trended(trees=40, seed=3).fit(X, y).predict(unseen), wanted, rtol=1e-9)


def test_beyond_the_trials_the_trend_goes_on() -> None:
    X, y = trials(300)
    beyond = np.array([[6.0, 0.0, 0.0]])
    assert Trended(trees=30).fit(X, y).predict(beyond)[0] > 1.15 * ExtraTrees(trees=30).fit(X, y).predict(beyond)[0]


def test_what_it_says_of_itself() -> None:
    X, y = trials()
    model = Trended(trees=5).fit(X, y)
    assert model.terms(["a", "b", "c"])[0] == "a"
    assert "·a" in model.formula(["a", "b", "c"])
    assert "mean of 5 trees" in model.formula(["a", "b", "c"])


def test_what_cannot_be() -> None:
    with pytest.raises(FitError, match="got 1"):
        Trended().fit(*(part[:1] for part in trials()))
    model = Trended(trees=2).fit(*trials())
    for wrong in (replace(model, columns=np.array([0, 1, 3])), replace(model, slopes=model.slopes[:2])):
        with pytest.raises(ModelFileError):
            wrong.check(3)
    with pytest.raises(ModelFileError):
        model.check(4)
