"""Products of pairs: every two columns once, equal where they are equal but for rounding, and no more than fit."""

from itertools import combinations

import numpy as np
import pytest

from core.errors import FitError
from core.models import FAMILIES
from core.passes.base import Features
from core.passes.products import MOST, Pairs
from core.recipes import Treated
from core.recipes.base import PRODUCTS
from core.trial import Kind, Metric, make_frame

LEVELS = np.array(np.meshgrid([2, 4, 8, 16], [3, 6, 12], [0, 1])).reshape(3, -1).T.astype(float)


def test_every_two_columns_once() -> None:
    X = np.random.default_rng(0).normal(size=(5, 4))
    after = Pairs().fit(Features(tuple("abcd"), X)).features(Features(tuple("abcd"), X))
    assert after.names == (*"abcd", *(f"{a} & {b}" for a, b in combinations("abcd", 2)))
    loop = [X[:, i] + X[:, j] for i, j in combinations(range(4), 2)]
    np.testing.assert_allclose(after.X, np.column_stack([X, *loop]), rtol=1e-15)


def test_the_matrix_says_the_same() -> None:
    X = np.random.default_rng(0).normal(size=(5, 4))
    fitted = Pairs().fit(Features(tuple("abcd"), X))
    np.testing.assert_allclose(X @ fitted.matrix, fitted.apply(X), rtol=1e-14)


def test_products_that_are_the_same_are_told_as_the_same() -> None:
    logs = Features(("a", "b", "c"), np.log(LEVELS + 1))
    sums = Pairs().fit(logs).features(logs).X[:, 3]
    products = (LEVELS[:, 0] + 1) * (LEVELS[:, 1] + 1)
    assert len(np.unique(sums)) == len(np.unique(products))


def test_too_many_columns_are_refused() -> None:
    X = np.zeros((2, MOST + 1))
    with pytest.raises(FitError, match="Choose at most 100 metrics"):
        Pairs().fit(Features(tuple(f"m{i}" for i in range(MOST + 1)), X))


def test_one_split_finds_a_step_in_a_product() -> None:
    y = np.where(LEVELS[:, 0] * LEVELS[:, 1] >= 48, 3.0, 1.0)
    metrics = [Metric(name, Kind.PARAMETER) for name in ("x", "y", "flag")]
    frame = make_frame(LEVELS, y, metrics, Metric("time", Kind.RESPONSE, "s"))
    stump = FAMILIES["gradient_boosting"](trees=1, rate=1.0, leaves=2, min_leaf=1, max_features=1.0, penalty=0.0)
    said = Treated(family=stump, response_scale="raw", metric_scale=PRODUCTS).fit(frame)
    assert said.predict(said.rows(frame)).value == pytest.approx(frame.y)
    alone = Treated(family=stump, response_scale="raw", metric_scale="raw").fit(frame)
    assert np.abs(alone.predict(alone.rows(frame)).value - frame.y).max() > 0.3
