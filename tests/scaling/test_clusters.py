"""Clusters against SciPy and scikit-learn on the same input."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from core.errors import FitError
from core.scaling.clusters import Clustering, by_appearance, cluster_means, cut, kmeans, linkage, spearman_distance
from core.scaling.surfaces import components
from tests.scaling.made import made_study


@pytest.fixture(scope="module")
def surfaces() -> np.ndarray:
    logs = np.log(made_study(40).surface("time_s"))
    return logs - logs.mean(axis=1, keepdims=True)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(((a[:, None] == a) == (b[:, None] == b)).all())


@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_ward_is_scipys(surfaces: np.ndarray, k: int) -> None:
    theirs = scipy_linkage(surfaces, "ward")
    np.testing.assert_array_equal(linkage(surfaces), theirs)
    assert same(cut(linkage(surfaces), k), fcluster(theirs, k, "maxclust"))


@pytest.mark.parametrize("k", [2, 5, 12])
def test_ward_on_spearman_is_scipys(surfaces: np.ndarray, k: int) -> None:
    rho = spearmanr(surfaces, axis=1).statistic
    distance = spearman_distance(surfaces)
    np.testing.assert_allclose(distance, 1 - rho, atol=1e-12)
    theirs = scipy_linkage(squareform(distance, checks=False), "ward")
    np.testing.assert_allclose(linkage(surfaces, spearman=True), theirs)
    assert same(cut(linkage(surfaces, spearman=True), k), fcluster(theirs, k, "maxclust"))


@pytest.mark.parametrize("k", [2, 5, 12])
def test_kmeans_is_scikit_learns(surfaces: np.ndarray, k: int) -> None:
    assert same(kmeans(surfaces, k, 7), KMeans(k, n_init=10, random_state=7).fit(surfaces).labels_)


def test_components_are_those_of_scikit_learn(surfaces: np.ndarray) -> None:
    for points in (surfaces, surfaces[:10]):  # through either Gram matrix
        ours, theirs = components(points, 4), PCA(4).fit(points)
        np.testing.assert_allclose(np.abs(ours.axes @ theirs.components_.T), np.eye(4), atol=1e-6)
        np.testing.assert_allclose(ours.explained, theirs.explained_variance_ratio_, rtol=1e-8)
    whole = components(surfaces, 100)
    np.testing.assert_allclose(whole.rebuilt(whole.scores(surfaces)), surfaces, atol=1e-4)


@pytest.mark.parametrize("method", ["kmeans", "ward", "ward-spearman"])
def test_clusters_tell_behaviours_apart(surfaces: np.ndarray, method: str) -> None:
    found = Clustering(n_clusters=6, method=method).grouped(surfaces)
    assert found.labels[0] == 0
    assert found.n_clusters == 6 == found.labels.max() + 1
    assert found.labels[0] != found.labels[1]  # bound by compute, by bandwidth
    np.testing.assert_allclose(found.surfaces, cluster_means(surfaces, found.labels))
    assert (found.linkage is None) == (method == "kmeans")
    np.testing.assert_array_equal(found.from_base(3)[:, 3], 0)


def test_a_flat_surface_correlates_with_nothing() -> None:
    distance = spearman_distance(np.array([[1.0, 2, 3], [5, 5, 5], [3, 2, 1]]))
    np.testing.assert_allclose(distance, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])


def test_labels_are_numbered_as_they_appear() -> None:
    np.testing.assert_array_equal(by_appearance(np.array([7, 7, 3, 9, 3])), [0, 0, 1, 2, 1])


def test_equal_surfaces_make_fewer_clusters_and_one_kernel_none() -> None:
    assert Clustering(n_clusters=5, components=0).grouped(np.repeat(np.eye(2), 4, axis=0)).n_clusters == 2
    with pytest.raises(FitError, match="at least 2 kernels"):
        Clustering().grouped(np.ones((1, 4)))


@pytest.mark.parametrize("k", [3, 8])
def test_the_whole_clustering_is_that_of_the_peers_on_the_same_input(surfaces: np.ndarray, k: int) -> None:
    scores = PCA(6).fit_transform(surfaces)
    found = Clustering(n_clusters=k, method="ward", components=6).grouped(surfaces)
    assert same(found.labels, fcluster(scipy_linkage(scores, "ward"), k, "maxclust"))
    found = Clustering(n_clusters=k, method="kmeans", components=0, seed=3).grouped(surfaces)
    assert same(found.labels, KMeans(k, n_init=10, random_state=3).fit(surfaces).labels_)
    rho = spearmanr(surfaces, axis=1).statistic
    theirs = scipy_linkage(squareform((1 - rho + 1 - rho.T) / 2, checks=False), "ward")
    assert same(
        Clustering(n_clusters=k, method="ward-spearman", components=0).grouped(surfaces).labels,
        fcluster(theirs, k, "maxclust"),
    )
    turned = Clustering(n_clusters=k, method="ward", components=6).grouped(surfaces[::-1].copy()).labels[::-1]
    assert same(turned, fcluster(scipy_linkage(scores, "ward"), k, "maxclust"))


def test_surfaces_that_are_all_alike_have_one_component_without_length() -> None:
    """As of a power that never changes, or of the one kernel that an inner fold leaves."""
    for n in (1, 8):
        alike = np.tile(np.arange(5.0), (n, 1))
        found = components(alike, 4)
        assert found.axes.shape == (1, 5)
        assert found.scores(alike).tolist() == [[0.0]] * n
        assert found.rebuilt(found.scores(alike)).tolist() == alike.tolist()
    assert Clustering(n_clusters=3).grouped(np.zeros((8, 5))).n_clusters == 1
