"""Boosted trees: what scikit-learn learnt, predicted by our own arrays."""

import json

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from core.codec import dumps, from_plain, to_plain
from core.errors import FitError, ModelFileError
from core.models.gradient_boosting import GradientBoosting, GradientBoostingModel


def training(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 3, (n, 5))
    return X, np.log(X[:, 0]) * np.sqrt(X[:, 1]) + 100 + rng.standard_normal(n)


def test_predictions_are_those_of_the_library_to_the_last_bit() -> None:
    X, y = training()
    ours = GradientBoosting(trees=80, max_features=1.0).fit(X, y)
    library = HistGradientBoostingRegressor(
        max_iter=80,
        learning_rate=0.05,
        max_leaf_nodes=12,
        min_samples_leaf=5,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=0,
    )
    with threadpool_limits(
        limits=1
    ):  # threads that wait for each other take ten times as long, or fifty on a busy machine
        theirs = library.fit(X, y)
    unseen = np.random.default_rng(1).lognormal(0, 4, (500, 5))
    np.testing.assert_array_equal(ours.predict(unseen), theirs.predict(unseen))


def test_the_number_of_threads_is_irrelevant() -> None:
    X, y = training()
    made = []
    for n in (1, 2):
        with threadpool_limits(limits=n):
            made.append(dumps(to_plain(GradientBoosting(trees=30).fit(X, y))))
    assert made[0] == made[1]


def test_the_file_predicts_to_the_last_bit() -> None:
    X, y = training()
    model = GradientBoosting(trees=30).fit(X, y)
    back = from_plain(GradientBoostingModel, json.loads(dumps(to_plain(model))))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))
    assert model.importance.sum() == pytest.approx(1)
    assert set(model.terms("abcde")[:2]) == {"a", "b"}
    assert model.formula("abcde").startswith("sum of 30 trees")


def test_relative_weights_care_for_small_responses() -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(0, 1, (400, 2))
    y = np.where(X[:, 0] > 0.5, 1000.0, 1.0) * np.exp(X[:, 1])
    options = {"trees": 30, "rate": 0.1}
    ape = [
        np.abs(GradientBoosting(weights=w, **options).fit(X, y).predict(X) / y - 1).mean() for w in ("none", "relative")
    ]
    assert ape[1] < 0.5 * ape[0]
    with pytest.raises(FitError, match="positive responses"):
        GradientBoosting(weights="relative").fit(X, y - 10)


def test_a_branch_that_leads_nowhere_is_refused() -> None:
    X, y = training()
    plain = to_plain(GradientBoosting(trees=3).fit(X, y))
    plain["left"][0] = 0
    with pytest.raises(ModelFileError):
        from_plain(GradientBoostingModel, plain).check(5)
