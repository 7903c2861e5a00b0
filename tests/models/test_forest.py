"""Random forests: scikit-learn's predictions to the last digit, from plain arrays."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from core.codec import from_plain, to_plain
from core.errors import FitError, ModelFileError
from core.models.forest import Forest, ForestModel
from core.models.parts import trees


def trials(n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.choice([1.0, 2, 4], n), rng.random(n), rng.random(n)])
    return X, np.where(X[:, 0] > 1.5, 3.0, 1.0) + X[:, 1] ** 2


@pytest.mark.parametrize("options", [{}, {"max_features": 0.4, "min_leaf": 3, "seed": 7}])
def test_predictions_are_scikit_learns_to_the_last_digit(options: dict[str, float]) -> None:
    X, y = trials()
    names = {"max_features": "max_features", "min_leaf": "min_samples_leaf", "seed": "random_state"}
    theirs = RandomForestRegressor(60, **{"random_state": 0, **{names[k]: v for k, v in options.items()}}).fit(X, y)
    ours = Forest(trees=60, **options).fit(X, y)
    unseen = np.vstack([X, trials(500, 1)[0]])
    assert np.array_equal(ours.predict(unseen), theirs.predict(unseen))
    each = np.array([tree.predict(unseen) for tree in theirs.estimators_])
    np.testing.assert_allclose(ours.spread(unseen), each.std(axis=0), atol=1e-13)
    assert np.array_equal(ours.importance, theirs.feature_importances_)


def test_each_tree_has_the_draw_that_scikit_learn_gives_it() -> None:
    X, y = trials(50)
    theirs = RandomForestRegressor(30, random_state=5).fit(X, y)
    for tree, drawn in zip(theirs.estimators_, theirs.estimators_samples_, strict=True):
        assert np.array_equal(
            trees.times_drawn(np.random.RandomState(), tree.random_state, 50), np.bincount(drawn, minlength=50)
        )


def test_values_are_compared_in_single_precision() -> None:
    """Next to a threshold, a number that rounds down to it in single precision goes left, as in scikit-learn."""
    X, y = trials()
    theirs = RandomForestRegressor(20, random_state=0).fit(X, y)
    ours = Forest(trees=20).fit(X, y)
    thresholds = ours.threshold[ours.feature == 1][:200]
    beside = np.column_stack(
        [np.full(len(thresholds), 2.0), np.nextafter(thresholds, 9), np.full(len(thresholds), 0.5)]
    )
    assert np.array_equal(ours.predict(beside), theirs.predict(beside))


def test_many_rows_in_pieces_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = trials()
    model = Forest(trees=20).fit(X, y)
    whole = model.predict(X), model.spread(X)
    monkeypatch.setattr("core.blocks.BLOCK", 20 * 70)  # seventy rows
    assert np.array_equal(model.predict(X), whole[0])
    assert np.array_equal(model.spread(X), whole[1])


@pytest.mark.parametrize("n", [0, 1, 700, 20_000])
def test_leaves_are_those_of_one_row_and_one_tree_after_another(n: int) -> None:
    X, y = trials()
    model = Forest(trees=30).fit(X, y)
    rows = trials(n, 1)[0]
    rows[: n // 3, 1] = np.nan  # no number is at most a threshold
    found = model.leaves_of(trees.single_precision(rows))
    assert found.shape == (30, n)
    for tree, i in [(t, i) for t in range(0, 30, 7) for i in range(0, n, max(1, n // 40))]:
        node = model.roots[tree]
        while model.feature[node] >= 0:
            below = np.float32(rows[i, model.feature[node]]) <= model.threshold[node]
            node = (model.left if below else model.right)[node]
        assert found[tree, i] == node


def test_a_step_is_found() -> None:
    X, y = trials()
    model = Forest(trees=50).fit(X, y)
    unseen, truth = trials(300, 2)
    assert np.mean((model.predict(unseen) - truth) ** 2) < 0.01 * truth.var()
    assert model.terms("abc")[:2] == ("a", "b")
    assert "50 trees" in model.formula("abc")


def test_too_few_trials() -> None:
    with pytest.raises(FitError, match="got 2"):
        Forest().fit(*(part[:2] for part in trials()))


def test_what_a_file_may_not_say() -> None:
    X, y = trials(30)
    state = to_plain(Forest(trees=3).fit(X, y))
    from_plain(ForestModel, state).check(3)
    for change in (
        lambda m: m["left"].__setitem__(0, 0),
        lambda m: m["right"].__setitem__(0, 10**6),
        lambda m: m["roots"].__setitem__(0, -1),
        lambda m: m["feature"].__setitem__(0, 3),
        lambda m: m["value"].pop(),
        lambda m: m["importance"].pop(),
        lambda m: m["roots"].clear(),
    ):
        changed = json.loads(json.dumps(state))
        change(changed)
        with pytest.raises(ModelFileError):
            from_plain(ForestModel, changed).check(3)
