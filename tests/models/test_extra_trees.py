"""Extremely randomised trees: scikit-learn's predictions to the last digit."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesRegressor

from core.errors import FitError
from core.models.forest import ExtraTrees


def trials(n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    return X, np.sin(4 * X[:, 0]) + X[:, 1]


@pytest.mark.parametrize(("share", "leaf"), [(1.0, 1), (0.4, 4)])
def test_predictions_are_scikit_learns_to_the_last_digit(share: float, leaf: int) -> None:
    X, y = trials()
    theirs = ExtraTreesRegressor(40, max_features=share, min_samples_leaf=leaf, random_state=3).fit(X, y)
    ours = ExtraTrees(trees=40, max_features=share, min_leaf=leaf, seed=3).fit(X, y)
    unseen = trials(400, 1)[0]
    assert np.array_equal(ours.predict(unseen), theirs.predict(unseen))


def test_a_smooth_function_is_found() -> None:
    X, y = trials(400)
    unseen, truth = trials(300, 1)
    assert np.mean((ExtraTrees(trees=100).fit(X, y).predict(unseen) - truth) ** 2) < 0.02 * truth.var()


def test_too_few_trials() -> None:
    with pytest.raises(FitError, match="got 1"):
        ExtraTrees().fit(*(part[:1] for part in trials()))
