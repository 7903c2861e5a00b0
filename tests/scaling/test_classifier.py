"""The batched networks against scikit-learn's MLPClassifier, and against themselves alone."""

import warnings

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from core.errors import FitError
from core.scaling.classifier import Networks, loss_of, train_networks


@pytest.fixture(scope="module")
def task() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 80)
    centres = rng.standard_normal((5, 8))
    return np.stack([centres[labels] + 0.6 * rng.standard_normal((80, 8)) for _ in range(4)]), labels


def peer(X: np.ndarray, labels: np.ndarray, penalty: float) -> MLPClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPClassifier(
            (5,), activation="logistic", alpha=penalty, solver="lbfgs", max_iter=3000, random_state=0
        ).fit(X, np.eye(5)[labels])


def test_outputs_and_loss_are_scikit_learns(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    theirs = peer(X[0], labels, 0.1)
    W = [np.vstack([c, b])[None] for c, b in zip(theirs.coefs_, theirs.intercepts_, strict=True)]
    same = Networks(W[0], W[1], np.zeros(1))
    np.testing.assert_allclose(same.outputs(X[:1])[0], theirs.predict_proba(X[0]), atol=1e-12)
    assert loss_of(same, X[:1], labels, 0.1)[0] == pytest.approx(theirs.loss_, rel=1e-6)


def test_training_ends_where_scikit_learn_ends(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    theirs = peer(X[0], labels, 0.1)
    ours = train_networks(X[:1], labels, 5, penalty=0.1, iterations=600)
    assert ours.loss[0] == pytest.approx(theirs.loss_, rel=0.1)
    agree = (ours.choose(X[:1])[0] == theirs.predict_proba(X[0]).argmax(axis=1)).mean()
    assert agree >= 0.97


def test_choices_agree_on_unseen_kernels(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    ours = train_networks(X[:1], labels, 5, penalty=1.0)
    theirs = peer(X[0], labels, 1.0)
    unseen = X[1]
    assert (ours.choose(unseen[None])[0] == theirs.predict_proba(unseen).argmax(axis=1)).mean() >= 0.95


def test_a_network_is_the_same_alone_and_in_a_batch(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    together, alone = train_networks(X, labels, 5), train_networks(X[2:3], labels, 5)
    np.testing.assert_array_equal(together.first[2], alone.first[0])
    np.testing.assert_array_equal(together.choose(X)[2], alone.choose(X[2:3])[0])


def test_seed_decides(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    a, b, c = (train_networks(X[:1], labels, 5, seed=s, iterations=20) for s in (1, 1, 2))
    np.testing.assert_array_equal(a.second, b.second)
    assert not np.array_equal(a.second, c.second)


def test_labels_may_differ_by_network(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    turned = (labels + 1) % 5
    both = train_networks(X[[0, 0]], np.array([labels, turned]), 5)
    found = both.choose(X[[0, 0]])
    np.testing.assert_array_equal(found[0], train_networks(X[:1], labels, 5).choose(X[:1])[0])
    np.testing.assert_array_equal(found[1], train_networks(X[:1], turned, 5).choose(X[:1])[0])


def test_probabilities_sum_to_one_and_hidden_width_is_the_number_of_clusters(
    task: tuple[np.ndarray, np.ndarray],
) -> None:
    X, labels = task
    found = train_networks(X, labels, 5, iterations=5)
    assert found.first.shape == (4, 9, 5)
    assert found.second.shape == (4, 6, 5)
    np.testing.assert_allclose(found.probabilities(X).sum(axis=-1), 1.0)


def test_missing_counters_are_refused(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    broken = X.copy()
    broken[0, 3, 2] = np.nan
    with pytest.raises(FitError, match="missing or infinite"):
        train_networks(broken, labels, 5)


@pytest.mark.slow
def test_usual_training_lies_within_the_peers_training_noise(task: tuple[np.ndarray, np.ndarray]) -> None:
    X, labels = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers = [
            MLPClassifier((5,), activation="logistic", alpha=0.1, solver=solver, max_iter=3000, random_state=seed).fit(
                X[0], np.eye(5)[labels]
            )
            for solver in ("lbfgs", "adam")
            for seed in (0, 1)
        ]
    ours = train_networks(X[:1], labels, 5, penalty=0.1)
    losses = [p.loss_ for p in peers]
    assert 0.9 * min(losses) <= ours.loss[0] <= max(losses)
    chosen = [p.predict_proba(X[1]).argmax(axis=1) for p in peers]
    among = min((a == b).mean() for i, a in enumerate(chosen) for b in chosen[:i])
    assert min((ours.choose(X[1:2])[0] == c).mean() for c in chosen) >= among - 0.05
    untrained = train_networks(X[:1], labels, 5, penalty=0.1, iterations=3)
    assert untrained.loss[0] > max(losses)
