"""Standard scores, and numbers too large to have a variance."""

import numpy as np
import pytest

from core.errors import FitError
from core.passes import PASSES
from core.passes.base import Features
from core.passes.scales import Standardize
from tests.made import matrix

# > X <- make(6, 2, 3); S <- scale(X); format(t(S), digits = 15)
# > format(attr(S, "scaled:center"), digits = 15); format(attr(S, "scaled:scale"), digits = 15)
SCORES = [
    [-1.375173127167513, -0.554451260454350],
    [0.637391087076772, -1.276888735495045],
    [-1.179961619272286, 1.086709957642614],
    [0.796374376005183, 0.345345310116130],
    [0.714592678975307, -0.717478918670615],
    [0.406776604382537, 1.116763646861266],
]
MEAN, SCALE = [0.513094384342687, 0.483207958862932], [0.369794948710014, 0.252331831670503]


def test_scores_equal_r() -> None:
    X = matrix(6, 2, 3)
    fitted = Standardize().fit(Features(("a", "b"), X))
    Z = fitted.apply(X)
    np.testing.assert_allclose(fitted.mean, MEAN, rtol=1e-13)
    np.testing.assert_allclose(fitted.scale, SCALE, rtol=1e-13)
    np.testing.assert_allclose(Z, SCORES, atol=1e-13)


def test_a_constant_column_becomes_zeros() -> None:
    X = np.column_stack([np.full(5, 7.0), np.arange(5.0)])
    Z = Standardize().fit(Features(("a", "b"), X)).apply(X)
    assert (Z[:, 0] == 0).all()
    assert Standardize().fit(Features(("a", "b"), X[:1])).apply(X[:1]).tolist() == [[0, 0]]


@pytest.mark.parametrize("name", ["standardize", "pca", "kmeans", "eiger_rotation"])
@pytest.mark.parametrize("size", [1e151, 1e200, 1e308])
def test_numbers_without_a_square_are_refused_by_name(name: str, size: float) -> None:
    X = np.random.default_rng(0).uniform(0.1, 1, (20, 3))
    X[4, 1] *= size
    with pytest.raises(FitError, match=r"Metric 'b' reaches .* have no square\."):
        PASSES[name]().fit(Features(("a", "b", "c"), X))
