"""Ridge regression against scikit-learn's, with products and weights."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from core.errors import FitError, ModelFileError
from core.models.ridge import Ridge, RidgeModel
from tests.made import regression


@pytest.mark.parametrize(("n", "p"), [(60, 4), (20, 45)])
@pytest.mark.parametrize("degree", [1, 2])
def test_predictions_are_those_of_scikit_learn(n: int, p: int, degree: int) -> None:
    X, y = regression(n, p, 3)
    expand = PolynomialFeatures(degree, include_bias=False)
    scaler = StandardScaler()
    Z = scaler.fit_transform(expand.fit_transform(X))
    theirs = linear_model.Ridge(alpha=0.2 * n, tol=1e-12).fit(Z, y)
    unseen = regression(50, p, 5)[0]
    expected = theirs.predict(scaler.transform(expand.transform(unseen)))
    np.testing.assert_allclose(Ridge(penalty=0.2, degree=degree).fit(X, y).predict(unseen), expected, rtol=1e-9)


def test_relative_weights_minimise_relative_errors() -> None:
    X, y = regression(80, 3, 1)
    y = np.exp(3 * y)
    model = Ridge(penalty=1e-9, weights="relative").fit(X, y)
    design = np.column_stack([np.ones(80), X]) / y[:, None]
    expected = np.linalg.lstsq(design, np.ones(80), rcond=None)[0]
    np.testing.assert_allclose([model.intercept, *model.coefficients], expected, rtol=1e-4)
    with pytest.raises(FitError, match="positive responses"):
        Ridge(weights="relative").fit(X, -y)


def test_columns_that_tell_alike_share_the_work_and_constant_ones_have_none() -> None:
    X, y = regression(60, 3, 2)
    twice = np.column_stack([X, X[:, 0], np.full(60, 7.0)])
    model = Ridge(penalty=0.1).fit(twice, y)
    assert model.first.tolist() == [0, 1, 2, 3]
    assert model.coefficients[0] == pytest.approx(model.coefficients[3])
    assert model.importance.sum() == pytest.approx(1)
    assert model.terms("abcde") == ("a", "b", "c", "d")


def test_a_square_and_a_product_share_what_a_column_alone_has() -> None:
    X = np.random.default_rng(0).standard_normal((4000, 4))
    square, product = (X[:, 1] ** 2 - 1) / np.sqrt(2), X[:, 2] * X[:, 3]
    model = Ridge(penalty=1e-9, degree=2).fit(X, X[:, 0] + square + product)
    np.testing.assert_allclose(model.importance, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=0.01)


def test_too_many_products_are_refused() -> None:
    X, y = regression(30, 101, 2)
    with pytest.raises(FitError, match="Products of 101 metrics are too many"):
        Ridge(degree=2).fit(X, y)


def test_terms_of_columns_that_are_not_there_are_refused() -> None:
    one = RidgeModel(0.0, np.array([0]), np.array([5]), np.array([1.0]), np.array([1.0]))
    with pytest.raises(ModelFileError):
        one.check(1)
