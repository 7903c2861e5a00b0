"""The lasso against scikit-learn's at the same penalty, and the choice of the penalty against plain cross-validation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import linear_model

from core.errors import FitError, OptionError
from core.models.lasso import Lasso, NnLasso, inner_folds
from core.models.parts.linear import LinearModel
from tests.models.test_nnls import counters


def scaled(X: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    mean = np.average(X, axis=0, weights=weights)
    return (X - mean) / np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))


def peer(penalty: float, *, positive: bool, intercept: bool = True) -> linear_model.Lasso:
    return linear_model.Lasso(penalty, positive=positive, fit_intercept=intercept, tol=1e-13, max_iter=2_000_000)


def standard(model: LinearModel, X: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return the coefficients of columns of standard deviation 1."""
    found = np.zeros(X.shape[1])
    found[model.columns] = model.coefficients * sd[model.columns]
    return found


@settings(max_examples=40, deadline=None)
@given(n=st.integers(5, 40), p=st.integers(1, 60), seed=st.integers(0, 10**6), share=st.floats(0.02, 1.1))
def test_lasso_is_scikit_learns(n: int, p: int, seed: int, share: float) -> None:
    X, y = counters(n, p, seed)
    Z = scaled(X)
    penalty = share * float(np.abs(Z.T @ (y - y.mean())).max()) / n
    model = Lasso(penalty=repr(penalty)).fit(X, y)
    expected = peer(penalty, positive=False).fit(Z, y)
    np.testing.assert_allclose(standard(model, X, X.std(axis=0)), expected.coef_, rtol=1e-6, atol=1e-7 * np.std(y))
    np.testing.assert_allclose(model.predict(X), expected.predict(Z), rtol=1e-6, atol=1e-7 * np.std(y))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(5, 40), p=st.integers(1, 60), seed=st.integers(0, 10**6), share=st.floats(0.02, 0.9))
def test_non_negative_lasso_is_scikit_learns(n: int, p: int, seed: int, share: float) -> None:
    X, y = counters(n, p, seed)
    y = np.abs(y) + 0.1
    Z, sd = scaled(X), X.std(axis=0)
    penalty = share * float(np.abs(Z.T @ (y - y.mean())).max()) / n
    model = NnLasso(penalty=repr(penalty)).fit(X, y)
    expected = peer(penalty, positive=True).fit(Z, y)
    if expected.intercept_ - expected.coef_ @ (X.mean(axis=0) / sd) >= 0:
        found = expected.predict(Z)
    else:
        expected = peer(penalty, positive=True, intercept=False).fit(X / sd, y)
        found = expected.predict(X / sd)
        assert model.intercept == 0.0
    np.testing.assert_allclose(standard(model, X, sd), expected.coef_, rtol=1e-6, atol=1e-6 * np.std(y))
    np.testing.assert_allclose(model.predict(X), found, rtol=1e-6, atol=1e-6 * np.std(y))


def test_relative_weights_are_scikit_learns_sample_weights() -> None:
    X, y = counters(40, 20, 4)
    y = np.abs(y) + 0.5
    weights = 1 / y**2
    Z = scaled(X, weights)
    expected = peer(0.01, positive=False).fit(Z, y, sample_weight=weights)
    model = Lasso(penalty="0.01", weights="relative").fit(X, y)
    np.testing.assert_allclose(model.predict(X), expected.predict(Z), rtol=1e-7)
    assert 0 < len(model.columns) < 20


@pytest.mark.slow
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(("n", "p"), [(60, 20), (40, 70)])
def test_penalty_is_that_of_plain_cross_validation(n: int, p: int, positive: bool) -> None:
    X, y = counters(n, p, 5)
    y = y - y.min() + 30  # so that the intercept stays free
    model = (NnLasso if positive else Lasso)().fit(X, y)
    Z = scaled(X)
    folds = inner_folds(X, 10)
    errors = np.zeros(100)
    for fold in range(10):
        train = folds != fold
        for i, penalty in enumerate(model.penalties[:70]):
            fitted = linear_model.Lasso(penalty, positive=positive, tol=1e-9, max_iter=200_000).fit(Z[train], y[train])
            errors[i] += ((y[~train] - fitted.predict(Z[~train])) ** 2).sum() / n
    np.testing.assert_allclose(model.errors[:70], errors[:70], rtol=1e-4)
    assert model.penalty == model.penalties[np.argmin(model.errors)]
    assert model.penalties[0] == pytest.approx(np.abs(Z.T @ (y - y.mean())).max() / n, rel=0.5 if positive else 1e-9)
    assert model.penalties[-1] == pytest.approx(1e-3 * model.penalties[0])


def test_no_penalty_is_least_squares() -> None:
    X, y = counters(50, 6, 6)
    A = np.column_stack([np.ones(50), X])
    np.testing.assert_allclose(
        Lasso(penalty="0").fit(X, y).predict(X), A @ np.linalg.lstsq(A, y, rcond=None)[0], rtol=1e-8
    )


def test_a_penalty_too_large_leaves_the_mean() -> None:
    X, y = counters(50, 6, 6)
    model = Lasso(penalty="1e9").fit(X, y)
    assert model.columns.tolist() == []
    assert model.intercept == pytest.approx(y.mean())
    assert model.formula(["a"] * 6) == f"{y.mean():.4g}"


@pytest.mark.parametrize("penalty", ["-1", "nan", "inf", "much", ""])
@pytest.mark.parametrize("family", [Lasso, NnLasso])
def test_penalties_that_are_none(family: type[Lasso], penalty: str) -> None:
    with pytest.raises(OptionError, match="penalty must be auto or a number from 0 on"):
        family(penalty=penalty)


def test_inner_folds_keep_equal_rows_together() -> None:
    X = np.repeat(np.arange(25.0), 4)[:, None]
    folds = inner_folds(X, 10)
    assert (folds.reshape(25, 4) == folds.reshape(25, 4)[:, :1]).all()
    assert sorted(np.bincount(folds[::4])) == [2] * 5 + [3] * 5
    assert inner_folds(X[:8], 10).max() == 1


@pytest.mark.parametrize("family", [Lasso, NnLasso])
def test_one_trial_with_all_of_the_weight_is_a_sentence(family: type[Lasso]) -> None:
    X, y = counters(40, 3, 1)
    with pytest.raises(FitError, match="One trial has nearly all of the weight"):
        family(weights="relative").fit(X, np.r_[1e-9, 1 + np.abs(y[1:])])
