"""k-means: as tight as scikit-learn's, numbered alike, and never more clusters than different trials."""

import numpy as np
import pytest
from sklearn.cluster import KMeans as Reference

from core.passes.base import Features
from core.passes.kmeans import KMeans


def blobs(seed: int = 0, n: int = 150) -> Features:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) + 4 * rng.integers(0, 4, (n, 1))
    return Features(("a", "b", "c"), X)


@pytest.mark.parametrize("k", [2, 4, 7])
@pytest.mark.parametrize("seed", [0, 1])
def test_inertia_is_no_worse_than_scikit_learns(k: int, seed: int) -> None:
    ours = KMeans(clusters=k).fit(blobs(seed))
    theirs = Reference(k, n_init=10, random_state=1).fit(blobs(seed).X)
    assert ours.inertia <= theirs.inertia_ * (1 + 1e-6)
    by_hand = ours.apply(blobs(seed).X).min(axis=1).sum()
    assert ours.inertia == pytest.approx(by_hand)


def test_centres_are_means_and_sizes_descend() -> None:
    features = blobs()
    fitted = KMeans(clusters=4).fit(features)
    assigned = fitted.assign(features.X)
    assert (np.diff(fitted.sizes) <= 0).all()
    for i, size in enumerate(fitted.sizes):
        assert (assigned == i).sum() == size
        np.testing.assert_allclose(features.X[assigned == i].mean(axis=0), fitted.centres[i], rtol=1e-9)


def test_no_more_clusters_than_different_trials() -> None:
    X = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), 4, axis=0)
    assert len(KMeans(clusters=6).fit(Features(("a", "b"), X)).centres) == 2
    assert len(KMeans(clusters=1).fit(Features(("a", "b"), X)).centres) == 1


def test_standardised_distances() -> None:
    features = blobs()
    wide = Features(features.names, features.X * np.array([1e6, 1, 1]))
    one = KMeans(clusters=3, standardize=True).fit(features)
    other = KMeans(clusters=3, standardize=True).fit(wide)
    assert np.array_equal(one.assign(features.X), other.assign(wide.X))


def test_fewer_clusters_than_asked_for_are_told() -> None:
    X = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), 4, axis=0)
    asked = KMeans(clusters=6)
    assert asked.notes(asked.fit(Features(("a", "b"), X))) == (
        "2 clusters instead of 6, because no more trials differ from each other",
    )
    exact = KMeans(clusters=2)
    assert exact.notes(exact.fit(Features(("a", "b"), X))) == ()


@pytest.mark.parametrize("k", [1, 3])
def test_numbering_does_not_depend_on_the_order_of_trials(k: int) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.standard_normal((n, 2)) + 20 * i for i, n in enumerate((30, 50, 20))])
    order = rng.permutation(100)
    one = KMeans(clusters=k).fit(Features(("a", "b"), X))
    other = KMeans(clusters=k).fit(Features(("a", "b"), X[order]))
    assert np.array_equal(one.sizes, other.sizes)
    np.testing.assert_allclose(one.centres, other.centres, rtol=1e-12)
    assert np.array_equal(one.assign(X)[order], other.assign(X[order]))


def test_equally_far_goes_to_the_lower_number() -> None:
    X = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    assert KMeans(clusters=2).fit(Features(("a",), X)).assign(np.array([[0.0]])).tolist() == [0]
